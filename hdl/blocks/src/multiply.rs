//! Multipliers: one of 32 x 32 bits, and those that a state machine uses in turn.

use crate::Depth;
use sagen_lang::{Module, Signal, bit, cat, high};

/// Unsigned low bits that fit a multiplier of 18 bits with sign.
const LOW: u32 = 17;

/// `x * y` in a register; or four products in registers of their own, then their sum under its own enable.
pub fn multiply(m: &Module, name: &str, x: Signal, y: Signal, product: Signal, combine: Option<Signal>) -> Signal {
    let Some(combine) = combine else { return m.reg_en(name, product, x * y).q() };
    let low = |v: Signal| v.slice(0, LOW).as_signed_ext();
    let high = |v: Signal| v.slice(LOW, 32 - LOW).as_signed();
    let part = |part: &str, x: Signal, y: Signal| m.reg_en(&format!("{name}_{part}"), product, x.mul(y)).q();
    let (ll, hh) = (part("ll", low(x), low(y)), part("hh", high(x), high(y)));
    let (lh, hl) = (part("lh", low(x), high(y)), part("hl", high(x), low(y)));
    let outer = cat(&[hh, ll.slice(LOW, LOW)]).as_signed();
    let upper = outer + lh.add_full(hl).extend(64 - LOW);
    m.reg_en(name, combine, cat(&[upper, ll.slice(0, LOW)]).as_signed()).q()
}

/// A product, and whether it is that of the present operands.
pub struct Settled {
    /// The product.
    pub product: Signal,
    /// It is.
    pub settled: Signal,
}

/// The product that is used while `needed`; in a deep unit it comes out of a register in the second cycle of each.
pub fn in_turn(m: &Module, depth: Depth, name: &str, product: Signal, needed: Signal) -> Settled {
    if !depth.is_deep() {
        return Settled { product: m.net(name, product), settled: high() };
    }
    let settled = m.reg("settled", bit()).reset(0);
    m.set(settled, needed & !settled);
    Settled { product: m.reg_en(name, needed, product).q(), settled: settled.q() }
}
