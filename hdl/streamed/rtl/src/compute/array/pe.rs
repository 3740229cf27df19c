//! Processing element: `p_out = p_in + x * weight`. The next weight shifts through `shadow` and takes effect in the
//! cycle after `swap`. A first one has no `p_in`. In a deep one the product waits for `add` in a register, one cycle.

use super::geometry::{ACC, Geometry};
use sagen_lang::{Design, Module, ModuleId, Reg, Signal, bit, signed};

/// Sums are carried in 32-bit lanes: a DSP holds more, and a simulator needs no masks.
pub(super) fn pe(d: &mut Design, g: Geometry, first: bool) -> ModuleId {
    d.module(format!("array_pe{}{}", if first { "_first" } else { "" }, g.pipeline()), |m| {
        m.doc("p_out = p_in + x * weight; the next weight waits in shadow.");
        let (load, swap) = (m.input("load", bit()), m.input("swap", bit()));
        let (x, w_in) = (m.input("x", signed(8)), m.input("w_in", signed(8)));
        let shadow = m.reg_en("shadow", load, w_in);
        let weight = m.reg_en("weight", swap, shadow);
        // As wide as the sum: the product is used once, so a simulator computes it only where `en` is high.
        let product = m.net("product", x.extend(ACC / 2) * weight.extend(ACC / 2));
        let p_in = (!first).then(|| m.input("p_in", signed(ACC)));
        m.output("w_out", shadow);
        m.output("p_out", sum(m, g, p_in, product));
    })
}

/// The register of the sum, with one for the product before it in a deep pipeline.
pub(super) fn sum(m: &Module, g: Geometry, p_in: Option<Signal>, product: Signal) -> Reg {
    let en = m.input("en", bit());
    let (product, add) = match g.deep {
        true => (m.reg_en("product_late", en, product).q(), m.input("add", bit())),
        false => (product, en),
    };
    m.reg_en("p", add, p_in.map_or(product, |p| p + product)).use_dsp()
}
