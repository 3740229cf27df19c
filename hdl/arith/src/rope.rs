//! Rotary position embedding of one pair, tables in Q15.

use crate::contract::ROPE_FRACTION;
use crate::draw::{CASES, Draw};
use crate::fixed::{rsh, sat32};

/// `(x cos - y sin, x sin + y cos)`, each rounded once and saturated.
pub fn rotate(x: i32, y: i32, cos: i16, sin: i16) -> (i32, i32) {
    let (x, y, cos, sin) = (i64::from(x), i64::from(y), i64::from(cos), i64::from(sin));
    let scaled = |sum: i64| sat32(rsh(sum, ROPE_FRACTION as i32));
    (scaled(x * cos - y * sin), scaled(x * sin + y * cos))
}

/// One pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Element of the first half.
    pub x: i32,
    /// Element of the second half.
    pub y: i32,
    /// Cosine, Q15.
    pub cos: i16,
    /// Sine, Q15.
    pub sin: i16,
}

/// Extremes and ties first, then seeded pairs and angles.
pub fn cases() -> impl Iterator<Item = Case> {
    let edges = [0, 1, -1, i32::MAX, i32::MIN, 16384, -16384];
    let factors = [0, 1, -1, i16::MAX, i16::MIN, 16384, -16384];
    let chosen = edges.into_iter().flat_map(move |x| {
        edges.into_iter().flat_map(move |y| {
            factors.into_iter().flat_map(move |cos| factors.into_iter().map(move |sin| Case { x, y, cos, sin }))
        })
    });
    let mut draw = Draw::new(5);
    let seeded = (0..CASES).map(move |_| {
        let angle = draw.below(1 << 20) as f64 * std::f64::consts::TAU / f64::from(1 << 20);
        let q15 = |f: f64| (f * 32768.0).round().clamp(-32768.0, 32767.0) as i16;
        Case { x: draw.lane(), y: draw.lane(), cos: q15(angle.cos()), sin: q15(angle.sin()) }
    });
    chosen.chain(seeded)
}

/// An engine for `rotate`.
pub fn check(mut engine: impl FnMut(Case) -> (i32, i32)) {
    for c in cases() {
        assert_eq!(engine(c), rotate(c.x, c.y, c.cos, c.sin), "{c:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_half_is_the_real_sum_rounded_once() {
        let rounded = |sum: f64| (sum / 32768.0 + 0.5).floor().clamp(-2f64.powi(31), 2f64.powi(31) - 1.0) as i32;
        check(|c| {
            let (x, y, cos, sin) = (f64::from(c.x), f64::from(c.y), f64::from(c.cos), f64::from(c.sin));
            (rounded(x * cos - y * sin), rounded(x * sin + y * cos))
        });
    }
}
