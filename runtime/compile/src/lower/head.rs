//! The head: next token by an argmax on the fly, and logits to DDR where asked for.

use sagen_streamed_isa::{BLOCK_ROWS, Loop, Matvec, Rows, Store, WORD_BYTES, register};

use super::super::numerics::{LOGIT_FRACTION, linear_shift};
use super::super::plan::LOGIT_BLOCKS;
use super::Lowering;
use crate::graph::{Buffer, Codes};

impl Lowering<'_> {
    pub(super) fn head(&mut self, matrix: usize, from: Codes, logits: bool) {
        self.stream_weights(matrix);
        let placed = self.model.map.matrices[matrix];
        let (codes, scales) = (self.plan.codes(from), self.plan.scales(from));
        let whole = Matvec {
            codes: Rows::at(codes.base),
            vectors: 1,
            groups: placed.block.groups as u64,
            blocks: placed.blocks as u64,
            scales: Rows::at(scales.base),
            shift: linear_shift(LOGIT_FRACTION),
            argmax: true,
            argmax_first: true,
            id_limit: self.model.config.vocab as u64,
            register: register::NEXT_TOKEN,
            ..Matvec::default()
        };
        if !logits {
            return self.push("head", whole);
        }
        for first in (0..placed.blocks).step_by(LOGIT_BLOCKS) {
            self.logits(first, LOGIT_BLOCKS.min(placed.blocks - first), whole);
        }
    }

    /// A run of blocks, of which the scratchpad holds two.
    fn logits(&mut self, first: usize, blocks: usize, whole: Matvec) {
        let odd = (first / LOGIT_BLOCKS) % 2 == 1;
        let slot = self.plan.scratch(if odd { Buffer::LogitsOdd } else { Buffer::Logits });
        let matvec = Matvec {
            blocks: blocks as u64,
            to: Rows { base: slot.base, ..whole.to },
            write: true,
            argmax_first: first == 0,
            id_base: (first * BLOCK_ROWS) as u64,
            ..whole
        };
        self.push("head", matvec);
        let piece = self.model.overlay.port_bytes();
        let output = self.model.map.logits.expect("a program with logits has a region for them");
        let store = Store {
            base: output + (first * WORD_BYTES) as u64,
            from: slot.base * WORD_BYTES as u64,
            beats: (blocks * WORD_BYTES / piece) as u64,
            from_stride: piece as u64,
            inner: Loop::ONCE,
            middle: Loop::ONCE,
            outer: Loop::ONCE,
            ..Store::default()
        };
        self.push("store logits", store);
    }
}
