//! Leading zeros, removed in steps of falling powers of two. Golden twin: `golden::scale::Scale::from_integer`.

use sagen_lang::{Signal, cat};

/// Shift left by each of `steps` whose bits at the top are all zero. Returns what is left and the steps taken,
/// the first one highest.
#[track_caller]
pub(super) fn shift_out_zeros(x: Signal, steps: &[u32]) -> (Signal, Signal) {
    let (mut x, mut taken) = (x, Vec::new());
    for &step in steps {
        let zero = x.slice(x.width() - step, step).is_zero();
        x = zero.mux(x.shl(step), x);
        taken.push(zero);
    }
    (x, cat(&taken))
}
