//! From fixed point to int8 codes with one scale a segment and a 2-bit shift per group of 64.

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

    /// The greatest k in 0..=3 with `group_amax << k <= amax`.
    pub fn group_shift(&self, group_amax: u32) -> u8 {
        let fits = |k: &u8| u64::from(group_amax) << k <= u64::from(self.amax);
        (0..=3).rev().find(fits).unwrap_or(0)
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
