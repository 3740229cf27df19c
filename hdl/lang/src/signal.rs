//! Values of exact width and sign, and the operators on them. Nothing widens, narrows or changes sign unasked.

use crate::bits::Bits;
use crate::builder::{self, Builder, Line};
use crate::errors::Problem;
use crate::limbs;
use crate::node::{Binary, NodeId, Op, Unary};
use crate::types::{Type, Value, bit, signed, unsigned};
use std::panic::Location;

/// A value inside the module under construction. Cheap to copy.
///
/// An operator whose operands do not fit records an error and returns a stand-in, so building goes on.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    pub(crate) serial: u32,
    pub(crate) node: NodeId,
}

/// What an operator returns when no module is under construction; any use of it is an error.
const ORPHAN: Signal = Signal { serial: 0, node: 0 };

pub(crate) fn build(f: impl FnOnce(&mut Builder) -> NodeId) -> Signal {
    let signal = builder::innermost(|b| {
        let node = f(b);
        b.signal(node)
    });
    signal.unwrap_or(ORPHAN)
}

/// An unsigned constant of `width` bits.
#[track_caller]
pub fn lit(width: u32, value: u64) -> Signal {
    let line = Location::caller();
    build(|b| b.literal(line, unsigned(width), value))
}

/// The bit 1.
#[track_caller]
pub fn high() -> Signal {
    lit(1, 1)
}

/// The bit 0.
#[track_caller]
pub fn low() -> Signal {
    lit(1, 0)
}

/// Joins signals, the most significant first. The result is unsigned.
#[track_caller]
pub fn cat(msb_first: &[Signal]) -> Signal {
    let line = Location::caller();
    build(|b| join(b, line, msb_first.iter().rev(), "cat"))
}

/// Joins lanes, lane 0 lowest. The result is unsigned.
#[track_caller]
pub fn pack(lanes: &[Signal]) -> Signal {
    let line = Location::caller();
    build(|b| join(b, line, lanes.iter(), "pack"))
}

fn join<'a>(b: &mut Builder, line: Line, lsb_first: impl Iterator<Item = &'a Signal>, what: &'static str) -> NodeId {
    let items: Box<[NodeId]> = lsb_first.map(|&s| b.resolve(line, s)).collect();
    let width: u64 = items.iter().map(|&i| u64::from(b.ty(i).width)).sum();
    let ty = unsigned(width.min(u64::from(u32::MAX)) as u32);
    match () {
        () if items.is_empty() => b.poison(line, Problem::Empty { what }, bit()),
        () if items.iter().any(|&i| b.is_poison(i)) => b.quiet_poison(ty),
        () if !b.width_ok(line, what, width) => b.quiet_poison(ty),
        () => b.node(Op::Cat(items), ty),
    }
}

/// Inherent operators take anything that converts to a signal: registers and wires too.
#[allow(clippy::should_implement_trait)] // The traits exist as well, for + - * & | ^ !.
impl Signal {
    /// Width and sign.
    pub fn ty(self) -> Type {
        let found = builder::innermost(|b| (b.serial == self.serial).then(|| b.ty(self.node)));
        found.flatten().unwrap_or(bit())
    }

    /// Number of bits.
    pub fn width(self) -> u32 {
        self.ty().width
    }

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

