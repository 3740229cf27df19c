//! Scales: leading zeros are removed in steps of falling powers of two, as in `arith::scale::Scale::from_integer`.

use sagen_lang::{Signal, cat, lit};

/// Shift left by each of `steps` whose bits at the top are all zero. Returns what is left and the steps taken,
/// the first one highest.
#[track_caller]
pub fn shift_out_zeros(x: Signal, steps: &[u32]) -> (Signal, Signal) {
    let (mut x, mut taken) = (x, Vec::new());
    for &step in steps {
        let zero = x.slice(x.width() - step, step).is_zero();
        x = zero.mux(x.shl(step), x);
        taken.push(zero);
    }
    (x, cat(&taken))
}

/// A mantissa: to `[2^15, 2^16)`.
#[track_caller]
#[must_use]
pub fn clamp(x: Signal) -> Signal {
    let above = x.slice(16, x.width() - 16).reduce_or();
    above.mux(lit(16, 0xffff), x.bit(15).mux(x.slice(0, 16), lit(16, 1 << 15)))
}
