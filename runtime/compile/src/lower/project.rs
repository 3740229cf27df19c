//! Norms, projections and quantisation: the ways between the residual stream, codes and results.

use sagen_arith::scale::Scale;
use sagen_streamed_isa::{Add, CHUNK_ROWS, LANES, Load, Matmul, Matvec, Mul, Quant, WORD_BYTES, register};

use super::super::map::gain_bytes;
use super::super::numerics::{self, GATE_FRACTION, QUERY_FRACTION, linear_shift};
use super::{Lowering, name};
use crate::graph::{Buffer, Codes};
use sagen_checkpoint::model::{LayerTensor, TensorName};

impl Lowering<'_> {
    pub(super) fn load_gains(&mut self, layer: usize) {
        let words = (gain_bytes(self.model.config) / WORD_BYTES) as u64;
        let norms = if layer == self.model.config.layers { 1 } else { 2 };
        let load = Load {
            base: self.model.map.gains + layer as u64 * 2 * gain_bytes(self.model.config) as u64,
            rows: 1,
            row_words: norms * words,
            v: self.plan.scratch(Buffer::gains(layer)).base,
            ..Load::default()
        };
        self.push("load gains", load);
    }

    pub(super) fn norm(&mut self, gain: TensorName, to: Codes) {
        let config = self.model.config;
        let half_words = (gain_bytes(config) / WORD_BYTES) as u64;
        let (label, gains) = match gain {
            TensorName::Layer(layer, LayerTensor::AttnNorm) => {
                ("attn_norm", self.plan.scratch(Buffer::gains(layer)).base)
            }
            TensorName::Layer(layer, _) => ("ffn_norm", self.plan.scratch(Buffer::gains(layer)).base + half_words),
            TensorName::Embed | TensorName::FinalNorm | TensorName::Head => {
                ("final_norm", self.plan.scratch(Buffer::gains(config.layers)).base)
            }
        };
        let head = to == Codes::Head;
        let rows = if head { 1 } else { self.rows };
        let (residual, product) = (self.plan.scratch(Buffer::Residual), self.plan.scratch(Buffer::Product));
        let (shift, factor) = numerics::norm(config, self.model.gains[&gain]);
        let mul = Mul {
            rows,
            words: (config.hidden / LANES) as u64,
            a: residual.base,
            a_stride: residual.stride,
            a_reg: if head { self.head_register } else { register::ZERO },
            b: gains,
            b_half: 1,
            d: product.base,
            d_stride: product.stride,
            shift,
            write: 1,
            amax: 1,
            sum_squares: 1,
            ..Mul::default()
        };
        self.push(label, mul);
        self.quantise_normed(label, rows, factor, to);
    }

    /// Codes of the product with the gains; the root mean square enters only their scale.
    fn quantise_normed(&mut self, label: &str, rows: u64, factor: Scale, to: Codes) {
        let product = self.plan.scratch(Buffer::Product);
        let (codes, scales) = (self.plan.codes(to), self.plan.scales(to));
        let quant = Quant {
            rows,
            segments: 1,
            segment_words: product.stride,
            a: product.base,
            a_stride: product.stride,
            d: codes.base,
            d_stride: codes.stride,
            norm: 1,
            epsilon: self.model.numerics.epsilon,
            factor_mantissa: u64::from(factor.mantissa),
            factor_exponent: i64::from(factor.exponent),
            scale: scales.base,
            scale_stride: scales.stride,
            ..Quant::default()
        };
        self.push(format!("quantise {label}"), quant);
    }

    /// Results go to `to`, from channel `at` on.
    pub(super) fn linear(&mut self, matrix: usize, from: Codes, to: Buffer, at: usize) {
        self.stream_weights(matrix);
        let placed = self.model.map.matrices[matrix];
        let (codes, scales, y) = (self.plan.codes(from), self.plan.scales(from), self.plan.scratch(to));
        let (groups, blocks) = (placed.groups as u64, placed.blocks as u64);
        let shift = linear_shift(self.fraction(to));
        let y_base = y.base + (at / LANES) as u64;
        let label = self.model.graph.matrices[matrix].name.clone();
        if self.rows as usize == CHUNK_ROWS {
            let matmul = Matmul {
                x: codes.base,
                x_stride: codes.stride,
                rows: self.rows,
                groups,
                blocks,
                y: y_base,
                y_stride: y.stride,
                scale: scales.base,
                scale_stride: scales.stride,
                shift,
            };
            return self.push(label, matmul);
        }
        let matvec = Matvec {
            x: codes.base,
            x_stride: codes.stride,
            vectors: self.rows,
            groups,
            blocks,
            y: y_base,
            y_stride: y.stride,
            scale: scales.base,
            scale_stride: scales.stride,
            shift,
            write: 1,
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
            a: slot.row(first),
            a_stride: slot.stride,
            b_immediate: 1,
            immediate: 1,
            amax: 1,
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
            a: slot.row(first),
            a_stride: slot.stride,
            d: codes.row(first),
            d_stride: codes.stride,
            factor_mantissa: u64::from(factor.mantissa),
            factor_exponent: i64::from(factor.exponent),
            scale: scales.row(first),
            scale_stride: scales.stride,
            ..Quant::default()
        };
        self.push(format!("quantise {}", name(of)), quant);
    }

    pub(super) fn add(&mut self) {
        let (r, y) = (self.plan.scratch(Buffer::Residual), self.plan.scratch(Buffer::Projected));
        let add = Add {
            rows: self.rows,
            words: r.stride,
            a: r.base,
            a_stride: r.stride,
            b: y.base,
            b_stride: y.stride,
            d: r.base,
            d_stride: r.stride,
        };
        self.push("add", add);
    }
}
