//! Choosing a token from logits.
//!
//! A choice depends on nothing but the logits, the seed and the position, so that a sequence is the same alone and
//! among others, and on every machine: the exponential is a portable one.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// How a token is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// What logits are divided by; 0 takes the greatest, the lowest id of equals.
    pub temperature: f64,
    /// Same seed, same draws.
    pub seed: u64,
}

impl Sampling {
    /// The token of a position.
    #[must_use]
    pub fn choose(&self, logits: &[f32], position: usize) -> u32 {
        let greatest = greatest(logits);
        if self.temperature == 0.0 {
            return greatest as u32;
        }
        let top = f64::from(logits[greatest]);
        let weights: Vec<f64> =
            logits.iter().map(|logit| libm::exp((f64::from(*logit) - top) / self.temperature)).collect();
        let mut left = self.draw(position) * weights.iter().sum::<f64>();
        let chosen = weights.iter().position(|weight| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a crumb after the last weight.
        chosen.unwrap_or(greatest) as u32
    }

    /// Uniform in 0 to 1, without 1.
    fn draw(&self, position: usize) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(position as u64);
        (rng.next_u64() >> 11) as f64 * (-53f64).exp2()
    }
}

/// Index of the greatest logit, the lowest of equals.
fn greatest(logits: &[f32]) -> usize {
    (0..logits.len()).fold(0, |best, i| if logits[i] > logits[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOGITS: [f32; 4] = [0.0, 2.0, 2.0, -30.0];

    #[test]
    fn without_temperature_the_lowest_id_of_the_greatest_is_taken() {
        assert_eq!(Sampling { temperature: 0.0, seed: 5 }.choose(&LOGITS, 9), 1);
    }

    #[test]
    fn tokens_are_drawn_as_often_as_their_probability_says() {
        let sampling = Sampling { temperature: 2.0, seed: 1 };
        let mut counts = [0; 4];
        (0..4000).for_each(|position| counts[sampling.choose(&LOGITS, position) as usize] += 1);
        // e^0, e^1, e^1 of 6.44 parts.
        let expected = [621.0, 1689.0, 1689.0, 0.0];
        let near = |(found, expected): (&i32, &f64)| (f64::from(*found) - expected).abs() < 100.0;
        assert!(counts.iter().zip(&expected).all(near), "{counts:?}");
    }

    #[test]
    fn a_draw_depends_on_seed_and_position_alone() {
        let draws =
            |seed| (0..32).map(|at| Sampling { temperature: 9.0, seed }.choose(&LOGITS, at)).collect::<Vec<_>>();
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
    }
}
