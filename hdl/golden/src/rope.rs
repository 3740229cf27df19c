//! Rotary position embedding of one pair, tables in Q15.

use crate::fixed::{rsh, sat32};

/// `(x cos - y sin, x sin + y cos)`, each rounded once and saturated.
pub fn rotate(x: i32, y: i32, cos: i16, sin: i16) -> (i32, i32) {
    let (x, y, cos, sin) = (i64::from(x), i64::from(y), i64::from(cos), i64::from(sin));
    (sat32(rsh(x * cos - y * sin, 15)), sat32(rsh(x * sin + y * cos, 15)))
}
