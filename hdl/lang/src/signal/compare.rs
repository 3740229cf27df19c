//! Comparisons, by the sign of the operands' one type. Each gives one bit.

use super::{Signal, build};
use crate::errors::Problem;
use crate::node::Binary;
use crate::types::{Value, bit};
use std::panic::Location;

/// Inherent operators take anything that converts to a signal: registers and wires too.
#[allow(clippy::should_implement_trait)] // The traits exist as well, for + - * & | ^ !.
impl Signal {
    /// Equal; operands of one type.
    #[track_caller]
    pub fn eq(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "eq", Binary::Eq, Some(bit()))
    }

    /// Not equal; operands of one type.
    #[track_caller]
    pub fn ne(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "ne", Binary::Ne, Some(bit()))
    }

    /// Less than, by the sign of the operands' one type.
    #[track_caller]
    pub fn lt(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "lt", Binary::Lt, Some(bit()))
    }

    /// Less than or equal, by the sign of the operands' one type.
    #[track_caller]
    pub fn le(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "le", Binary::Le, Some(bit()))
    }

    /// Greater than, by the sign of the operands' one type.
    #[track_caller]
    pub fn gt(self, other: impl Into<Signal>) -> Signal {
        self.reversed(other.into(), "gt", Binary::Lt)
    }

    /// Greater than or equal, by the sign of the operands' one type.
    #[track_caller]
    pub fn ge(self, other: impl Into<Signal>) -> Signal {
        self.reversed(other.into(), "ge", Binary::Le)
    }

    /// A comparison with its operands exchanged.
    #[track_caller]
    fn reversed(self, other: Signal, operator: &'static str, binary: Binary) -> Signal {
        let (line, left, right) = (Location::caller(), self.ty(), other.ty());
        if left == right {
            return other.same(self, operator, binary, Some(bit()));
        }
        build(|b| {
            let (x, y) = (b.resolve(line, self), b.resolve(line, other));
            if b.is_poison(x) || b.is_poison(y) {
                return b.quiet_poison(bit());
            }
            b.poison(line, Problem::Mismatch { operator, left, right }, bit())
        })
    }

    /// 1 if no bit is.
    #[track_caller]
    pub fn is_zero(self) -> Signal {
        self.eq_lit(0)
    }

    /// Equal to a constant of this type.
    #[track_caller]
    pub fn eq_lit(self, value: impl Value) -> Signal {
        self.eq(self.sized_literal(value))
    }

    /// Not equal to a constant of this type.
    #[track_caller]
    pub fn ne_lit(self, value: impl Value) -> Signal {
        self.ne(self.sized_literal(value))
    }

    /// Less than a constant of this type.
    #[track_caller]
    pub fn lt_lit(self, value: impl Value) -> Signal {
        self.lt(self.sized_literal(value))
    }

    /// Less than or equal to a constant of this type.
    #[track_caller]
    pub fn le_lit(self, value: impl Value) -> Signal {
        self.le(self.sized_literal(value))
    }

    /// Greater than a constant of this type.
    #[track_caller]
    pub fn gt_lit(self, value: impl Value) -> Signal {
        self.gt(self.sized_literal(value))
    }

    /// Greater than or equal to a constant of this type.
    #[track_caller]
    pub fn ge_lit(self, value: impl Value) -> Signal {
        self.ge(self.sized_literal(value))
    }
}
