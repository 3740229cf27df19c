//! What comes before and beside the projections: embedding rows, RoPE tables, the gated product.

use std::ops::Range;

use sagen_streamed_isa::{GateFunction, Glu, LANES, Load, Mul, Rows, WORD_BYTES, register};

use super::super::map::{embedding_bytes, rope_bytes};
use super::super::numerics::GATE_FRACTION;
use super::Lowering;
use crate::graph::Buffer;
use sagen_checkpoint::model::Activation;

impl Lowering<'_> {
    /// Gather embedding rows, bring RoPE rows, and start the residual stream.
    pub(super) fn embed(&mut self, to: Buffer) {
        self.load_rows();
        let (embedding, residual) = (self.plan.scratch(Buffer::Embedding), self.plan.scratch(to));
        // The table may have more fraction bits than the residual stream, or fewer.
        let excess = self.model.embedding - self.model.numerics.residual;
        let mul = Mul {
            rows: self.rows,
            words: residual.stride,
            left_immediate: true,
            immediate: 1 << (-excess).max(0),
            shift: excess.max(0) as u64,
            right: embedding,
            right_half: true,
            to: residual,
            write: true,
            ..Mul::default()
        };
        self.push("embedding", mul);
    }

    /// Embedding rows of the step's tokens, RoPE rows of its positions.
    fn load_rows(&mut self) {
        let (config, map) = (self.model.config, self.model.map);
        let (embedding, table) = (self.plan.scratch(Buffer::Embedding), self.plan.scratch(Buffer::RopeTable));
        let row_bytes = embedding_bytes(config) as u64;
        let gather = Load {
            base: map.embedding,
            register: register::TOKEN,
            register_stride: row_bytes,
            gather: true,
            rows: self.rows,
            row_words: row_bytes / WORD_BYTES as u64,
            to: embedding,
            ..Load::default()
        };
        self.push("load embedding", gather);
        let rope = Load {
            base: map.rope,
            register: register::POSITION,
            register_stride: rope_bytes(config) as u64,
            rows: 1,
            row_words: self.rows * table.stride,
            to: Rows::at(table.base),
            ..Load::default()
        };
        self.push("load rope table", rope);
    }

    /// `channels` are those of the tile in `to`.
    pub(super) fn glu(&mut self, of: Buffer, to: Buffer, channels: Range<usize>, amax: bool) {
        let (gate_up, hidden) = (self.plan.scratch(of), self.plan.scratch(to));
        let words = (channels.len() / LANES) as u64;
        let function = match self.model.config.activation {
            Activation::Silu => GateFunction::Silu,
        };
        let glu = Glu {
            rows: self.rows,
            words,
            gate: gate_up,
            up: Rows { base: gate_up.base + words, stride: gate_up.stride },
            to: Rows { base: hidden.base + (channels.start / LANES) as u64, stride: hidden.stride },
            function,
            shift: GATE_FRACTION as u64,
            amax,
        };
        self.push("glu", glu);
    }
}
