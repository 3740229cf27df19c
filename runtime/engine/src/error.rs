//! Why a sequence cannot be extended.

use sagen_streamed_arch::step::Slot;
use sagen_streamed_arch::{DeviceError, RoutineKind};

/// A refused or failed step.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
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
    /// A sequence that there is no room for.
    #[error("slot {} does not exist, the program was compiled for {slots}, numbered from 0", found.0)]
    Slot {
        /// The slot.
        found: Slot,
        /// How many there are.
        slots: usize,
    },
    /// More sequences at once than the program can extend.
    #[error("a decode of {found} rows was asked for, the program was compiled for 1 to {allowed}")]
    Rows {
        /// Rows asked for.
        found: usize,
        /// Greatest number.
        allowed: usize,
    },
    /// More tokens than are left in a chunk.
    #[error("{found} tokens do not fit the chunk: {allowed} of its positions are free")]
    Chunk {
        /// Tokens given.
        found: usize,
        /// Positions left.
        allowed: usize,
    },
    /// A step that does not continue its sequence.
    #[error("the step is at position {found}, slot {} continues at {expected}", slot.0)]
    Position {
        /// The sequence.
        slot: Slot,
        /// Position of the step.
        found: usize,
        /// Where the sequence ends.
        expected: usize,
    },
    /// A sequence that is shorter than what should be kept of it.
    #[error("slot {} holds {found} tokens, {asked} cannot be kept", slot.0)]
    Short {
        /// The sequence.
        slot: Slot,
        /// Its length.
        found: usize,
        /// What was asked for.
        asked: usize,
    },
    /// A head without its chunk.
    #[error("row {row} of slot {} is not in the device: its last run is no chunk with such a row", slot.0)]
    NoChunk {
        /// The sequence.
        slot: Slot,
        /// The row.
        row: usize,
    },
    /// A program without what a step needs.
    #[error("the program has no routine {kind} for slot {}", slot.0)]
    NoRoutine {
        /// What was asked for.
        kind: RoutineKind,
        /// Of which slot.
        slot: Slot,
    },
    /// Logits of a program that was compiled without them.
    #[error("the program was compiled without logits")]
    NoLogits,
    /// Somebody wants no more.
    #[error("cancelled")]
    Cancelled,
    /// The thread of an engine is gone; it panicked.
    #[error("the engine has failed and takes no more steps")]
    Ended,
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
