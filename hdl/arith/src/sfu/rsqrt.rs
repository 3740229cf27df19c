//! Reciprocal square root: 192-entry seed over [1, 4) and one Newton step, relative error <= 5.1e-5.

use crate::draw::{CASES, Draw};
use crate::scale::Scale;
use crate::tables::rsqrt_seeds;
use std::sync::LazyLock;

static SEEDS: LazyLock<[u16; 192]> = LazyLock::new(rsqrt_seeds);

/// About `2^16 / sqrt(v / 2^15)` for v in [2^15, 2^17), clamped to [2^15, 2^16).
pub fn rsqrt_mantissa(v: u32) -> u16 {
    let seed = u64::from(SEEDS[(v >> 9) as usize - 64]);
    let square = (seed * seed) >> 15;
    let error = 3 * (1u64 << 32) - square * u64::from(v);
    let refined = (seed * (error >> 17) + (1 << 15)) >> 16;
    refined.clamp(1 << 15, (1 << 16) - 1) as u16
}

/// About `1 / sqrt(s)`; a zero scale is taken as 1.
pub fn rsqrt(s: Scale) -> Scale {
    let (mantissa, e) = match s.mantissa {
        0 => (1u32 << 15, -15),
        m => (u32::from(m), s.exponent),
    };
    // v * 2^even, v in [1, 4) as Q15.
    let odd = (e + 15) & 1;
    let even = e + 15 - odd;
    Scale { mantissa: rsqrt_mantissa(mantissa << odd), exponent: -16 - even / 2 }
}

/// Zero and both ends of every seed's interval at both parities first, then seeded scales.
pub fn cases() -> impl Iterator<Item = Scale> {
    let ends = (0..64u16).flat_map(|i| [32768 + 512 * i, 32768 + 512 * i + 511]);
    let chosen = std::iter::once(0).chain(ends);
    let chosen = chosen.flat_map(|mantissa| [-16, -15, -1, 0, 7, 64].map(|exponent| Scale { mantissa, exponent }));
    let mut draw = Draw::new(10);
    chosen.chain((0..CASES).map(move |_| draw.scale(-60..=64)))
}

/// An engine for `rsqrt`.
pub fn check(mut engine: impl FnMut(Scale) -> Scale) {
    for s in cases() {
        assert_eq!(engine(s), rsqrt(s), "{s:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_argument_is_within_the_stated_error() {
        for v in 1u32 << 15..1 << 17 {
            let exact = 65536.0 / (f64::from(v) / 32768.0).sqrt();
            let error = f64::from(rsqrt_mantissa(v)) / exact - 1.0;
            assert!(error.abs() <= 5.1e-5, "v = {v}: {error}");
        }
    }

    #[test]
    fn odd_and_even_exponents_agree_with_real_arithmetic() {
        for s in cases().filter(|s| s.mantissa > 0) {
            let error = rsqrt(s).to_f64() * s.to_f64().sqrt() - 1.0;
            assert!(error.abs() <= 5.1e-5, "{s:?}: {error}");
        }
        assert_eq!(rsqrt(Scale::default()), rsqrt(Scale { mantissa: 1 << 15, exponent: -15 }));
    }
}
