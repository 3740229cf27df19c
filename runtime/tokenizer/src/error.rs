//! Why a tokenizer could not be built or used.

/// A failure of tokenizer or chat template.
#[derive(Debug, thiserror::Error)]
pub enum TokenizeError {
    /// A tokenizer of a kind that is not implemented.
    #[error("{field} `{found}` is not supported (supported: {supported})")]
    Unsupported {
        /// Which part is meant, as the checkpoint spells it.
        field: &'static str,
        /// Name found.
        found: String,
        /// Names that would be accepted.
        supported: String,
    },
    /// A token or merge that cannot be.
    #[error("`{field}` entry {index} is `{found}`, expected {expected}")]
    Entry {
        /// Which list, as the checkpoint spells it.
        field: &'static str,
        /// Index in the list.
        index: usize,
        /// Entry found.
        found: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// An id beyond the vocabulary.
    #[error("token id is {found}, the tokenizer has {vocab} ids")]
    UnknownId {
        /// The id.
        found: u32,
        /// Size of the vocabulary.
        vocab: usize,
    },
    /// A file of a Hugging Face directory could not be read.
    #[error("{file}: {reason}")]
    Io {
        /// File name.
        file: &'static str,
        /// Reason.
        reason: std::io::Error,
    },
    /// A JSON file does not hold what it should.
    #[error("{file}: {reason}")]
    Json {
        /// File name.
        file: &'static str,
        /// Reason, with line and column.
        reason: serde_json::Error,
    },
    /// The chat template does not compile or does not accept the messages.
    #[error("chat template: {0:#}")]
    Template(minijinja::Error),
    /// The tokenizer library refused.
    #[error("cannot {action}: {reason}")]
    Library {
        /// What was being done.
        action: &'static str,
        /// The library's reason.
        reason: String,
    },
}

impl From<minijinja::Error> for TokenizeError {
    fn from(reason: minijinja::Error) -> Self {
        Self::Template(reason)
    }
}

impl TokenizeError {
    /// A refusal of the tokenizer library.
    #[must_use]
    pub fn library(action: &'static str, error: tokenizers::Error) -> Self {
        Self::Library { action, reason: error.to_string() }
    }
}
