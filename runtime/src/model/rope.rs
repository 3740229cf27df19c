//! Rotary position embedding: which channels form a pair and by what angle a pair turns at a position.
//!
//! Angles are worked out in f64; tables of any precision are made from them.

use super::ModelError;

/// Which channels of a head are turned together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RopePairing {
    /// Channels `2i` and `2i + 1`; GGUF files of the llama architecture.
    Interleaved,
    /// Channels `i` and `i + head_dim / 2`; Hugging Face checkpoints.
    HalfSplit,
}

/// Change of the base frequencies for contexts longer than the first training's.
#[derive(Debug, Clone, PartialEq)]
pub enum RopeScaling {
    /// Plain frequencies.
    None,
    /// Llama 3: long wavelengths are stretched by `factor`, short ones kept, those between blended.
    Llama3 {
        /// Stretch of long wavelengths.
        factor: f64,
        /// Wavelengths above `original_context / low_freq_factor` are long.
        low_freq_factor: f64,
        /// Wavelengths below `original_context / high_freq_factor` are short.
        high_freq_factor: f64,
        /// Context of the first training.
        original_context: f64,
    },
    /// One divisor per pair, as GGUF files store the effect of the above.
    Divisors(Vec<f32>),
}

/// Rotary position embedding of every layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Rope {
    /// Base of the frequencies.
    pub theta: f64,
    /// Which channels form a pair.
    pub pairing: RopePairing,
    /// Change of the frequencies.
    pub scaling: RopeScaling,
}

impl Rope {
    /// Angle per position of each of the `head_dim / 2` pairs, in radians.
    #[must_use]
    pub fn frequencies(&self, head_dim: usize) -> Vec<f64> {
        let plain = (0..head_dim / 2).map(|i| self.theta.powf(-2.0 * i as f64 / head_dim as f64));
        match &self.scaling {
            RopeScaling::None => plain.collect(),
            RopeScaling::Llama3 {
                factor,
                low_freq_factor,
                high_freq_factor,
                original_context,
            } => plain
                .map(|frequency| {
                    let turns = original_context * frequency / std::f64::consts::TAU;
                    let short = ((turns - low_freq_factor) / (high_freq_factor - low_freq_factor))
                        .clamp(0.0, 1.0);
                    frequency * (short + (1.0 - short) / factor)
                })
                .collect(),
            RopeScaling::Divisors(divisors) => plain
                .zip(divisors)
                .map(|(f, d)| f / f64::from(*d))
                .collect(),
        }
    }

    /// Cosine and sine of each pair's angle at a position.
    #[must_use]
    pub fn cos_sin(&self, head_dim: usize, position: usize) -> (Vec<f64>, Vec<f64>) {
        let angles = self
            .frequencies(head_dim)
            .into_iter()
            .map(|f| f * position as f64);
        angles.map(|angle| (angle.cos(), angle.sin())).unzip()
    }

    pub(super) fn check(&self, head_dim: usize) -> Result<(), ModelError> {
        if !(self.theta.is_finite() && self.theta > 1.0) {
            return Err(ModelError::field("rope.theta", self.theta, "above 1"));
        }
        match &self.scaling {
            RopeScaling::None => Ok(()),
            RopeScaling::Llama3 {
                factor,
                low_freq_factor,
                high_freq_factor,
                original_context,
            } => {
                if !(factor.is_finite() && *factor >= 1.0) {
                    return Err(ModelError::field("rope.factor", factor, "at least 1"));
                }
                if !(*low_freq_factor > 0.0
                    && high_freq_factor > low_freq_factor
                    && high_freq_factor.is_finite())
                {
                    let found =
                        format!("{high_freq_factor} with low_freq_factor {low_freq_factor}");
                    return Err(ModelError::field(
                        "rope.high_freq_factor",
                        found,
                        "above low_freq_factor, both positive",
                    ));
                }
                if !(original_context.is_finite() && *original_context > 0.0) {
                    return Err(ModelError::field(
                        "rope.original_context",
                        original_context,
                        "positive",
                    ));
                }
                Ok(())
            }
            RopeScaling::Divisors(divisors) => {
                if divisors.len() != head_dim / 2 {
                    let allowed = format!("{} (half of head_dim)", head_dim / 2);
                    return Err(ModelError::field(
                        "number of RoPE divisors",
                        divisors.len(),
                        allowed,
                    ));
                }
                match divisors.iter().find(|d| !(d.is_finite() && **d > 0.0)) {
                    Some(bad) => Err(ModelError::field("a RoPE divisor", bad, "positive")),
                    None => Ok(()),
                }
            }
        }
    }
}
