//! Numbers as the documents write them.

/// Digits in groups of three.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Tokens a second: two decimals below 100, one below 200, none above.
pub(crate) fn rate(per_second: f64) -> String {
    match per_second {
        r if r < 100.0 => format!("{r:.2}"),
        r if r < 200.0 => format!("{r:.1}"),
        r => format!("{r:.0}"),
    }
}

/// Millions with three significant digits.
pub(crate) fn millions(number: u64) -> String {
    let m = number as f64 / 1e6;
    if m < 1.0 { format!("{m:.3} M") } else { format!("{m:.2} M") }
}

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Half units are written as such, whole ones without a point.
pub(crate) fn halves(number: f64) -> String {
    if number.fract() == 0.0 { format!("{number:.0}") } else { format!("{number:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_in_the_documents() {
        let grouped = [0, 999, 1000, 2_157_184].map(grouped);
        assert_eq!(grouped, ["0", "999", "1,000", "2,157,184"]);
        assert_eq!([5.837, 115.74, 552.6].map(rate), ["5.84", "115.7", "553"]);
        assert_eq!([141_513, 2_157_184].map(millions), ["0.142 M", "2.16 M"]);
        assert_eq!([35.5, 129.0].map(halves), ["35.5", "129"]);
    }
}
