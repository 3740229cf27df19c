//! What takes time in a vector descriptor; see `docs/units/vector.md`.

use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{LANES, VectorOperation};

/// The words of a descriptor and what comes before the first and after the last.
pub(super) struct Work {
    words: u64,
    /// Stages from the first word in to `done`, and the additional ones of a deep pipeline.
    latency: u64,
    deep: u64,
}

impl Work {
    pub(super) fn of(operation: VectorOperation) -> Self {
        match operation {
            VectorOperation::Mul(o) => Self::elementwise(o.rows, o.words),
            VectorOperation::Add(o) => Self::elementwise(o.rows, o.words),
            VectorOperation::Rope(o) => Self { words: o.rows * o.words, latency: 8, deep: 8 },
            VectorOperation::Glu(o) => Self { words: o.rows * o.words, latency: 11, deep: 11 },
            VectorOperation::Quant(o) => {
                // The scan of the first segment is not hidden, and waits for the last amax of the descriptor before.
                let latency = if o.fixed { 7 } else { o.segment_words / 4 + 13 };
                Self { words: o.rows * o.segments * o.segment_words, latency, deep: 8 }
            }
        }
    }

    fn elementwise(rows: u64, words: u64) -> Self {
        Self { words: rows * words, latency: 7, deep: 8 }
    }

    /// Cycles from acceptance by an idle unit to `done`, and how many of them a descriptor before it hides.
    pub(super) fn cycles(&self, overlay: &StreamedConfig) -> (u64, u64) {
        let words = self.words * (LANES / overlay.vector_lanes()) as u64;
        match overlay.deep_pipeline() {
            true => (words + self.latency + self.deep, 5),
            false => (words + self.latency, 1),
        }
    }
}
