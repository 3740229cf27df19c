//! From an int32 accumulator to a fixed-point result: two multiplications, two roundings.

use crate::fixed::{rsh, sat32};
use crate::scale::Scale;

/// `rsh(rsh(acc * row, 14) * activation, shift - exponents)`, saturated to 32 bits.
pub fn linear(acc: i32, row: Scale, activation: Scale, shift: i32) -> i32 {
    let weighted = rsh(i64::from(acc) * i64::from(row.mantissa), 14);
    let n = shift - i32::from(row.exponent) - i32::from(activation.exponent);
    sat32(rsh(weighted * i64::from(activation.mantissa), n))
}

/// `rsh(acc * s, shift - exponent)`, saturated to 32 bits: attention scores and weighted sums.
pub fn scaled(acc: i32, s: Scale, shift: i32) -> i32 {
    sat32(rsh(i64::from(acc) * i64::from(s.mantissa), shift - i32::from(s.exponent)))
}
