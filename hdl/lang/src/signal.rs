//! Values of exact width and sign, and the operators on them. Nothing widens, narrows or changes sign unasked.

mod arithmetic;
mod compare;
mod layout;
mod logic;

use crate::builder::{self, Builder, Line};
use crate::errors::Problem;
use crate::node::{Binary, NodeId, Op, Unary};
use crate::types::{Type, Value, bit, unsigned};
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

    /// A constant of this signal's type.
    #[track_caller]
    pub(super) fn sized_literal(self, value: impl Value) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let ty = b.ty(a);
            if b.is_poison(a) { b.quiet_poison(ty) } else { b.literal(line, ty, value) }
        })
    }

    #[track_caller]
    pub(super) fn unary(self, unary: Unary, result: Option<Type>) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let ty = result.unwrap_or(b.ty(a));
            if b.is_poison(a) { b.quiet_poison(ty) } else { b.node(Op::Unary(unary, a), ty) }
        })
    }

    /// An operator whose operands have one type; `result` is that type unless given.
    #[track_caller]
    pub(super) fn same(self, other: Signal, operator: &'static str, binary: Binary, result: Option<Type>) -> Signal {
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
}
