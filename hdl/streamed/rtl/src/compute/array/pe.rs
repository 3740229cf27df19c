//! Processing element: `p_out = p_in + x * weight`. The next weight shifts through `shadow` and takes effect in the
//! cycle after `swap`. A first one has no `p_in`. In a deep one the product waits for `add` in a register, one cycle.

use super::geometry::{ACC, Geometry};
use sagen_lang::{Design, Module, ModuleId, Output, Reg, Signal, Type, bit, interface, signed};

interface! {
    /// Cell of a band: codes and weights pass through it, sums are made in it.
    pub(super) struct Cell(g: Geometry, first: bool, of: Widths) {
        load: -> bit(),
        swap: -> bit(),
        x: -> of.x,
        w_in: -> of.w,
        p_in(optional): -> (!first).then_some(of.p),
        en: -> bit(),
        add(optional): -> g.deep.then(bit),
        w_out: <- of.w,
        p_out: <- of.p,
    }
}

/// What a cell carries: a code, weights on their way, sums.
#[derive(Clone, Copy)]
pub(super) struct Widths {
    pub(super) x: Type,
    pub(super) w: Type,
    pub(super) p: Type,
}

/// Sums are carried in 32-bit lanes: a DSP holds more, and a simulator needs no masks.
pub(super) fn pe(d: &mut Design, g: Geometry, first: bool) -> ModuleId {
    d.module(format!("array_pe{}{}", if first { "_first" } else { "" }, g.pipeline()), |m| {
        m.doc("p_out = p_in + x * weight; the next weight waits in shadow.");
        let of = Widths { x: signed(8), w: signed(8), p: signed(ACC) };
        let port = m.slave("", Cell::layout(g, first, of));
        let shadow = m.reg_en("shadow", port.load, port.w_in);
        let weight = m.reg_en("weight", port.swap, shadow);
        // As wide as the sum: the product is used once, so a simulator computes it only where `en` is high.
        let product = m.net("product", port.x.extend(ACC / 2) * weight.extend(ACC / 2));
        port.w_out.drive(shadow);
        port.p_out.drive(sum(m, &port, port.p_in, product));
    })
}

/// The register of the sum, with one for the product before it in a deep pipeline.
pub(super) fn sum(m: &Module, port: &Cell<Signal, Output>, p_in: Option<Signal>, product: Signal) -> Reg {
    let (product, add) = match port.add {
        Some(add) => (m.reg_en("product_late", port.en, product).q(), add),
        None => (product, port.en),
    };
    m.reg_en("p", add, p_in.map_or(product, |p| p + product)).use_dsp()
}
