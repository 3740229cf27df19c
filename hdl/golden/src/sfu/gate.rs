//! Gates of the feed-forward unit: sigmoid and the GELU (tanh) gate by linear segments.

use crate::fixed::{rsh, sat32};
use sagen_arch::tables::{gelu_segments, sigmoid_segments, Segment};
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
pub fn factor(gate: Gate, x: i32) -> u32 {
    // Half the table's span in Q12, and log2 of a segment's width.
    let (segments, half, bits) = match gate {
        Gate::Silu => (&*SIGMOID, 8 << 12, 9),
        Gate::Gelu => (&*GELU, 4 << 12, 8),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigmoid_is_within_the_stated_error() {
        for x in -40_000..40_000 {
            let exact = 1.0 / (1.0 + (-f64::from(x) / 4096.0).exp());
            let error = f64::from(factor(Gate::Silu, x)) / 65536.0 - exact;
            assert!(error.abs() <= 3.4e-4, "x = {x}: {error}");
        }
    }
}
