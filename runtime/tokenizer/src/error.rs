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
    /// An id that a file gives to a special token.
    #[error("{file}: {field}: token id is {found}, the tokenizer has {vocab} ids")]
    SpecialId {
        /// File name.
        file: &'static str,
        /// Field of the file.
        field: &'static str,
        /// The id.
        found: u64,
        /// Size of the vocabulary.
        vocab: usize,
    },
    /// Something else where a token id should be.
    #[error("{file}: {field}: `{found}` is no token id")]
    NoId {
        /// File name.
        file: &'static str,
        /// Field of the file.
        field: &'static str,
        /// What is there.
        found: String,
    },
    /// An id so great that a table of all ids would not fit.
    #[error("tokenizer.json: {field}: id {found} of token `{token}` is beyond the limit of {}", crate::MOST_IDS - 1)]
    IdLimit {
        /// Field of the file.
        field: &'static str,
        /// The id.
        found: u64,
        /// The token.
        token: String,
    },
    /// An id that the tokenizer library does not keep.
    #[error("tokenizer.json: added_tokens: id {found} of token `{token}` does not follow the ids before it")]
    AddedId {
        /// The id.
        found: u64,
        /// The token.
        token: String,
    },
    /// A template of the post-processor that says less than it needs.
    #[error("tokenizer.json: post_processor names the special token `{token}`, which its special_tokens do not have")]
    Unexplained {
        /// The token.
        token: String,
    },
    /// A character that cannot be spelt.
    #[error(
        "character `{}` (U+{:04X}) at byte {at} of the text has no token, and there is no token for unknown characters",
        character.escape_debug(),
        u32::from(*character)
    )]
    NoToken {
        /// The character.
        character: char,
        /// Bytes before it.
        at: usize,
    },
    /// A text that the vocabulary takes for a control token.
    #[error("the text spells the control token `{token}`, which this vocabulary cannot write as text")]
    Control {
        /// The token.
        token: String,
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
    /// A conversation was asked for.
    #[error("this model has no chat template")]
    NoTemplate,
    /// The files have templates, but none that can be chosen.
    #[error("chat template: {0}")]
    NoUsableTemplate(String),
    /// The chat template does not end.
    #[error(
        "chat template: stopped after {} steps (a step is an instruction or 64 bytes of text): \
         the template does not end, or the messages are too long",
        crate::chat::STEPS
    )]
    TemplateSteps,
    /// What tells content from template needs a character that neither has.
    #[error("chat template: the messages hold every private character of plane 15, one must be left")]
    NoMark,
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
