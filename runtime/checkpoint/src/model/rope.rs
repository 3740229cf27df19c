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
            RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_context } => plain
                .map(|frequency| {
                    let turns = original_context * frequency / std::f64::consts::TAU;
                    let short = ((turns - low_freq_factor) / (high_freq_factor - low_freq_factor)).clamp(0.0, 1.0);
                    frequency * (short + (1.0 - short) / factor)
                })
                .collect(),
            RopeScaling::Divisors(divisors) => plain.zip(divisors).map(|(f, d)| f / f64::from(*d)).collect(),
        }
    }

    /// Cosine and sine of each pair's angle at a position.
    #[must_use]
    pub fn cos_sin(&self, head_dim: usize, position: usize) -> (Vec<f64>, Vec<f64>) {
        let angles = self.frequencies(head_dim).into_iter().map(|f| f * position as f64);
        angles.map(|angle| (angle.cos(), angle.sin())).unzip()
    }

    pub(super) fn check(&self, head_dim: usize) -> Result<(), ModelError> {
        if !(self.theta.is_finite() && self.theta > 1.0) {
            return Err(ModelError::field("rope.theta", self.theta, "above 1"));
        }
        match &self.scaling {
            RopeScaling::None => Ok(()),
            RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_context } => {
                if !(factor.is_finite() && *factor >= 1.0) {
                    return Err(ModelError::field("rope.factor", factor, "at least 1"));
                }
                if !(*low_freq_factor > 0.0 && high_freq_factor > low_freq_factor && high_freq_factor.is_finite()) {
                    let found = format!("{high_freq_factor} with low_freq_factor {low_freq_factor}");
                    return Err(ModelError::field(
                        "rope.high_freq_factor",
                        found,
                        "above low_freq_factor, both positive",
                    ));
                }
                if !(original_context.is_finite() && *original_context > 0.0) {
                    return Err(ModelError::field("rope.original_context", original_context, "positive"));
                }
                Ok(())
            }
            RopeScaling::Divisors(divisors) => {
                if divisors.len() != head_dim / 2 {
                    let allowed = format!("a list of {} (half of head_dim)", head_dim / 2);
                    return Err(ModelError::field("rope.divisors", format!("a list of {}", divisors.len()), allowed));
                }
                match divisors.iter().find(|d| !(d.is_finite() && **d > 0.0)) {
                    Some(bad) => Err(ModelError::field("rope.divisors", format!("a list with {bad}"), "all positive")),
                    None => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    const HEAD_DIM: usize = 64;

    fn llama_3_2() -> Rope {
        let scaling =
            RopeScaling::Llama3 { factor: 32.0, low_freq_factor: 1.0, high_freq_factor: 4.0, original_context: 8192.0 };
        Rope { theta: 5e5, pairing: RopePairing::HalfSplit, scaling }
    }

    fn plain() -> Rope {
        Rope { scaling: RopeScaling::None, ..llama_3_2() }
    }

    /// Position, pair, cosine and sine, worked out by hand from the published rule.
    type Turn = (usize, usize, f64, f64);

    fn turns(rope: &Rope, expected: &[Turn]) {
        for &(position, pair, cos, sin) in expected {
            let (cosines, sines) = rope.cos_sin(HEAD_DIM, position);
            let error = (cosines[pair] - cos).abs().max((sines[pair] - sin).abs());
            assert!(error < 1e-9, "position {position}, pair {pair}: off by {error}");
        }
    }

    #[test]
    fn llama3_scaling_turns_by_the_published_angles() {
        turns(
            &llama_3_2(),
            &[
                (0, 0, 1.0, 0.0),
                (0, 31, 1.0, 0.0),
                (1, 0, 0.540_302_305_868_139_8, 0.841_470_984_807_896_5),
                (1, 16, 0.999_999_907_740_480_6, 0.000_429_556_783_349_133_54),
                (1, 31, 0.999_999_999_999_995_6, 9.418_306_725_434_895e-8),
                (8192, 10, -0.839_387_463_751_510_6, -0.543_533_518_466_714_6),
                (8192, 16, -0.929_649_241_376_690_2, -0.368_445_773_496_920_87),
                (8192, 17, 0.700_068_478_361_660_8, 0.714_075_714_195_903),
                (8192, 31, 0.999_999_702_357_098_1, 0.000_771_547_610_399_062_2),
                (100_000, 10, -0.911_170_770_025_769, -0.412_028_916_279_728_2),
                (100_000, 16, 0.517_715_713_033_341_7, -0.855_552_710_520_151_7),
                (100_000, 31, 0.999_955_648_077_065_5, 0.009_418_167_485_018_515),
            ],
        );
    }

    #[test]
    fn without_scaling_all_pairs_keep_their_frequency() {
        turns(
            &plain(),
            &[
                (0, 16, 1.0, 0.0),
                (1, 31, 0.999_999_999_995_458_3, 3.013_858_152_134_608_7e-6),
                (8192, 16, 0.556_081_143_338_304_3, -0.831_128_005_799_085_3),
                (100_000, 17, 0.920_908_048_312_941_5, -0.389_779_895_008_002),
            ],
        );
    }

    #[test]
    fn stored_divisors_give_the_same_angles() {
        let ratio = plain().frequencies(HEAD_DIM).into_iter().zip(llama_3_2().frequencies(HEAD_DIM));
        let divisors = ratio.map(|(plain, scaled)| (plain / scaled) as f32).collect();
        let stored = Rope { scaling: RopeScaling::Divisors(divisors), ..llama_3_2() };
        for (stored, scaled) in stored.frequencies(HEAD_DIM).into_iter().zip(llama_3_2().frequencies(HEAD_DIM)) {
            assert!((stored / scaled - 1.0).abs() < 1e-7);
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let refusal = |rope: Rope| rope.check(HEAD_DIM).unwrap_err().to_string();
        let scaled = |factor, low_freq_factor, high_freq_factor, original_context| {
            let scaling = RopeScaling::Llama3 { factor, low_freq_factor, high_freq_factor, original_context };
            refusal(Rope { scaling, ..plain() })
        };
        expect!["`rope.theta` is NaN, but must be above 1"].assert_eq(&refusal(Rope { theta: f64::NAN, ..plain() }));
        expect!["`rope.factor` is 0.5, but must be at least 1"].assert_eq(&scaled(0.5, 1.0, 4.0, 8192.0));
        expect![
            "`rope.high_freq_factor` is 4 with low_freq_factor 4, but must be above low_freq_factor, both positive"
        ]
        .assert_eq(&scaled(8.0, 4.0, 4.0, 8192.0));
        expect!["`rope.original_context` is 0, but must be positive"].assert_eq(&scaled(8.0, 1.0, 4.0, 0.0));
        expect!["`rope.divisors` is a list of 31, but must be a list of 32 (half of head_dim)"]
            .assert_eq(&refusal(Rope { scaling: RopeScaling::Divisors(vec![1.0; 31]), ..plain() }));
        expect!["`rope.divisors` is a list with 0, but must be all positive"]
            .assert_eq(&refusal(Rope { scaling: RopeScaling::Divisors(vec![0.0; 32]), ..plain() }));
    }
}
