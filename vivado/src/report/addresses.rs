//! The address map that the flow itself writes: a line a segment, and how many there are.

use super::text::{ReportError, Text};

/// Every segment has an offset and a range, and the last line counts them.
pub(crate) fn check(text: &Text) -> Result<(), ReportError> {
    let lines: Vec<(usize, &str)> = text.lines().filter(|(_, l)| !l.trim().is_empty()).collect();
    let Some(((end, last), segments)) = lines.split_last() else {
        return Err(text.fault(0, "a segment"));
    };
    let Some(count) = last.trim().strip_prefix("segments ") else {
        return Err(text.fault(*end, "the last line, `segments <count>`"));
    };
    let count: usize = text.number(*end, "the segments", count)?;
    if count != segments.len() || count == 0 {
        return Err(
            text.fault(*end, &format!("as many segments as there are lines, {}, and at least one", segments.len()))
        );
    }
    for (index, line) in segments {
        let words: Vec<&str> = line.split_whitespace().collect();
        if !matches!(words[..], [_, offset, range] if is_offset(offset) && is_range(range)) {
            return Err(text.fault(*index, "a segment, its offset (0x...) and its range (a number with K, M, G or T)"));
        }
    }
    Ok(())
}

fn is_offset(word: &str) -> bool {
    word.strip_prefix("0x").is_some_and(|digits| u64::from_str_radix(digits, 16).is_ok())
}

fn is_range(word: &str) -> bool {
    let number = word.strip_suffix(['K', 'M', 'G', 'T']).unwrap_or(word);
    number.parse::<u64>().is_ok_and(|n| n > 0)
}