    /// Zero- or sign-extends by its own sign.
    #[track_caller]
    pub fn extend(self, width: u32) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let from = b.ty(a);
            let ty = Type { width, ..from };
            match () {
                () if b.is_poison(a) || !b.width_ok(line, "extend", width.into()) => b.quiet_poison(ty),
                () if width < from.width => b.poison(line, Problem::Extend { from, to: width }, ty),
                () => b.node(Op::Extend(a), ty),
            }
        })
    }

    /// Brings to at least `width` bits; a wider operand stays and is reported by the operator that follows.
    #[track_caller]
    fn extend_unchecked(self, width: u32) -> Signal {
        if self.width() > width { self } else { self.extend(width) }
    }

    /// Keeps the low `width` bits and the sign.
    #[track_caller]
    pub fn trunc(self, width: u32) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let from = b.ty(a);
            let ty = Type { width, ..from };
            match () {
                () if b.is_poison(a) || !b.width_ok(line, "trunc", width.into()) => b.quiet_poison(ty),
                () if width > from.width => b.poison(line, Problem::Trunc { from, to: width }, ty),
                () => {
                    let low = b.node(Op::Slice { from: a, lo: 0 }, unsigned(width));
                    b.node(Op::Cast(low), ty)
                }
            }
        })
    }

    /// The same bits read as two's complement.
    #[track_caller]
    pub fn as_signed(self) -> Signal {
        self.with_sign(true)
    }

    /// The same bits read as unsigned.
    #[track_caller]
    pub fn as_unsigned(self) -> Signal {
        self.with_sign(false)
    }

    #[track_caller]
    fn with_sign(self, signed: bool) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let ty = Type { signed, ..b.ty(a) };
            if b.is_poison(a) { b.quiet_poison(ty) } else { b.node(Op::Cast(a), ty) }
        })
    }

    /// The same number as signed: an unsigned operand gets one bit wider, a signed one stays.
    #[track_caller]
    pub fn as_signed_ext(self) -> Signal {
        let ty = self.ty();
        if ty.signed { self } else { self.extend(ty.width + 1).as_signed() }
    }

    /// Bits `lo .. lo + width`, unsigned.
    #[track_caller]
    pub fn slice(self, lo: u32, width: u32) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let (of, ty) = (b.ty(a), unsigned(width));
            let (lo64, width64) = (u64::from(lo), u64::from(width));
            match () {
                () if b.is_poison(a) || !b.width_ok(line, "slice", width64) => b.quiet_poison(ty),
                () if lo64 + width64 > u64::from(of.width) => {
                    b.poison(line, Problem::Range { lo: lo64, width: width64, of }, ty)
                }
                () => b.node(Op::Slice { from: a, lo }, ty),
            }
        })
    }

    /// Bit `i`.
    #[track_caller]
    pub fn bit(self, i: u32) -> Signal {
        self.slice(i, 1)
    }

    /// The highest bit: the sign of a signed number.
    #[track_caller]
    pub fn msb(self) -> Signal {
        self.bit(self.width() - 1)
    }

    /// Splits a packed bus; lane `i` is bits `[width * i +: width]`, unsigned.
    #[track_caller]
    pub fn lanes(self, width: u32) -> Vec<Signal> {
        let (line, from) = (Location::caller(), self.ty());
        if width == 0 || !from.width.is_multiple_of(width) {
            let stand_in = build(|b| b.poison(line, Problem::Lanes { from, lane: width }, unsigned(width)));
            return vec![stand_in; from.width.div_ceil(width.max(1)) as usize];
        }
        (0..from.width / width).map(|i| self.slice(i * width, width)).collect()
    }

    /// `n` copies side by side, unsigned.
    #[track_caller]
    pub fn repeat(self, n: u32) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let width = u64::from(b.ty(a).width) * u64::from(n);
            let ty = unsigned(width.min(u64::from(u32::MAX)) as u32);
            let fits = b.width_ok(line, "repeat", width);
            if !fits || b.is_poison(a) { b.quiet_poison(ty) } else { b.node(Op::Repeat(a), ty) }
        })
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

    /// 1 if no bit is.
    #[track_caller]
    pub fn is_zero(self) -> Signal {
        self.eq_lit(0)
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

    /// A constant of this signal's type.
    #[track_caller]
    fn sized_literal(self, value: impl Value) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let ty = b.ty(a);
            if b.is_poison(a) { b.quiet_poison(ty) } else { b.literal(line, ty, value) }
        })
    }

    #[track_caller]
    fn unary(self, unary: Unary, result: Option<Type>) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let ty = result.unwrap_or(b.ty(a));
            if b.is_poison(a) { b.quiet_poison(ty) } else { b.node(Op::Unary(unary, a), ty) }
        })
    }

    /// An operator whose operands have one type; `result` is that type unless given.
    #[track_caller]
    fn same(self, other: Signal, operator: &'static str, binary: Binary, result: Option<Type>) -> Signal {
        let line = Location::caller();
        build(|b| {
            let (x, y) = (b.resolve(line, self), b.resolve(line, other));
            let (left, right) = (b.ty(x), b.ty(y));
            let ty = result.unwrap_or(left);
            match () {
                () if b.is_poison(x) || b.is_poison(y) => b.quiet_poison(ty),
                () if left != right => b.poison(line, Problem::Mismatch { operator, left, right }, ty),
                () => b.node(Op::Binary(binary, x, y), ty),
            }
        })
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
}
