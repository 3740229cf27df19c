//! Reading of overlay and board files: YAML in, checked types out, errors with file, line, column and nearest key.

use serde::de::DeserializeOwned;

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
            found: field.clone(),
            nearest: nearest.map_or(String::new(), |n| format!(", did you mean `{n}`?")),
            allowed: expected.join(", "),
        };
    }
    let text = error.to_string();
    let reason = text.split(" at line ").next().unwrap_or(&text);
    let reason = match yaml.lines().nth((line as usize).wrapping_sub(1)) {
        Some(found) => format!("{reason}, in `{}`", found.trim()),
        None => reason.to_string(),
    };
    ConfigError::Syntax { file, line, column, reason }
}
