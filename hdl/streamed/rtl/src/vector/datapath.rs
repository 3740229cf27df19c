//! What an operation makes of the lanes: which operands their multipliers take, and which products count.

use super::lane::{X1, X2, Y1, Y2};
use super::operation::Operation;
use sagen_lang::{Signal, lit};
use sagen_streamed_isa::VectorOpcode;

/// One operation. Of two values the first is for even words, the second for odd ones.
struct Datapath {
    x1: X1,
    y1: [Y1; 2],
    x2: X2,
    y2: [Y2; 2],
    products: Products,
    scalar: Scalar,
}

/// What counts of the two products.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Products {
    /// The first one.
    First,
    /// Both.
    Sum,
    /// Both, the second of an even word with a minus.
    Rotation,
}

/// The factor that all lanes share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Immediate,
    One,
    Multiplier,
}

impl Datapath {
    fn of(operation: VectorOpcode) -> Self {
        // `a * b`, where nothing else is said.
        let (x1, y1, x2, y2) = (X1::A, [Y1::B; 2], X2::A, [Y2::A; 2]);
        let (products, scalar) = (Products::First, Scalar::Immediate);
        match operation {
            VectorOpcode::Mul => Self { x1, y1, x2, y2, products, scalar },
            VectorOpcode::Add => {
                let (y1, y2) = ([Y1::Scalar; 2], [Y2::Scalar; 2]);
                Self { x1, y1, x2: X2::B, y2, products: Products::Sum, scalar: Scalar::One }
            }
            VectorOpcode::Rope => {
                let (y1, y2) = ([Y1::Low, Y1::Y2], [Y2::High, Y2::Y1]);
                Self { x1: X1::Kept, y1, x2, y2, products: Products::Rotation, scalar }
            }
            VectorOpcode::Glu => Self { x1: X1::Gated, y1, x2: X2::Gate, y2: [Y2::Factor; 2], products, scalar },
            VectorOpcode::Quant => Self { x1, y1: [Y1::Scalar; 2], x2, y2, products, scalar: Scalar::Multiplier },
        }
    }
}

/// The result is a sum of two products.
pub(super) fn paired(op: &Operation) -> Signal {
    let of = |products: Products| op.any(|operation| Datapath::of(operation).products == products);
    of(Products::Rotation) | of(Products::Sum)
}

/// A multiplier, the 1 of a sum, or the immediate.
pub(super) fn scalar(op: &Operation) -> Signal {
    let of = |scalar: Scalar| op.any(|operation| Datapath::of(operation).scalar == scalar);
    of(Scalar::Multiplier).mux(op.multiplier().extend(32), of(Scalar::One).mux(lit(32, 1), op.immediate()))
}

/// What the operands of the lanes are, for even and odd words.
pub(super) struct Picks {
    pub(super) x1: Signal,
    pub(super) x2: Signal,
    pub(super) y1: [Signal; 2],
    pub(super) y2: [Signal; 2],
}

impl Picks {
    pub(super) fn new(op: &Operation) -> Self {
        let operand = |width, otherwise, of| Operand { op, width, otherwise, of };
        let x1 = operand(2, X1::A as u64, |d| d.x1 as u64);
        let x2 = operand(2, X2::A as u64, |d| d.x2 as u64);
        let y1 = |of, rope: Y1, half: Y1| {
            let y1 = operand(3, Y1::B as u64, of);
            let shared = y1.takes(Y1::Scalar as u64) | op.b_immediate();
            let rotated = y1.takes(rope as u64);
            y1.choose(&[(rope as u64, rotated), (Y1::Scalar as u64, shared), (half as u64, op.b_half())])
        };
        let y2 = |of, rope: Y2| {
            let y2 = operand(3, Y2::A as u64, of);
            let shared = y2.takes(Y2::Scalar as u64) | op.a_immediate();
            let [rotated, gated] = [rope as u64, Y2::Factor as u64].map(|value| (value, y2.takes(value)));
            y2.choose(&[rotated, gated, (Y2::Scalar as u64, shared)])
        };
        let (kept, gated) = (X1::Kept as u64, X1::Gated as u64);
        let (gate, b) = (X2::Gate as u64, X2::B as u64);
        Self {
            x1: x1.choose(&[(kept, x1.takes(kept)), (gated, x1.takes(gated)), (X1::Scalar as u64, op.a_immediate())]),
            x2: x2.choose(&[(gate, x2.takes(gate)), (b, x2.takes(b)), (X2::Scalar as u64, op.a_immediate())]),
            y1: [y1(|d| d.y1[0] as u64, Y1::Low, Y1::Low), y1(|d| d.y1[1] as u64, Y1::Y2, Y1::High)],
            y2: [y2(|d| d.y2[0] as u64, Y2::High), y2(|d| d.y2[1] as u64, Y2::Y1)],
        }
    }
}

/// One operand of a multiplier.
struct Operand<'a> {
    op: &'a Operation,
    width: u32,
    /// What it is where no case holds.
    otherwise: u64,
    of: fn(&Datapath) -> u64,
}

impl Operand<'_> {
    /// High while the operation takes this one.
    fn takes(&self, value: u64) -> Signal {
        self.op.any(|operation| (self.of)(&Datapath::of(operation)) == value)
    }

    /// The first case that holds.
    fn choose(&self, cases: &[(u64, Signal)]) -> Signal {
        for operation in VectorOpcode::ALL {
            let value = (self.of)(&Datapath::of(*operation));
            let known = value == self.otherwise || cases.iter().any(|case| case.0 == value);
            assert!(known, "{operation:?} takes an operand that no case picks: {value}");
        }
        let otherwise = lit(self.width, self.otherwise);
        cases.iter().rev().fold(otherwise, |other, (value, case)| case.mux(lit(self.width, *value), other))
    }
}
