//! Reading of overlay and board files: YAML in, checked types out, errors with file, line, column and nearest key.

use serde::de::DeserializeOwned;
use serde_saphyr::{MessageFormatter, UserMessageFormatter};

/// Characters of a text of the user that are shown.
const SHOWN: usize = 80;

/// Why a config cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A key that the schema does not have.
    #[error("{file}:{line}:{column}: unknown key `{found}`{nearest} (allowed here: {allowed})")]
    UnknownKey {
        /// File, as given.
        file: String,
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// Key found.
        found: String,
        /// A question that names the closest key, or nothing.
        nearest: String,
        /// Keys allowed.
        allowed: String,
    },
    /// Any other fault of the text.
    #[error("{file}:{line}:{column}: {reason}")]
    Syntax {
        /// File, as given.
        file: String,
        /// Line, from 1.
        line: u64,
        /// Column, from 1.
        column: u64,
        /// What is wrong.
        reason: String,
    },
    /// A board that nobody knows.
    #[error("{file}: board = {found} is unknown; known boards: {known}")]
    UnknownBoard {
        /// File, as given.
        file: String,
        /// Board named.
        found: String,
        /// Boards known.
        known: String,
    },
    /// The values do not make an overlay.
    #[error("{file}: {reason}")]
    Overlay {
        /// File, as given.
        file: String,
        /// What is wrong.
        reason: String,
    },
}

/// Parse one YAML document; `file` is only named in errors.
pub fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, ConfigError> {
    serde_saphyr::from_str(text).map_err(|e| explain(file, text, e.without_snippet()))
}

/// The candidate closest to a word, where one is close enough to be a typing error.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = candidates.into_iter().map(|c| (strsim::levenshtein(word, c), c));
    scored.filter(|(d, c)| *d <= 1 + c.len().max(word.len()) / 4).min().map(|(_, c)| c)
}

fn explain(file: &str, yaml: &str, error: &serde_saphyr::Error) -> ConfigError {
    let (line, column) = error.location().map_or((0, 0), |l| (l.line(), l.column()));
    let file = file.to_string();
    if let serde_saphyr::Error::SerdeUnknownField { field, expected, .. } = error {
        let nearest = nearest(field, expected.iter().copied());
        return ConfigError::UnknownKey {
            file,
            line,
            column,
            found: plain(field),
            nearest: nearest.map_or(String::new(), |n| format!(", did you mean `{n}`?")),
            allowed: expected.join(", "),
        };
    }
    let reason = UserMessageFormatter.format_message(error);
    let reason = match yaml.lines().nth((line as usize).wrapping_sub(1)) {
        Some(found) => format!("{}, in `{}`", plain(&reason), plain(found.trim())),
        None => plain(&reason),
    };
    ConfigError::Syntax { file, line, column, reason }
}

/// What a terminal may show: a piece of it, without control characters.
fn plain(text: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    let shown: String = text.chars().take(SHOWN).map(escape).collect();
    if text.chars().nth(SHOWN).is_some() { shown + "..." } else { shown }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        #[serde(rename = "board")]
        _board: String,
    }

    fn refusal(yaml: &str) -> String {
        parse::<File>("f", yaml).unwrap_err().to_string()
    }

    #[test]
    fn a_refusal_is_about_the_file_and_not_about_its_reader() {
        let texts = ["board: a\nboard: b\n", "board: a\n---\nboard: b\n", "board: {a: b\n", "", "- a\n", "board: *b\n"];
        for text in texts {
            let said = refusal(text);
            assert!(said.starts_with("f:"), "{said}");
            for name in ["Policy", "Options", "from_str", "from_multiple", "Deserializer", "serde"] {
                assert!(!said.contains(name), "{text:?}: {said}");
            }
        }
    }

    #[test]
    fn a_refusal_shows_neither_control_characters_nor_all_of_a_long_line() {
        let long = "x".repeat(1_000_000);
        let texts = [
            "board: \"\u{1b}[31mred\n".to_owned(),
            "bo\u{1b}ard: x\n".to_owned(),
            "\"a\\eb\": 1\n".to_owned(),
            format!("board: [{long}]\n"),
            format!("{long}: 1\n"),
        ];
        for text in texts {
            let said = refusal(&text);
            assert!(!said.contains('\u{1b}') && said.len() < 1000, "{} bytes", said.len());
        }
    }
}
