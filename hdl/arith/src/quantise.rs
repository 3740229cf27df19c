//! From fixed point to int8 codes with one scale a segment and a 2-bit shift per group of 64.

use crate::contract::GROUP_SHIFT;
use crate::draw::{CASES, Draw};
use crate::fixed::{code, rsh};
use crate::scale::Scale;
use crate::sfu::{recip::recip_mantissa, rsqrt::rsqrt};

/// What a segment's greatest magnitude determines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantiser {
    amax: u32,
    multiplier: u16,
    shift: i32,
}

impl Quantiser {
    /// Codes are about `127 * t / amax`.
    pub fn new(amax: u32) -> Self {
        let a = Scale::from_integer(u128::from(amax));
        let inverse = u32::from(recip_mantissa(a.mantissa));
        let multiplier = ((127 * inverse + 64) >> 7) as u16;
        Self { amax, multiplier, shift: 24 + i32::from(a.exponent) }
    }

    /// The greatest k up to GROUP_SHIFT with `group_amax << k <= amax`.
    pub fn group_shift(&self, group_amax: u32) -> u8 {
        let fits = |k: &u8| u64::from(group_amax) << k <= u64::from(self.amax);
        (0..=GROUP_SHIFT as u8).rev().find(fits).unwrap_or(0)
    }

    /// The code of one element of a group with that shift.
    pub fn code(&self, t: i32, group_shift: u8) -> i8 {
        let n = self.shift - i32::from(group_shift);
        code(rsh(i64::from(t) * i64::from(self.multiplier), n))
    }
}

/// Scale of a dynamic segment: `amax * factor`.
pub fn scale(amax: u32, factor: Scale) -> Scale {
    Scale::from_integer(u128::from(amax)).times(factor)
}

/// Scale of a normalised segment: `(amax * rsqrt(sum_squares + epsilon)) * factor`.
pub fn norm_scale(amax: u32, sum_squares: u128, epsilon: u64, factor: Scale) -> Scale {
    let root = rsqrt(Scale::from_integer(sum_squares + u128::from(epsilon)));
    Scale::from_integer(u128::from(amax)).times(root).times(factor)
}

/// Code by a constant multiplier: K and V.
pub fn fixed_code(t: i32, multiplier: u16, shift: i32) -> i8 {
    code(rsh(i64::from(t) * i64::from(multiplier), shift))
}

/// One element of a group of a dynamic segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeCase {
    /// Greatest magnitude of the segment.
    pub amax: u32,
    /// Greatest magnitude of the element's group, at most `amax`.
    pub group_amax: u32,
    /// The element, at most `group_amax` in magnitude.
    pub t: i32,
}

/// Zero, powers of two and full range first, then seeded segments whose groups lie up to 5 bits below.
pub fn code_cases() -> impl Iterator<Item = CodeCase> {
    let edges = [0, 1, 2, 3, 7, 8, 9, 127, 128, 254, 255, 32767, 32768, 65535, 65536, i32::MAX as u32, 1 << 31];
    let chosen = edges.into_iter().flat_map(|amax: u32| {
        let groups = [amax, amax / 2, amax.div_ceil(2), amax / 4, amax / 8, amax.div_ceil(8), amax / 16, 0];
        groups.into_iter().flat_map(move |group_amax| {
            let top = group_amax.min(i32::MAX as u32) as i32;
            let low = if group_amax == 1 << 31 { i32::MIN } else { -top };
            [top, low, top / 2, 0].map(|t| CodeCase { amax, group_amax, t })
        })
    });
    let mut draw = Draw::new(6);
    let seeded = (0..CASES).map(move |_| {
        let amax = draw.unsigned(32).min(1 << 31) as u32;
        let group_amax = (u128::from(amax) >> draw.below(6)).saturating_sub(draw.unsigned(3)) as u32;
        let t = draw.within(-i64::from(group_amax)..=i64::from(group_amax)).min(i64::from(i32::MAX)) as i32;
        CodeCase { amax, group_amax, t }
    });
    chosen.chain(seeded)
}

/// An engine for the group's shift and the element's code.
pub fn check_codes(mut engine: impl FnMut(CodeCase) -> (u8, i8)) {
    for c in code_cases() {
        let q = Quantiser::new(c.amax);
        let shift = q.group_shift(c.group_amax);
        assert_eq!(engine(c), (shift, q.code(c.t, shift)), "{c:?}");
    }
}

/// One scale of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleCase {
    /// Greatest magnitude of the segment.
    pub amax: u32,
    /// Sum of squares and epsilon, where the row is normalised.
    pub norm: Option<(u128, u64)>,
    /// Constant factor.
    pub factor: Scale,
}

