//! What a driver asks of a program: one run of a routine with its step registers.
//!
//! The same word serves whoever runs it and whoever only wants to know how long it takes.

use sagen_streamed_isa::CHUNK_ROWS;

use crate::RoutineKind;

/// Keys and values of one sequence in DDR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u16);

/// A row of a batch: one sequence and the token that extends it. A row of a chunk is only a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Row {
    /// The sequence.
    pub slot: Slot,
    /// Position of the token.
    pub position: usize,
    /// The token.
    pub token: u32,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The chunk of 16 positions that holds `first`, for new tokens from there on.
    Chunk {
        /// The sequence.
        slot: Slot,
        /// Position of the first new token.
        first: usize,
        /// The new tokens, at most as many as the chunk has positions from `first` on.
        tokens: Vec<u32>,
    },
    /// The token after a position of the last chunk.
    Head {
        /// The sequence.
        slot: Slot,
        /// Row in the chunk.
        row: usize,
    },
    /// One token for each of several sequences, and the tokens after them.
    Decode(Vec<Row>),
}

impl Step {
    /// What a prompt takes in an empty slot: its chunks, then the head.
    pub fn prompt(slot: Slot, tokens: &[u32]) -> impl Iterator<Item = Self> {
        let chunk = move |(first, tokens): (usize, &[u32])| Self::Chunk { slot, first, tokens: tokens.to_vec() };
        let chunks = (0..).step_by(CHUNK_ROWS).zip(tokens.chunks(CHUNK_ROWS)).map(chunk);
        let row = tokens.len().saturating_sub(1) % CHUNK_ROWS;
        chunks.chain([Self::Head { slot, row }])
    }

    /// One token at a position of the first slot, for questions of time: the token does not matter.
    #[must_use]
    pub fn decode_at(position: usize) -> Self {
        Self::Decode(vec![Row { position, ..Row::default() }])
    }

    /// The routine that does it, and the slot that it belongs to: that of the first row.
    #[must_use]
    pub fn routine(&self) -> (RoutineKind, Slot) {
        match self {
            Self::Chunk { slot, .. } => (RoutineKind::Prefill, *slot),
            Self::Head { slot, .. } => (RoutineKind::Head, *slot),
            Self::Decode(rows) => {
                let slot = rows.first().map_or(Slot::default(), |row| row.slot);
                (RoutineKind::Decode { rows: rows.len() }, slot)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_its_chunks_and_the_head_of_its_last_row() {
        let tokens: Vec<u32> = (0..21).collect();
        let slot = Slot(3);
        let steps: Vec<Step> = Step::prompt(slot, &tokens).collect();
        let chunk = |first, tokens: std::ops::Range<u32>| Step::Chunk { slot, first, tokens: tokens.collect() };
        assert_eq!(steps, [chunk(0, 0..16), chunk(16, 16..21), Step::Head { slot, row: 4 }]);
        assert_eq!(steps[0].routine(), (RoutineKind::Prefill, slot));
        assert_eq!(Step::decode_at(7).routine(), (RoutineKind::Decode { rows: 1 }, Slot(0)));
    }
}
