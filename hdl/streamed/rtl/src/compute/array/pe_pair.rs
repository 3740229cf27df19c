//! Processing elements of two columns that share a code, in one multiplier of 27 bits:
//! `p_out = p_in + x * (high * 2^18 + low)`, which is `x * high` and `x * low` side by side.
//!
//! `x` is a code negated: sums of 8 products with codes lie in -130048 ..= 131072, their negatives fit 18 bits. The low
//! field starts at 2^17, so it never borrows from the high one. Weights shift through `shadow` as a pair, see `pair`.

use super::geometry::{BAND_SUM, Geometry};
use super::pe::sum;
use sagen_lang::{Design, Module, ModuleId, Signal, bit, cat, signed, unsigned};

/// Bits of a negated code.
pub(super) const CODE: u32 = 9;
/// Bits of two weights on their way: the high one, less one if the low one is negative, and the low one.
pub(super) const PAIR: u32 = 9 + 8;
/// Bits of two sums.
pub(super) const SUMS: u32 = 2 * BAND_SUM;

/// A first one has no `p_in`.
pub(super) fn pe_pair(d: &mut Design, g: Geometry, first: bool) -> ModuleId {
    d.module(format!("array_pair{}{}", if first { "_first" } else { "" }, g.pipeline()), |m| {
        m.doc("p_out = p_in + x * two weights; the next weights wait in shadow.");
        let (load, swap) = (m.input("load", bit()), m.input("swap", bit()));
        let (x, w_in) = (m.input("x", signed(CODE)), m.input("w_in", unsigned(PAIR)));
        let shadow = m.reg_en("shadow", load, w_in);
        let low = shadow.slice(0, 8).as_signed().extend(BAND_SUM);
        let weights = cat(&[shadow.slice(8, 9), low.as_unsigned()]).as_signed();
        let weight = m.reg_en("weight", swap, weights);
        let product = m.net("product", x * weight);
        let p_in = if first { m.lit(signed(SUMS), 1 << (BAND_SUM - 1)) } else { m.input("p_in", signed(SUMS)) };
        m.output("w_out", shadow);
        m.output("p_out", sum(m, g, Some(p_in), product));
    })
}

/// Two weights as they travel.
pub(super) fn pair(high: Signal, low: Signal) -> Signal {
    let borrow = low.msb().extend(9).as_signed();
    cat(&[(high.extend(9) - borrow).as_unsigned(), low.as_unsigned()])
}

/// The sums of a pair's two columns, the high one first.
pub(super) fn split(p: Signal) -> [Signal; 2] {
    let low = cat(&[!p.bit(BAND_SUM - 1), p.slice(0, BAND_SUM - 1)]);
    [p.slice(BAND_SUM, BAND_SUM).as_signed(), low.as_signed()]
}

/// The negative of a code.
pub(super) fn negated(m: &Module, code: Signal) -> Signal {
    m.lit(signed(CODE), 0) - code.extend(CODE)
}
