//! Signal types: a width in bits and a sign, both known at run time.

use serde::Serialize;
use std::fmt;

/// The widest signal that may be built.
pub(crate) const MAX_WIDTH: u32 = 1 << 20;

/// Width and sign of a signal. A bit is `unsigned(1)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize)]
pub struct Type {
    /// Number of bits, at least one.
    pub width: u32,
    /// Two's complement if true.
    pub signed: bool,
}

/// One unsigned bit.
pub const fn bit() -> Type {
    unsigned(1)
}

/// An unsigned number, or plain bits, of `width` bits.
pub const fn unsigned(width: u32) -> Type {
    Type { width, signed: false }
}

/// A two's complement number of `width` bits.
pub const fn signed(width: u32) -> Type {
    Type { width, signed: true }
}

impl Type {
    /// Smallest and largest value, for widths up to 126 bits.
    pub(crate) fn range(self) -> Option<(i128, i128)> {
        match (self.width, self.signed) {
            (0 | 127.., _) => None,
            (w, false) => Some((0, (1i128 << w) - 1)),
            (w, true) => Some((-(1i128 << (w - 1)), (1i128 << (w - 1)) - 1)),
        }
    }

    /// Whether `value` can be represented.
    pub(crate) fn holds(self, value: i128) -> bool {
        match self.range() {
            Some((low, high)) => (low..=high).contains(&value),
            None => self.width > 0 && (self.signed || value >= 0),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.signed { "signed" } else { "unsigned" };
        write!(f, "{sign}({})", self.width)
    }
}

/// An integer that may be written as a constant: every Rust integer up to `i128`, and `bool`.
pub trait Value {
    /// The number itself.
    fn value(self) -> i128;
}

macro_rules! values {
    ($($t:ty),*) => {$(
        impl Value for $t {
            fn value(self) -> i128 {
                self as i128
            }
        }
    )*};
}
values!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, usize, bool);
