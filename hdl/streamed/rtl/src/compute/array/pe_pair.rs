//! Processing elements of two columns that share a code, in one multiplier of 27 bits:
//! `p_out = p_in + x * (high * 2^18 + low)`, which is `x * high` and `x * low` side by side.
//!
//! `x` is a code negated: sums of 8 products with codes lie in -130048 ..= 131072, their negatives fit 18 bits. The low
//! field starts at 2^17, so it never borrows from the high one. Weights shift through `shadow` as a pair, see `pair`.

use super::geometry::{BAND_SUM, Geometry};
use super::pe::{Cell, Widths, sum};
use sagen_lang::{Design, Module, ModuleId, Signal, cat, signed, unsigned};

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
        let of = Widths { x: signed(CODE), w: unsigned(PAIR), p: signed(SUMS) };
        let port = m.slave("", Cell::layout(g, first, of));
        let shadow = m.reg_en("shadow", port.load, port.w_in);
        let low = shadow.slice(0, 8).as_signed().extend(BAND_SUM);
        let weights = cat(&[shadow.slice(8, 9), low.as_unsigned()]).as_signed();
        let weight = m.reg_en("weight", port.swap, weights);
        let product = m.net("product", port.x * weight);
        let p_in = port.p_in.unwrap_or_else(|| m.lit(signed(SUMS), 1 << (BAND_SUM - 1)));
        port.w_out.drive(shadow);
        port.p_out.drive(sum(m, &port, Some(p_in), product));
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
