//! Seeded random weights, for tests of models whose checkpoint is not at hand.

use crate::model::TensorName;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// A tensor of random weights; equal arguments give equal weights.
pub(super) fn tensor(seed: u64, name: TensorName, rows: usize, columns: usize) -> Vec<f32> {
    let mut random = SplitMix64::seed_from_u64(seed ^ stream(name));
    // Uniform on +-sqrt(3) has variance one.
    let mut uniform = || (random.next_u64() >> 40) as f32 / (1 << 23) as f32 * 3f32.sqrt() - 3f32.sqrt();
    let is_gain = match name {
        TensorName::Norm(_) => true,
        TensorName::Embed | TensorName::Head | TensorName::Layer(..) => false,
    };
    if is_gain {
        (0..rows * columns).map(|_| 1.0 + 0.1 * uniform()).collect()
    } else {
        let scale = 1.0 / (columns as f32).sqrt();
        (0..rows * columns).map(|_| scale * uniform()).collect()
    }
}

/// A number per tensor, so that no two share their weights (FNV-1a of the name).
fn stream(name: TensorName) -> u64 {
    name.to_string()
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::LayerTensor;

    #[test]
    fn weights_depend_on_seed_and_name_alone() {
        let q = |seed, layer| tensor(seed, TensorName::Layer(layer, LayerTensor::Q), 4, 16);
        assert_eq!(q(1, 0), q(1, 0));
        assert_ne!(q(1, 0), q(2, 0));
        assert_ne!(q(1, 0), q(1, 1));
    }

    #[test]
    fn weights_of_a_seed_are_the_same_in_every_release() {
        let weights = tensor(1, TensorName::Layer(0, LayerTensor::Q), 1, 4);
        expect_test::expect!["[0.5342508, 0.58004254, -0.70625365, -0.7878411]"].assert_eq(&format!("{weights:?}"));
    }
}
