//! Gates of the feed-forward unit: sigmoid and the GELU (tanh) gate by linear segments.

use crate::contract::GATE_FRACTION;
use crate::draw::{CASES, Draw};
use crate::fixed::{rsh, sat32};
use crate::tables::{Segment, gelu_segments, sigmoid_segments};
use std::sync::LazyLock;

static SIGMOID: LazyLock<[Segment; 128]> = LazyLock::new(sigmoid_segments);
static GELU: LazyLock<[Segment; 128]> = LazyLock::new(gelu_segments);

/// Which gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// `x * sigmoid(x)`.
    Silu,
    /// GELU, tanh form.
    Gelu,
}

/// The gate's factor for x in Q12, as Q16: 0 below the table, 65536 above it.
/// Absolute error <= 3.4e-4 for the sigmoid, 1.4e-4 for GELU.
pub fn factor(gate: Gate, x: i32) -> u32 {
    // Half the table's span, and log2 of a segment's width.
    let (segments, half, bits) = match gate {
        Gate::Silu => (&*SIGMOID, 8 << GATE_FRACTION, 9),
        Gate::Gelu => (&*GELU, 4 << GATE_FRACTION, 8),
    };
    if x < -half {
        return 0;
    }
    if x >= half {
        return 1 << 16;
    }
    let at = (x + half) as u32;
    let segment = segments[(at >> bits) as usize];
    segment.base + ((u32::from(segment.slope) * (at & ((1 << bits) - 1))) >> bits)
}

/// `gate(x) = x * factor(x)`, Q12.
pub fn gate(gate: Gate, x: i32) -> i32 {
    sat32(rsh(i64::from(x) * i64::from(factor(gate, x)), 16))
}

/// `round(gate(a) * b >> shift)`, saturated.
pub fn glu(function: Gate, a: i32, b: i32, shift: i32) -> i32 {
    sat32(rsh(i64::from(gate(function, a)) * i64::from(b), shift))
}

/// One element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Which gate.
    pub function: Gate,
    /// Gate input, Q12.
    pub a: i32,
    /// Up input.
    pub b: i32,
    /// Right shift of the product, 0..=63.
    pub shift: i32,
}

/// Both ends of every segment and beyond the tables first, then seeded products that need 0 to 33 bits.
pub fn cases() -> impl Iterator<Item = Case> {
    let ends = (-66..=66).flat_map(|i| [-1, 0, 1, 100].map(|off| (512 * i + off, 256 * i + off)));
    let edges = [(i32::MIN, i32::MIN), (i32::MAX, i32::MAX), (1 << 20, -(1 << 20))];
    let chosen = ends.chain(edges).flat_map(|(silu, gelu)| {
        [(Gate::Silu, silu), (Gate::Gelu, gelu)].into_iter().flat_map(|(function, a)| {
            [(1, 0), (-1, 1), (4096, 12), (-12_345, 9)].map(|(b, shift)| Case { function, a, b, shift })
        })
    });
    let mut draw = Draw::new(12);
    let seeded = (0..CASES).map(move |_| {
        let (a, b) = (if draw.one_in(4) { draw.lane() } else { draw.signed(17) as i32 }, draw.lane());
        let bits = 64 - (i64::from(a) * i64::from(b)).unsigned_abs().leading_zeros() as i32;
        let shift = (bits - draw.within(0..=33) as i32).max(0);
        Case { function: draw.pick(&[Gate::Silu, Gate::Gelu]), a, b, shift }
    });
    chosen.chain(seeded)
}

/// An engine for `glu`.
pub fn check(mut engine: impl FnMut(Case) -> i32) {
    for c in cases() {
        assert_eq!(engine(c), glu(c.function, c.a, c.b, c.shift), "{c:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(function: Gate, x: i32) -> f64 {
        let x = f64::from(x) / 4096.0;
        match function {
            Gate::Silu => 1.0 / (1.0 + (-x).exp()),
            Gate::Gelu => {
                let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
                (1.0 + inner.tanh()) / 2.0
            }
        }
    }

    #[test]
    fn factors_are_within_the_stated_error() {
        for (function, bound) in [(Gate::Silu, 3.4e-4), (Gate::Gelu, 1.4e-4)] {
            let error = |x: i32| (f64::from(factor(function, x)) / 65536.0 - exact(function, x)).abs();
            let worst = (-70_000..70_000).map(error).fold(0.0, f64::max);
            assert!((0.95 * bound..=bound).contains(&worst), "{function:?}: {worst}");
            assert_eq!((factor(function, i32::MIN), factor(function, i32::MAX)), (0, 65536));
        }
    }

    #[test]
    fn products_are_the_real_ones_rounded_twice() {
        let half_up = |x: f64| (x + 0.5).floor();
        let clamp = |x: f64| x.clamp(f64::from(i32::MIN), f64::from(i32::MAX));
        check(|c| {
            let gated = clamp(half_up(f64::from(c.a) * f64::from(factor(c.function, c.a)) / 65536.0));
            // Exact in 128 bits, where a double would drop bits.
            let (product, unit) = (gated as i128 * i128::from(c.b), 1i128 << c.shift);
            clamp((product + unit / 2).div_euclid(unit) as f64) as i32
        });
    }
}
