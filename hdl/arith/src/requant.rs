//! From an int32 accumulator to a fixed-point result: two multiplications, two roundings.

use crate::contract::ROW_SHIFT;
use crate::draw::{CASES, Draw};
use crate::fixed::{rsh, sat32};
use crate::scale::Scale;

/// `rsh(rsh(acc * row, ROW_SHIFT) * activation, shift - exponents)`, saturated to 32 bits.
pub fn linear(acc: i32, row: Scale, activation: Scale, shift: i32) -> i32 {
    let weighted = rsh(i64::from(acc) * i64::from(row.mantissa), ROW_SHIFT as i32);
    let n = shift - i32::from(row.exponent) - i32::from(activation.exponent);
    sat32(rsh(weighted * i64::from(activation.mantissa), n))
}

/// `rsh(acc * s, shift - exponent)`, saturated to 32 bits: attention scores and weighted sums.
pub fn scaled(acc: i32, s: Scale, shift: i32) -> i32 {
    sat32(rsh(i64::from(acc) * i64::from(s.mantissa), shift - i32::from(s.exponent)))
}

/// One call of `linear`; `scaled` ignores `row`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Accumulator.
    pub acc: i32,
    /// Scale of the weight row.
    pub row: Scale,
    /// Scale of the activations.
    pub activation: Scale,
    /// Constant shift, -128..=127.
    pub shift: i32,
}

/// Ties of both roundings and extremes first, then seeded values whose results need 0 to 34 bits.
pub fn cases() -> impl Iterator<Item = Case> {
    let scale = |mantissa, exponent| Scale { mantissa, exponent };
    let accs = [0, 1, -1, 3, -3, 5, i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1];
    // 0xa000 has its lowest set bit at 13: an odd accumulator makes a tie of the first rounding.
    let rows = [scale(0, 0), scale(0x8000, -128), scale(0xa000, 0), scale(0xffff, 127), scale(0x8000, 0)];
    let activations = [scale(0x8000, 0), scale(0xffff, -3), scale(0, 0)];
    let shifts = [-128, 0, 1, 15, 16, 17, 32, 40, 63, 64, 127];
    let chosen = accs.into_iter().flat_map(move |acc| {
        rows.into_iter().flat_map(move |row| {
            activations
                .into_iter()
                .flat_map(move |activation| shifts.into_iter().map(move |shift| Case { acc, row, activation, shift }))
        })
    });
    let mut draw = Draw::new(4);
    chosen.chain((0..CASES).map(move |_| seeded(&mut draw)))
}

/// A shift that leaves a chosen number of bits of the product.
fn seeded(draw: &mut Draw) -> Case {
    let acc = draw.lane();
    let (row, activation) = (draw.scale(-40..=20), draw.scale(-40..=20));
    let bits = 32 - acc.unsigned_abs().leading_zeros() as i32 + 18;
    let n = (bits - draw.within(0..=34) as i32).max(-2);
    let shift = (n + i32::from(row.exponent + activation.exponent)).clamp(-128, 127);
    Case { acc, row, activation, shift }
}

/// An engine for `linear`.
pub fn check(mut engine: impl FnMut(Case) -> i32) {
    for c in cases() {
        assert_eq!(engine(c), linear(c.acc, c.row, c.activation, c.shift), "{c:?}");
    }
}

/// An engine for `scaled` with the activation's scale.
pub fn check_scaled(mut engine: impl FnMut(Case) -> i32) {
    for c in cases() {
        assert_eq!(engine(c), scaled(c.acc, c.activation, c.shift), "{c:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round half up, in 128 bits; a negative shift leaves the value as it is.
    fn rounded(x: i128, n: i32) -> i128 {
        let n = n.clamp(0, 63);
        (x + (1 << n) / 2).div_euclid(1 << n)
    }

    fn saturated(x: i128) -> i32 {
        x.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as i32
    }

    #[test]
    fn linear_agrees_with_128_bit_arithmetic() {
        check(|c| {
            let weighted = rounded(i128::from(c.acc) * i128::from(c.row.mantissa), 14);
            let exponents = i32::from(c.row.exponent) + i32::from(c.activation.exponent);
            saturated(rounded(weighted * i128::from(c.activation.mantissa), c.shift - exponents))
        });
    }

    #[test]
    fn scaled_agrees_with_128_bit_arithmetic() {
        check_scaled(|c| {
            let n = c.shift - i32::from(c.activation.exponent);
            saturated(rounded(i128::from(c.acc) * i128::from(c.activation.mantissa), n))
        });
    }

    #[test]
    fn seeded_cases_are_within_one_unit_of_real_arithmetic() {
        let mut draw = Draw::new(4);
        let mut exact_range = 0;
        for _ in 0..CASES {
            let c = seeded(&mut draw);
            let n = c.shift - i32::from(c.row.exponent) - i32::from(c.activation.exponent);
            let real = f64::from(c.acc) * f64::from(c.row.mantissa) * f64::from(c.activation.mantissa)
                / 2f64.powi(14 + n.max(0));
            if real.abs() < 2f64.powi(31) - 1.0 {
                exact_range += 1;
                // The first rounding is worth half a unit of 2^16 / 2^n at most, the second half a unit.
                let bound = 0.5 + 2f64.powi(15 - n.max(0)) + 1e-6 * real.abs() / 1e3;
                let found = f64::from(linear(c.acc, c.row, c.activation, c.shift));
                assert!((found - real).abs() <= bound, "{c:?}: {found} {real}");
            }
        }
        assert!(exact_range * 2 > CASES, "{exact_range} cases do not saturate");
    }
}
