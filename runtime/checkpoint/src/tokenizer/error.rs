//! Why a checkpoint gives no tokenizer.

use std::path::PathBuf;

use sagen_tokenizer::TokenizeError;

use crate::weights::gguf::GgufError;

/// A checkpoint without a usable tokenizer.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct TokenizerError {
    /// The checkpoint.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: Box<TokenizerReason>,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerReason {
    /// Random weights have no tokenizer.
    #[error("there is no tokenizer")]
    None,
    /// GGUF metadata missing or of the wrong type.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// A list of the vocabulary has the wrong length.
    #[error("`{field}` has {found} entries, expected {expected}")]
    Length {
        /// Metadata key.
        field: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A list that no vocabulary needs.
    #[error("`{field}` has {found} entries, at most {most} are allowed")]
    TooLong {
        /// Metadata key.
        field: &'static str,
        /// Entries found.
        found: usize,
        /// Entries allowed.
        most: usize,
    },
    /// The tokenizer itself.
    #[error(transparent)]
    Tokenizer(#[from] TokenizeError),
    /// More ids than the model has embedding rows.
    #[error("the tokenizer has {found} ids, but the model's vocabulary only {vocab}")]
    Vocabulary {
        /// Ids of the tokenizer.
        found: usize,
        /// Rows of the embedding.
        vocab: usize,
    },
}
