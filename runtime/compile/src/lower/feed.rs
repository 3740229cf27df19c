//! What comes before and beside the projections: embedding rows, RoPE tables, the gated product.

use sagen_streamed_isa::{Glu, LANES, Load, Mul, WORD_BYTES, register};

use super::super::map::{gain_bytes, rope_bytes};
use super::super::numerics::GATE_FRACTION;
use super::Lowering;
use crate::graph::Buffer;
use sagen_checkpoint::model::Activation;

impl Lowering<'_> {
    /// Gather embedding rows, bring RoPE rows, and start the residual stream.
    pub(super) fn embed(&mut self) {
        self.load_rows();
        let (embedding, residual) = (self.plan.scratch(Buffer::Embedding), self.plan.scratch(Buffer::Residual));
        // The table may have more fraction bits than the residual stream, or fewer.
        let excess = self.model.embedding - self.model.numerics.residual;
        let mul = Mul {
            rows: self.rows,
            words: residual.stride,
            a_immediate: 1,
            immediate: 1 << (-excess).max(0),
            shift: excess.max(0) as u64,
            b: embedding.base,
            b_stride: embedding.stride,
            b_half: 1,
            d: residual.base,
            d_stride: residual.stride,
            write: 1,
            ..Mul::default()
        };
        self.push("embedding", mul);
    }

    /// Embedding rows of the step's tokens, RoPE rows of its positions.
    fn load_rows(&mut self) {
        let (config, map) = (self.model.config, self.model.map);
        let (embedding, table) = (self.plan.scratch(Buffer::Embedding), self.plan.scratch(Buffer::RopeTable));
        let row_bytes = gain_bytes(config) as u64;
        let gather = Load {
            base: map.embedding,
            reg: register::TOKEN,
            reg_stride: row_bytes,
            reg_step: 1,
            rows: self.rows,
            row_words: row_bytes / WORD_BYTES as u64,
            v: embedding.base,
            v_stride: embedding.stride,
            ..Load::default()
        };
        self.push("load embedding", gather);
        let rope = Load {
            base: map.rope,
            reg: register::POSITION,
            reg_stride: rope_bytes(config) as u64,
            rows: 1,
            row_words: self.rows * table.stride,
            v: table.base,
            ..Load::default()
        };
        self.push("load rope table", rope);
    }

    pub(super) fn glu(&mut self, of: Buffer, at: usize, channels: usize, amax: bool) {
        let (gate_up, hidden) = (self.plan.scratch(of), self.plan.scratch(Buffer::Hidden));
        let words = (channels / LANES) as u64;
        let function = match self.model.config.activation {
            Activation::Silu => 0,
        };
        let glu = Glu {
            rows: self.rows,
            words,
            a: gate_up.base,
            a_stride: gate_up.stride,
            b: gate_up.base + words,
            b_stride: gate_up.stride,
            d: hidden.base + (at / LANES) as u64,
            d_stride: hidden.stride,
            function,
            shift: GATE_FRACTION as u64,
            amax: u64::from(amax),
        };
        self.push("glu", glu);
    }
}
