//! Bitwise logic, reductions and choices.

use super::{Signal, build};
use crate::errors::Problem;
use crate::node::{Binary, NodeId, Op, Unary};
use crate::types::bit;
use std::panic::Location;

/// Inherent operators take anything that converts to a signal: registers and wires too.
#[allow(clippy::should_implement_trait)] // The traits exist as well, for + - * & | ^ !.
impl Signal {
    /// Bitwise and of operands of one type.
    #[track_caller]
    pub fn and(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "and", Binary::And, None)
    }

    /// Bitwise or of operands of one type.
    #[track_caller]
    pub fn or(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "or", Binary::Or, None)
    }

    /// Bitwise exclusive or of operands of one type.
    #[track_caller]
    pub fn xor(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "xor", Binary::Xor, None)
    }

    /// All bits inverted.
    #[track_caller]
    pub fn not(self) -> Signal {
        self.unary(Unary::Not, None)
    }

    /// 1 if any bit is.
    #[track_caller]
    pub fn reduce_or(self) -> Signal {
        self.unary(Unary::ReduceOr, Some(bit()))
    }

    /// 1 if all bits are.
    #[track_caller]
    pub fn reduce_and(self) -> Signal {
        self.unary(Unary::ReduceAnd, Some(bit()))
    }

    /// 1 if an odd number of bits are.
    #[track_caller]
    pub fn reduce_xor(self) -> Signal {
        self.unary(Unary::ReduceXor, Some(bit()))
    }

    /// `if_true` where this bit is 1, else `if_false`; both of one type.
    #[track_caller]
    pub fn mux(self, if_true: impl Into<Signal>, if_false: impl Into<Signal>) -> Signal {
        let (line, if_true, if_false) = (Location::caller(), if_true.into(), if_false.into());
        build(|b| {
            let select = b.resolve(line, self);
            let (high, low) = (b.resolve(line, if_true), b.resolve(line, if_false));
            let (left, right) = (b.ty(high), b.ty(low));
            match () {
                () if !b.expect_bit(line, select, "mux: the selector") => b.quiet_poison(left),
                () if b.is_poison(high) || b.is_poison(low) => b.quiet_poison(left),
                () if left != right => b.poison(line, Problem::Mismatch { operator: "mux", left, right }, left),
                () => b.node(Op::Mux { select, high, low }, left),
            }
        })
    }

    /// Item number `self`, all of one type; an index above the last item selects the last.
    #[track_caller]
    pub fn select(self, items: &[Signal]) -> Signal {
        let line = Location::caller();
        build(|b| {
            let index = b.resolve(line, self);
            let items: Box<[NodeId]> = items.iter().map(|&s| b.resolve(line, s)).collect();
            let Some(&first) = items.first() else {
                return b.poison(line, Problem::Empty { what: "select" }, bit());
            };
            let (ty, found) = (b.ty(first), b.ty(index));
            if b.is_poison(index) || items.iter().any(|&i| b.is_poison(i)) {
                return b.quiet_poison(ty);
            }
            if found.signed {
                return b.poison(line, Problem::NotUnsigned { what: "select: the index", found }, ty);
            }
            if let Some(&odd) = items.iter().find(|&&i| b.ty(i) != ty) {
                let right = b.ty(odd);
                return b.poison(line, Problem::Mismatch { operator: "select", left: ty, right }, ty);
            }
            let reachable = 1usize.checked_shl(found.width).unwrap_or(usize::MAX).min(items.len());
            b.node(Op::Select { index, items: items[..reachable].into() }, ty)
        })
    }
}
