//! Why tokens cannot be generated.

use sagen_streamed_arch::DeviceError;

/// A failed prompt or step.
#[derive(Debug, thiserror::Error)]
pub enum GenerateError {
    /// Nothing to start from.
    #[error("the prompt has 0 tokens, at least 1 is needed")]
    EmptyPrompt,
    /// The sequence would not fit the compiled context.
    #[error("the sequence would have {found} tokens, the program was compiled for a context of {allowed}")]
    Context {
        /// Length that was asked for.
        found: usize,
        /// Longest length.
        allowed: usize,
    },
    /// A token id that the embedding has no row for.
    #[error("token id is {found}, the vocabulary has {vocab} ids")]
    Token {
        /// The id.
        found: u32,
        /// Size of the vocabulary.
        vocab: usize,
    },
    /// Logits of a program that was compiled without them.
    #[error("the program was compiled without logits")]
    NoLogits,
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
