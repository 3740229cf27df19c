//! Processing element: `p_out = p_in + x * weight`, one clock. The next weight shifts through `shadow` and takes
//! effect in the cycle after `swap`.

use super::geometry::ACC;
use sagen_lang::{Design, ModuleId, bit, signed};

/// Sums are carried in 32-bit lanes: a DSP holds more, and a simulator needs no masks.
pub(super) fn pe(d: &mut Design) -> ModuleId {
    d.module("array_pe", |m| {
        m.doc("p_out = p_in + x * weight; the next weight waits in shadow.");
        let (load, swap, en) = (m.input("load", bit()), m.input("swap", bit()), m.input("en", bit()));
        let (x, w_in) = (m.input("x", signed(8)), m.input("w_in", signed(8)));
        let p_in = m.input("p_in", signed(ACC));
        let shadow = m.reg_en("shadow", load, w_in);
        let weight = m.reg_en("weight", swap, shadow);
        // As wide as the sum: the product is used once, so a simulator computes it only where `en` is high.
        let product = m.net("product", x.extend(ACC / 2) * weight.extend(ACC / 2));
        m.output("w_out", shadow);
        m.output("p_out", m.reg_en("p", en, p_in + product));
    })
}
