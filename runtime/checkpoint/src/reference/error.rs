//! Why the reference could not run.

use crate::weights::WeightsError;

/// A failed load or step of the float reference.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// A tensor could not be read.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A token id that the embedding has no row for.
    #[error("token id is {found}, the vocabulary has {vocab} ids")]
    Token {
        /// The id.
        found: u32,
        /// Size of the vocabulary.
        vocab: usize,
    },
    /// The sequence would become longer than the model's context.
    #[error("the sequence would have {found} tokens, the model's context is {context}")]
    Context {
        /// Length that was asked for.
        found: usize,
        /// Longest length.
        context: usize,
    },
    /// The tensor library failed.
    #[error(transparent)]
    Tensor(#[from] candle_core::Error),
}
