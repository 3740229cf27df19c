//! What somebody may have meant who mistyped a name.

/// The candidate closest to a word, where one is close enough to be a typing error.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = candidates.into_iter().map(|c| (strsim::damerau_levenshtein(word, c), c));
    scored.filter(|(d, c)| *d <= 1 + c.len().max(word.len()) / 4).min().map(|(_, c)| c)
}

/// ``, did you mean `x`?`` with the nearest candidate, or nothing; made to follow the word in a message.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map_or(String::new(), |n| format!(", did you mean `{n}`?"))
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn a_typing_error_is_recognised_and_another_word_is_not() {
        let known = ["smollm2", "llama3", "clock_mhz"];
        for (word, said) in [
            ("smolm2", ", did you mean `smollm2`?"),
            ("clcok_mhz", ", did you mean `clock_mhz`?"),
            ("gpt-5", ""),
            ("", ""),
        ] {
            assert_eq!(did_you_mean(word, known), said, "{word}");
        }
    }
}
