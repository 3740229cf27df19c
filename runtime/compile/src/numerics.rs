//! Fixed-point formats and static scales: everything that turns real numbers into integers.
//!
//! Formats: keys and values in code units with 12 fraction bits, queries with 20 (in units of log2 scores a key code),
//! gate and up with 12, logits with 16; the residual stream has at most 12, so that it keeps eight times its
//! calibrated range; weighted values use 23 bits of their static range.

use sagen_arith::contract;
use sagen_arith::scale::Scale;

use super::calibration::{Calibration, LayerRange, pair_of};
use sagen_checkpoint::model::ModelConfig;

/// Fraction bits of keys and values before they become codes.
pub(crate) const CODE_FRACTION: i32 = 12;
/// Fraction bits of queries.
pub(crate) const QUERY_FRACTION: i32 = 20;
/// Fraction bits of gate, up and their product.
pub(crate) const GATE_FRACTION: i32 = contract::GATE_FRACTION as i32;
/// Fraction bits of logits.
pub(crate) const LOGIT_FRACTION: i32 = 16;
const SCORE_FRACTION: i32 = contract::SCORE_FRACTION as i32;
const GROUP_SHIFT: i32 = contract::GROUP_SHIFT as i32;
const ROW_SHIFT: i32 = contract::ROW_SHIFT as i32;
/// The residual may exceed its calibrated range by this factor.
const HEADROOM: f64 = 8.0;
const GREATEST_RESIDUAL_FRACTION: f64 = 12.0;
/// Static ranges exceed the calibrated ones by this factor; beyond it codes saturate.
const MARGIN: f64 = 1.1;
/// A pair of channels never seen to move gets this part of its head's range.
const LEAST_PAIR: f64 = 1e-3;
/// Ranges below count as this, so that heads that are zero have scales too. Exponents have 8 bits.
const LEAST_RANGE: f64 = 1.0 / (1u64 << 60) as f64;
/// Bits of the static range of weighted values.
const ATTENDED_BITS: f64 = 23.0;

/// Formats and scales of one layer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LayerNumerics {
    /// Real size of a key code, one a pair: `kv_heads * head_dim / 2`.
    key_steps: Vec<f64>,
    /// Real size of a value code, one a head.
    value_steps: Vec<f64>,
    /// Fraction bits of weighted values.
    pub(crate) attended: i32,
}

/// Formats and scales of a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numerics {
    /// Fraction bits of the residual stream.
    pub(crate) residual: i32,
    /// Added to the sum of squares of a norm.
    pub(crate) epsilon: u64,
    /// Layers.
    pub(crate) layers: Vec<LayerNumerics>,
}

impl Numerics {
    /// `embedding`: fraction bits of the embedding table.
    pub(crate) fn new(config: &ModelConfig, calibration: &Calibration, embedding: i32) -> Self {
        let range = f64::from(calibration.residual).max(LEAST_RANGE);
        let bits = (f64::from(i32::MAX) / (HEADROOM * range)).log2().floor();
        // Rows of the table that calibration did not meet must fit as well: 16 bits become 32.
        let residual = bits.min(GREATEST_RESIDUAL_FRACTION).min(f64::from(embedding + 16)) as i32;
        let unit = f64::from(2 * residual).exp2();
        let epsilon = config.hidden as f64 * unit * f64::from(config.norm_eps);
        Self {
            residual,
            epsilon: epsilon.round() as u64,
            layers: calibration.layers.iter().map(|l| LayerNumerics::new(config, l)).collect(),
        }
    }
}

impl LayerNumerics {
    fn new(config: &ModelConfig, range: &LayerRange) -> Self {
        let step = |amax: f64| MARGIN * amax.max(LEAST_RANGE) / 127.0;
        let key_steps = range
            .key_pairs
            .chunks_exact(config.head_dim / 2)
            .flat_map(|head| {
                let greatest = head.iter().fold(0f32, |m, x| m.max(*x));
                let least = f64::from(greatest) * LEAST_PAIR;
                head.iter().map(move |pair| step(f64::from(*pair).max(least)))
            })
            .collect();
        let value_steps: Vec<f64> = range.values.iter().map(|v| step(f64::from(*v))).collect();
        let greatest = value_steps.iter().fold(0f64, |m, s| m.max(*s)) * 127.0;
        let attended = (ATTENDED_BITS - greatest.log2()).floor() as i32;
        Self { key_steps, value_steps, attended }
    }

    /// Real size of the codes of a key channel; `channel` counts as the checkpoint does.
    fn key_step(&self, config: &ModelConfig, head: usize, channel: usize) -> f64 {
        let pair = pair_of(config.rope.pairing, config.head_dim, channel);
        self.key_steps[head * (config.head_dim / 2) + pair]
    }

    /// Factor on a row of k that makes its results code units.
    pub(crate) fn key_fold(&self, config: &ModelConfig, row: usize) -> f64 {
        1.0 / self.key_step(config, row / config.head_dim, row % config.head_dim)
    }

    /// Factor on a row of v that makes its results code units.
    pub(crate) fn value_fold(&self, config: &ModelConfig, row: usize) -> f64 {
        1.0 / self.value_steps[row / config.head_dim]
    }

    /// Factor on a row of q that makes its product with key codes a log2 score.
    pub(crate) fn query_fold(&self, config: &ModelConfig, row: usize) -> f64 {
        let head = row / config.head_dim / (config.heads / config.kv_heads);
        let step = self.key_step(config, head, row % config.head_dim);
        step * config.attention_scale() * std::f64::consts::LOG2_E
    }

    /// Scale of the value codes of a head.
    pub(crate) fn value_scale(&self, head: usize) -> Scale {
        Scale::from_f64(self.value_steps[head])
    }
}

/// `shift` of a projection whose result has that many fraction bits.
pub(crate) fn linear_shift(fraction: i32) -> i64 {
    i64::from(GROUP_SHIFT - ROW_SHIFT - fraction)
}

/// `shift` of attention scores.
pub(crate) fn score_shift() -> i64 {
    i64::from(GROUP_SHIFT - SCORE_FRACTION)
}

/// Factor that makes the recorded greatest magnitude of values with that many fraction bits the size of a code.
pub(crate) fn code_factor(fraction: i32) -> Scale {
    Scale::from_f64(f64::from(-fraction).exp2() / 127.0)
}

/// A norm: `shift` after gain times residual, and the factor of the scale of its codes.
pub(crate) fn norm(config: &ModelConfig, gain_fraction: i32) -> (u64, Scale) {
    // Gains fill 16 bits and the residual keeps three spare: the product then fills 32 bits at most.
    let shift = 12;
    let size = f64::from(shift - gain_fraction).exp2();
    let factor = (config.hidden as f64).sqrt() / 127.0 * size;
    (shift as u64, Scale::from_f64(factor))
}
