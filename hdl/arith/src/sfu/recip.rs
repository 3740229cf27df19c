//! Reciprocal of a mantissa: 64-entry seed and one Newton step, relative error <= 7.7e-5.

use crate::draw::{CASES, Draw};
use crate::scale::Scale;
use crate::tables::recip_seeds;
use std::sync::LazyLock;

static SEEDS: LazyLock<[u16; 64]> = LazyLock::new(recip_seeds);

/// About `2^31 / m` for m in [2^15, 2^16), clamped to [2^15, 2^16). A zero mantissa gives the value of 2^15.
pub fn recip_mantissa(m: u16) -> u16 {
    let seed = u64::from(SEEDS[usize::from(m >> 9) & 63]);
    let error = (1u64 << 32) - u64::from(m.max(1 << 15)) * seed;
    let refined = seed * (error >> 14);
    ((refined + (1 << 16)) >> 17).clamp(1 << 15, (1 << 16) - 1) as u16
}

/// About `1 / s`.
pub fn recip(s: Scale) -> Scale {
    Scale { mantissa: recip_mantissa(s.mantissa), exponent: -31 - s.exponent }
}

/// Zero and both ends of every seed's interval first, then seeded scales.
pub fn cases() -> impl Iterator<Item = Scale> {
    let ends = (0..64u16).flat_map(|i| [32768 + 512 * i, 32768 + 512 * i + 511, 32768 + 512 * i + 256]);
    let chosen = std::iter::once(0).chain(ends).map(|mantissa| Scale { mantissa, exponent: 0 });
    let mut draw = Draw::new(9);
    chosen.chain((0..CASES).map(move |_| draw.scale(-100..=80)))
}

/// An engine for `recip`.
pub fn check(mut engine: impl FnMut(Scale) -> Scale) {
    for s in cases() {
        assert_eq!(engine(s), recip(s), "{s:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mantissa_is_within_the_stated_error() {
        for m in 1u16 << 15..=u16::MAX {
            let exact = 2f64.powi(31) / f64::from(m);
            let error = f64::from(recip_mantissa(m)) / exact - 1.0;
            assert!(error.abs() <= 7.7e-5, "m = {m}: {error}");
        }
    }

    #[test]
    fn exponents_are_negated() {
        for s in cases().filter(|s| s.mantissa > 0) {
            let error = recip(s).to_f64() * s.to_f64() - 1.0;
            assert!(error.abs() <= 7.7e-5, "{s:?}: {error}");
        }
    }
}
