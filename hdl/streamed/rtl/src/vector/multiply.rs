//! Multipliers: the 32 x 32 one of a lane, and those that a state machine uses in turn.

use super::shape::Shape;
use sagen_lang::{Module, Signal, bit, cat, high};

/// Unsigned low bits that fit a multiplier of 18 bits with sign.
const LOW: u32 = 17;

/// `x * y` in `Shape::multiply` registers, each under its own enable.
pub(super) fn multiply(m: &Module, shape: Shape, name: &str, x: Signal, y: Signal, enables: &[Signal]) -> Signal {
    if shape.deep { in_parts(m, name, x, y, [enables[0], enables[1]]) } else { m.reg_en(name, enables[0], x * y).q() }
}

/// Four products in registers of their own, then their sum.
fn in_parts(m: &Module, name: &str, x: Signal, y: Signal, enables: [Signal; 2]) -> Signal {
    let low = |v: Signal| v.slice(0, LOW).as_signed_ext();
    let high = |v: Signal| v.slice(LOW, 32 - LOW).as_signed();
    let part = |part: &str, x: Signal, y: Signal| m.reg_en(&format!("{name}_{part}"), enables[0], x.mul(y)).q();
    let (ll, hh) = (part("ll", low(x), low(y)), part("hh", high(x), high(y)));
    let (lh, hl) = (part("lh", low(x), high(y)), part("hl", high(x), low(y)));
    let outer = cat(&[hh, ll.slice(LOW, LOW)]).as_signed();
    let upper = outer + lh.add_full(hl).extend(64 - LOW);
    m.reg_en(name, enables[1], cat(&[upper, ll.slice(0, LOW)]).as_signed()).q()
}

/// A product, and whether it is that of the present operands.
pub(super) struct Settled {
    pub(super) product: Signal,
    pub(super) settled: Signal,
}

/// The product that is used while `needed`; in a deep unit it comes out of a register in the second cycle of each.
pub(super) fn in_turn(m: &Module, shape: Shape, name: &str, product: Signal, needed: Signal) -> Settled {
    if !shape.deep {
        return Settled { product: m.net(name, product), settled: high() };
    }
    let settled = m.reg("settled", bit()).reset(0);
    m.set(settled, needed & !settled);
    Settled { product: m.reg_en(name, needed, product).q(), settled: settled.q() }
}