/// Zero rows and full range first, then seeded ones.
pub fn scale_cases() -> impl Iterator<Item = ScaleCase> {
    let norms =
        [None, Some((0, 0)), Some((0, 1)), Some((1, 0)), Some((2, 0)), Some(((1 << 79) + 12345, (1 << 40) - 1))];
    let chosen = [0, 1, 3, 1 << 15, 1 << 31].into_iter().flat_map(move |amax| {
        let factors =
            [Scale::default(), Scale { mantissa: 32768, exponent: -22 }, Scale { mantissa: 65535, exponent: 3 }];
        norms.into_iter().flat_map(move |norm| factors.map(|factor| ScaleCase { amax, norm, factor }))
    });
    let mut draw = Draw::new(7);
    let seeded = (0..CASES).map(move |_| ScaleCase {
        amax: draw.unsigned(31) as u32,
        norm: draw.one_in(2).then(|| (draw.unsigned(78), draw.unsigned(40) as u64)),
        factor: draw.scale(-50..=20),
    });
    chosen.chain(seeded)
}

/// An engine for `scale` and `norm_scale`.
pub fn check_scales(mut engine: impl FnMut(ScaleCase) -> Scale) {
    for c in scale_cases() {
        let expected = match c.norm {
            None => scale(c.amax, c.factor),
            Some((squares, epsilon)) => norm_scale(c.amax, squares, epsilon, c.factor),
        };
        assert_eq!(engine(c), expected, "{c:?}");
    }
}

/// One code by a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedCase {
    /// Element.
    pub t: i32,
    /// Multiplier.
    pub multiplier: u16,
    /// Right shift, 0..=63.
    pub shift: i32,
}

/// Ties and extremes first, then seeded elements whose codes need 0 to 9 bits.
pub fn fixed_cases() -> impl Iterator<Item = FixedCase> {
    let edges = [0, 1, -1, 3, -3, 127, -127, 128, -128, 255, i32::MAX, i32::MIN];
    let chosen = edges.into_iter().flat_map(|t| {
        [0, 1, 32768, 65535]
            .into_iter()
            .flat_map(move |multiplier| [0, 1, 15, 16, 17, 40, 63].map(|shift| FixedCase { t, multiplier, shift }))
    });
    let mut draw = Draw::new(8);
    let seeded = (0..CASES).map(move |_| {
        let (t, multiplier) = (draw.lane(), draw.within(32768..=65535) as u16);
        let bits = 48 - t.unsigned_abs().leading_zeros() as i32;
        FixedCase { t, multiplier, shift: (bits - draw.within(0..=9) as i32).max(0) }
    });
    chosen.chain(seeded)
}

/// An engine for `fixed_code`.
pub fn check_fixed(mut engine: impl FnMut(FixedCase) -> i8) {
    for c in fixed_cases() {
        assert_eq!(engine(c), fixed_code(c.t, c.multiplier, c.shift), "{c:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_127_t_over_amax_within_the_error_of_the_reciprocal() {
        for c in code_cases().filter(|c| c.amax > 0) {
            let q = Quantiser::new(c.amax);
            let shift = q.group_shift(c.group_amax);
            let real = 127.0 * f64::from(c.t) / f64::from(c.amax) * f64::from(shift).exp2();
            let error = f64::from(q.code(c.t, shift)) - real;
            // Half a code, and the errors of the dropped bits of amax, the reciprocal and the multiplier.
            assert!(error.abs() <= 0.5 + 127.0 * 1.5e-4, "{c:?}: {error}");
        }
    }

    #[test]
    fn a_group_shift_is_the_largest_that_keeps_the_group_within_the_segment() {
        for c in code_cases() {
            let shift = Quantiser::new(c.amax).group_shift(c.group_amax);
            let fits = |k: u8| f64::from(c.group_amax) <= f64::from(c.amax) / f64::from(k).exp2();
            assert!(fits(shift) && (shift == 3 || !fits(shift + 1)), "{c:?}");
        }
    }

    #[test]
    fn the_codes_of_a_zero_segment_are_zero() {
        let q = Quantiser::new(0);
        assert_eq!((q.group_shift(0), q.code(0, 3)), (3, 0));
        assert_eq!(scale(0, Scale { mantissa: 40000, exponent: 3 }), Scale::default());
    }

    #[test]
    fn scales_agree_with_real_arithmetic() {
        for c in scale_cases() {
            let root = match c.norm {
                None => 1.0,
                Some((0, 0)) => 1.0,
                Some((squares, epsilon)) => 1.0 / (squares as f64 + epsilon as f64).sqrt(),
            };
            let real = f64::from(c.amax) * root * c.factor.to_f64();
            let found = match c.norm {
                None => scale(c.amax, c.factor),
                Some((squares, epsilon)) => norm_scale(c.amax, squares, epsilon, c.factor),
            };
            assert!((found.to_f64() - real).abs() <= 1.5e-4 * real, "{c:?}: {found:?} {real}");
        }
    }

    #[test]
    fn fixed_codes_agree_with_real_arithmetic() {
        check_fixed(|c| {
            let real = f64::from(c.t) * f64::from(c.multiplier) / 2f64.powi(c.shift);
            let half = if c.shift == 0 { 0.0 } else { 0.5 };
            (real + half).floor().clamp(-127.0, 127.0) as i8
        });
    }
}
