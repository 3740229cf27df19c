//! Arithmetic on signals: sums, products, shifts, saturation. Results are exact or wrap, as each one says.

use super::{Signal, build, cat, lit, pack};
use crate::bits::Bits;
use crate::errors::Problem;
use crate::limbs;
use crate::node::{Binary, Op, Unary};
use crate::types::{Type, Value, signed};
use std::panic::Location;

/// Inherent operators take anything that converts to a signal: registers and wires too.
#[allow(clippy::should_implement_trait)] // The traits exist as well, for + - * & | ^ !.
impl Signal {
    /// Sum of two operands of one type, modulo its width.
    #[track_caller]
    pub fn add(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "add", Binary::Add, None)
    }

    /// Difference of two operands of one type, modulo its width.
    #[track_caller]
    pub fn sub(self, other: impl Into<Signal>) -> Signal {
        self.same(other.into(), "sub", Binary::Sub, None)
    }

    /// Exact sum: one bit wider.
    #[track_caller]
    pub fn add_full(self, other: impl Into<Signal>) -> Signal {
        let (other, width) = (other.into(), self.width() + 1);
        self.extend_unchecked(width).same(other.extend_unchecked(width), "add_full", Binary::Add, None)
    }

    /// Exact difference: one bit wider and signed, also for unsigned operands.
    #[track_caller]
    pub fn sub_full(self, other: impl Into<Signal>) -> Signal {
        let (other, width) = (other.into(), self.width() + 1);
        let difference =
            self.extend_unchecked(width).same(other.extend_unchecked(width), "sub_full", Binary::Sub, None);
        difference.as_signed()
    }

    /// Exact product of two operands of one sign: as wide as both together.
    #[track_caller]
    pub fn mul(self, other: impl Into<Signal>) -> Signal {
        let (line, other) = (Location::caller(), other.into());
        build(|b| {
            let (x, y) = (b.resolve(line, self), b.resolve(line, other));
            let (left, right) = (b.ty(x), b.ty(y));
            let ty = Type { width: left.width + right.width, ..left };
            match () {
                () if b.is_poison(x) || b.is_poison(y) => b.quiet_poison(ty),
                () if left.signed != right.signed => {
                    b.poison(line, Problem::SignMismatch { operator: "mul", left, right }, ty)
                }
                () => {
                    let (x, y) = (b.node(Op::Extend(x), ty), b.node(Op::Extend(y), ty));
                    b.node(Op::Binary(Binary::Mul, x, y), ty)
                }
            }
        })
    }

    /// Two's complement negation, modulo the width.
    #[track_caller]
    pub fn neg(self) -> Signal {
        self.unary(Unary::Neg, None)
    }

    /// The smaller one.
    #[track_caller]
    pub fn min(self, other: impl Into<Signal>) -> Signal {
        let other = other.into();
        self.lt(other).mux(self, other)
    }

    /// The larger one.
    #[track_caller]
    pub fn max(self, other: impl Into<Signal>) -> Signal {
        let other = other.into();
        self.lt(other).mux(other, self)
    }

    /// Sum with a constant of this type, modulo its width.
    #[track_caller]
    pub fn add_lit(self, value: impl Value) -> Signal {
        self.add(self.sized_literal(value))
    }

    /// Difference with a constant of this type, modulo its width.
    #[track_caller]
    pub fn sub_lit(self, value: impl Value) -> Signal {
        self.sub(self.sized_literal(value))
    }

    /// Left shift by a constant; the width stays.
    #[track_caller]
    pub fn shl(self, n: u32) -> Signal {
        let ty = self.ty();
        let shifted = match n {
            0 => self,
            n if n >= ty.width => self.sized_literal(0),
            n => pack(&[lit(n, 0), self.slice(0, ty.width - n)]),
        };
        shifted.with_sign(ty.signed)
    }

    /// Right shift by a constant, arithmetic if signed; the width stays.
    #[track_caller]
    pub fn shr(self, n: u32) -> Signal {
        let ty = self.ty();
        match (n, ty.signed) {
            (0, _) => self,
            (n, true) => {
                let n = n.min(ty.width - 1);
                if n == 0 { self } else { self.shr_dyn(lit(n.ilog2() + 1, n.into())) }
            }
            (n, false) if n >= ty.width => self.sized_literal(0),
            (n, false) => self.slice(n, ty.width - n).extend(ty.width),
        }
    }

    /// Left shift by an unsigned amount; the width stays.
    #[track_caller]
    pub fn shl_dyn(self, amount: impl Into<Signal>) -> Signal {
        self.shift(false, amount.into())
    }

    /// Right shift by an unsigned amount, arithmetic if signed; the width stays.
    #[track_caller]
    pub fn shr_dyn(self, amount: impl Into<Signal>) -> Signal {
        self.shift(true, amount.into())
    }

    #[track_caller]
    fn shift(self, right: bool, amount: Signal) -> Signal {
        let line = Location::caller();
        build(|b| {
            let (value, amount) = (b.resolve(line, self), b.resolve(line, amount));
            let (ty, found) = (b.ty(value), b.ty(amount));
            match () {
                () if b.is_poison(value) || b.is_poison(amount) => b.quiet_poison(ty),
                () if found.signed => b.poison(line, Problem::NotUnsigned { what: "shift: the amount", found }, ty),
                () => b.node(Op::Shift { right, value, amount }, ty),
            }
        })
    }

    /// Signed saturation to `width` bits: values outside become the nearest extreme.
    #[track_caller]
    pub fn sat(self, width: u32) -> Signal {
        let (line, found) = (Location::caller(), self.ty());
        if !found.signed {
            return build(|b| b.poison(line, Problem::NotSigned { what: "sat: the operand", found }, signed(width)));
        }
        if width == 0 || width >= found.width {
            return self.extend(width);
        }
        let above = self.slice(width - 1, found.width - width + 1);
        let fits = above.reduce_and().or(above.reduce_or().not());
        let negative = self.msb();
        let extreme = match width {
            1 => negative,
            _ => cat(&[negative, negative.not().repeat(width - 1)]),
        };
        fits.mux(self.trunc(width), extreme.as_signed())
    }

    /// `(x + 2^(n-1)) >> n`: shift right with rounding half up. One bit wider inside; the width stays.
    #[track_caller]
    pub fn round_shift(self, n: u32) -> Signal {
        let (line, ty) = (Location::caller(), self.ty());
        if n == 0 {
            return self;
        }
        if n > ty.width {
            let problem = Problem::Range { lo: 0, width: n.into(), of: ty };
            return build(|b| b.poison(line, problem, ty));
        }
        let mut half = Bits::zero(Type { width: ty.width + 1, ..ty });
        limbs::fill(half.limbs_mut(), n - 1, 1, true);
        let half = build(|b| b.constant(half));
        self.extend(ty.width + 1).add(half).shr(n).trunc(ty.width)
    }
}
