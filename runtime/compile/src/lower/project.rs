//! Norms, projections and quantisation: the ways between the residual stream, codes and results.

use sagen_arith::scale::Scale;
use sagen_streamed_isa::{Add, CHUNK_ROWS, LANES, Load, Matmul, Matvec, Mul, Quant, Rows, WORD_BYTES, register};

use super::super::gains;
use super::super::numerics::{self, GATE_FRACTION, QUERY_FRACTION, linear_shift};
use super::{Lowering, name};
use crate::graph::{Buffer, Codes};
use sagen_checkpoint::model::NormGain;

impl Lowering<'_> {
    pub(super) fn load_gains(&mut self, layer: usize) {
        let config = self.model.config;
        let load = Load {
            base: self.model.map.gains + gains::layer_at(config, layer) as u64,
            rows: 1,
            row_words: (gains::layer_bytes(config, layer) / WORD_BYTES) as u64,
            to: Rows::at(self.plan.scratch(Buffer::gains(layer)).base),
            ..Load::default()
        };
        self.push("load gains", load);
    }

    pub(super) fn norm(&mut self, of: Buffer, gain: NormGain, to: Codes) {
        let config = self.model.config;
        let (layer, before) = gains::at(config, gain);
        let gains = self.plan.scratch(Buffer::gains(layer)).base + (before / WORD_BYTES) as u64;
        let head = to == Codes::Head;
        let rows = if head { 1 } else { self.rows };
        let (of, product) = (self.plan.scratch(of), self.plan.scratch(Buffer::Product));
        let (shift, factor) = numerics::norm(config, self.model.gains[&gain]);
        let mul = Mul {
            rows,
            words: (config.hidden / LANES) as u64,
            left: of,
            left_register: if head { self.head_register } else { register::ZERO },
            right: Rows::at(gains),
            right_half: true,
            to: product,
            shift,
            write: true,
            amax: true,
            sum_squares: true,
            ..Mul::default()
        };
        self.push(gain.name(), mul);
        self.quantise_normed(gain.name(), rows, factor, to);
    }

    /// Codes of the product with the gains; the root mean square enters only their scale.
    fn quantise_normed(&mut self, label: &str, rows: u64, factor: Scale, to: Codes) {
        let product = self.plan.scratch(Buffer::Product);
        let (codes, scales) = (self.plan.codes(to), self.plan.scales(to));
        let quant = Quant {
            rows,
            segments: 1,
            segment_words: product.stride,
            from: product,
            to: codes,
            norm: true,
            epsilon: self.model.numerics.epsilon,
            factor_mantissa: u64::from(factor.mantissa),
            factor_exponent: i64::from(factor.exponent),
            scales,
            ..Quant::default()
        };
        self.push(format!("quantise {label}"), quant);
    }

    /// Results go to `to`, from channel `at` on.
    pub(super) fn linear(&mut self, matrix: usize, from: Codes, to: Buffer, at: usize) {
        self.stream_weights(matrix);
        let placed = self.model.map.matrices[matrix];
        let (codes, scales, y) = (self.plan.codes(from), self.plan.scales(from), self.plan.scratch(to));
        let (groups, blocks) = (placed.block.groups as u64, placed.blocks as u64);
        let shift = linear_shift(self.fraction(to));
        let y_base = y.base + (at / LANES) as u64;
        let label = self.model.graph.matrices[matrix].name.clone();
        if self.rows as usize == CHUNK_ROWS {
            let matmul = Matmul {
                codes,
                rows: self.rows,
                groups,
                blocks,
                to: Rows { base: y_base, stride: y.stride },
                scales,
                shift,
            };
            return self.push(label, matmul);
        }
        let matvec = Matvec {
            codes,
            vectors: self.rows,
            groups,
            blocks,
            to: Rows { base: y_base, stride: y.stride },
            scales,
            shift,
            write: true,
            ..Matvec::default()
        };
        self.push(label, matvec);
    }

    /// Fraction bits of a value.
    pub(super) fn fraction(&self, buffer: Buffer) -> i32 {
        match buffer {
            Buffer::Key | Buffer::Value => numerics::CODE_FRACTION,
            Buffer::Query => QUERY_FRACTION,
            Buffer::GateUp | Buffer::GateUpOdd | Buffer::Hidden => GATE_FRACTION,
            Buffer::Attended => self.model.numerics.layers[self.layer()].attended,
            Buffer::Logits | Buffer::LogitsOdd => numerics::LOGIT_FRACTION,
            Buffer::Residual | Buffer::Product | Buffer::Projected => self.model.numerics.residual,
            Buffer::Embedding
            | Buffer::RopeTable
            | Buffer::GainsEven
            | Buffer::GainsOdd
            | Buffer::KeyCodes
            | Buffer::ValueCodes => 0,
        }
    }

    /// Record the greatest magnitudes of some rows: a product with one that is not written.
    pub(super) fn amax(&mut self, of: Buffer, first: u64, rows: u64) {
        let slot = self.plan.scratch(of);
        let mul = Mul {
            rows,
            words: slot.stride,
            left: slot.from_row(first),
            right_immediate: true,
            immediate: 1,
            amax: true,
            ..Mul::default()
        };
        self.push(format!("amax {}", name(of)), mul);
    }

    /// Codes of some rows, one scale a query head or one in all.
    pub(super) fn quantise(&mut self, of: Buffer, to: Codes, first: u64, rows: u64) {
        let (slot, codes, scales) = (self.plan.scratch(of), self.plan.codes(to), self.plan.scales(to));
        let factor = numerics::code_factor(self.fraction(of));
        let quant = Quant {
            rows,
            segments: scales.stride,
            segment_words: slot.stride / scales.stride,
            from: slot.from_row(first),
            to: codes.from_row(first),
            factor_mantissa: u64::from(factor.mantissa),
            factor_exponent: i64::from(factor.exponent),
            scales: scales.from_row(first),
            ..Quant::default()
        };
        self.push(format!("quantise {}", name(of)), quant);
    }

    pub(super) fn add(&mut self, a: Buffer, b: Buffer, to: Buffer) {
        let [left, right, to] = [a, b, to].map(|buffer| self.plan.scratch(buffer));
        let add = Add { rows: self.rows, words: to.stride, left, right, to };
        self.push("add", add);
    }
}
