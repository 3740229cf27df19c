//! `2^z` for z <= 0 and the softmax numerator.

use crate::contract::SCORE_FRACTION;
use crate::draw::{CASES, Draw};
use crate::tables::{Segment, exp2_segments};
use std::sync::LazyLock;

static SEGMENTS: LazyLock<[Segment; 64]> = LazyLock::new(exp2_segments);

/// `2^z` in Q15 for z <= 0 in Q12: 32768 at 0, 0 below -16 or so. Absolute error <= 3.17e-5.
pub fn exp2(z: i64) -> u32 {
    let whole = (-z + (1 << SCORE_FRACTION) - 1) >> SCORE_FRACTION;
    if whole > 16 {
        return 0;
    }
    let fraction = (z + (whole << SCORE_FRACTION)) as u32;
    let segment = SEGMENTS[(fraction >> 6) as usize];
    let y = segment.base + ((u32::from(segment.slope) * (fraction & 63)) >> 6);
    match whole {
        0 => y,
        n => (y + (1 << (n - 1))) >> n,
    }
}

/// Softmax numerator in 8 bits: round(255 * 2^(z - max)).
pub fn weight(z: i32, max: i32) -> u8 {
    ((255 * exp2(i64::from(z) - i64::from(max)) + (1 << 14)) >> 15) as u8
}

/// One score and the maximum of its row, at least as great.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Score, Q12.
    pub z: i32,
    /// Greatest score, Q12.
    pub max: i32,
}

/// Both ends of every segment and of the range first, then seeded differences.
pub fn cases() -> impl Iterator<Item = Case> {
    let ends = (0..=18 * 64).flat_map(|i| [64 * i, 64 * i + 1, 64 * i + 63]);
    let chosen = ends.map(|below| Case { z: -below, max: 0 });
    let far = [(i32::MIN, i32::MAX), (i32::MAX, i32::MAX), (i32::MIN, i32::MIN), (0, i32::MAX)];
    let mut draw = Draw::new(11);
    let seeded = (0..CASES).map(move |_| {
        let max = draw.signed(30) as i32;
        Case { z: max - draw.unsigned(18) as i32, max }
    });
    chosen.chain(far.map(|(z, max)| Case { z, max })).chain(seeded)
}

/// An engine for `weight`.
pub fn check(mut engine: impl FnMut(Case) -> u8) {
    for c in cases() {
        assert_eq!(engine(c), weight(c.z, c.max), "{c:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented bound; 0.997 of it is reached at z = -96.
    const BOUND: f64 = 3.17e-5;

    #[test]
    fn the_error_is_within_the_stated_bound() {
        let error = |z: i64| (f64::from(exp2(z)) / 32768.0 - (z as f64 / 4096.0).exp2()).abs();
        let worst = (-80_000..=0).map(error).fold(0.0, f64::max);
        assert!((0.99 * BOUND..=BOUND).contains(&worst), "{worst}");
        assert_eq!((exp2(0), exp2(-17 << 12), exp2(-(1 << 33))), (32768, 0, 0));
    }

    #[test]
    fn weights_are_real_ones_rounded() {
        for c in cases() {
            let real = 255.0 * ((f64::from(c.z) - f64::from(c.max)) / 4096.0).exp2();
            let error = f64::from(weight(c.z, c.max)) - real;
            assert!(error.abs() <= 0.5 + 255.0 * BOUND, "{c:?}: {error}");
        }
        assert_eq!((weight(5, 5), weight(i32::MIN, i32::MAX)), (255, 0));
    }
}
