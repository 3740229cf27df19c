//! Feed: accepts descriptors, reads their activation scales, and fetches the code words of the resident
//! vectors group by group, each while the group before it is being multiplied.
//!
//! A descriptor is *offered* with its plan and scales until it is taken; its code words keep coming
//! after that. The next descriptor is accepted once the last code word of the present one was asked for.

use super::plan::{self, Plan};
use super::{BASES, MANTISSAS};
use crate::interface::{Beats, CodeRead, ScaleRead, data_first};
use sagen_blocks::requant::BASE_BITS;
use sagen_lang::{
    Bundle, Design, Layout, Module, ModuleId, Output, Packed, Reg, Signal, Type, bit, bundle, interface, pack, unsigned,
};
use sagen_streamed_isa::VECTORS;

interface! {
    /// Feed to sequencer: the next descriptor, and when code words come and go.
    pub(super) struct Feed() {
        /// A descriptor is there with its plan and scales.
        offered: -> bit(),
        next: -> Plan::layout().bus(),
        next_mantissas: -> unsigned(MANTISSAS),
        next_bases: -> unsigned(BASES),
        /// It is taken.
        take: <- bit(),
        /// The code words of a group are there.
        words_valid: -> bit(),
        /// They are used up.
        consume: <- bit(),
    }
}

type Port = Feed<Output, Signal>;

bundle! {
    /// The code words of a group.
    pub(super) struct Codes() {
        word[VECTORS]: unsigned(512),
        shift[VECTORS]: unsigned(2),
    }
}

/// The feed.
pub(super) fn feed(d: &mut Design) -> ModuleId {
    d.module("gemv_feed", |m| {
        m.doc("Accepts descriptors, reads their scales, and fetches the code words of the resident vectors.");
        let (desc, port) = (m.slave(data_first("desc"), Beats::layout(512)), m.master("", Feed::layout()));
        let fetching = m.reg("fetching", bit()).reset(0);
        let held = m.reg("held", bit()).reset(0);
        let desc_ready = m.net("open", !held & !fetching);
        let accept = m.net("accept", desc.valid & desc_ready);
        let plan = plan::of(m, desc.data).reg_en(m, "plan", accept);
        let opened = m.flag("opened", accept);
        let scaled = scales(m, &port, opened, plan);
        codes(m, &port, opened, plan, fetching);
        m.when(port.take, || m.set(held, m.lit(bit(), 0)));
        m.when(accept, || m.set(held, m.lit(bit(), 1)));
        desc.ready.drive(desc_ready);
        m.output("holds", held);
        port.offered.drive(held & !opened & scaled);
        port.next.drive(plan);
    })
}

/// One read a cycle, vector by vector.
struct Walk {
    addr: Reg,
    stride: Reg,
    vector: Reg,
    last_vector: Reg,
}

impl Walk {
    fn new(m: &Module, name: &str, width: u32) -> Self {
        Self {
            addr: m.reg(&format!("{name}_at"), unsigned(width)),
            stride: m.reg(&format!("{name}_stride"), unsigned(width)),
            vector: m.reg(&format!("{name}_vector"), unsigned(2)),
            last_vector: m.reg(&format!("{name}_last_vector"), unsigned(2)),
        }
    }
    fn start(&self, m: &Module, first: Signal, stride: Signal, last_vector: Signal) {
        m.set(self.addr, first);
        m.set(self.stride, stride);
        m.set(self.vector, m.lit(unsigned(2), 0));
        m.set(self.last_vector, last_vector);
    }
    fn at_last(&self) -> Signal {
        self.vector.eq(self.last_vector)
    }
}

/// Reads the scale of each vector; returns whether all are there.
fn scales(m: &Module, port: &Port, opened: Signal, plan: Packed<Plan<Type>>) -> Signal {
    let walk = Walk::new(m, "scale", 12);
    let reading = m.reg("scale_reading", bit()).reset(0);
    m.when(reading, || {
        m.set(walk.addr, walk.addr + walk.stride);
        m.set(walk.vector, walk.vector.add_lit(1));
        m.when(walk.at_last(), || m.set(reading, m.lit(bit(), 0)));
    });
    m.when(opened, || {
        walk.start(m, plan.get(|p| p.scale), plan.get(|p| p.scale_stride), plan::last_vector(plan.get(|p| p.active)));
        m.set(reading, !plan.get(|p| p.sum));
    });
    let scale = m.master("scale_", ScaleRead::layout());
    scale.en.drive(reading);
    scale.addr.drive(walk.addr);
    let arrives = m.flag("scale_arrives", reading);
    let vector = m.reg_en("scale_arriving", reading, walk.vector);
    let mantissa = scale.data.slice(0, 16);
    let exponent = scale.data.slice(16, 8).as_signed().extend(BASE_BITS);
    let base = m.net("scale_base", plan.get(|p| p.shift).extend(BASE_BITS) - exponent);
    let (mut mantissas, mut bases) = (Vec::new(), Vec::new());
    for v in 0..VECTORS {
        let here = arrives & vector.eq_lit(v);
        mantissas.push(m.reg_en(&format!("mantissa{v}"), here, mantissa).q());
        bases.push(m.reg_en(&format!("base{v}"), here, base).q());
    }
    port.next_mantissas.drive(pack(&mantissas));
    port.next_bases.drive(pack(&bases));
    !reading & !arrives
}

/// Fetches code words into one register a vector.
fn codes(m: &Module, port: &Port, opened: Signal, plan: Packed<Plan<Type>>, fetching: Reg) {
    let walk = Walk::new(m, "code", 16);
    let first = m.reg("code_first", unsigned(16));
    let base = m.reg("code_base", unsigned(16));
    let (group, last_group) = (m.reg("code_group", unsigned(8)), m.reg("code_last_group", unsigned(8)));
    let (block, last_block) = (m.reg("code_block", unsigned(17)), m.reg("code_last_block", unsigned(17)));
    // The word registers are waiting for data or holding it.
    let occupied = m.reg("occupied", bit()).reset(0);
    let ask = m.net("ask", fetching & !occupied);
    let end = m.net("ask_end", ask & walk.at_last());
    let last_of_block = m.net("code_last_of_block", group.eq(last_group));
    let next_base = m.net("code_next_base", last_of_block.mux(first, base.add_lit(1)));
    m.when(port.consume, || m.set(occupied, m.lit(bit(), 0)));
    m.when(ask, || {
        m.set(walk.addr, walk.addr + walk.stride);
        m.set(walk.vector, walk.vector.add_lit(1));
    });
    m.when(end, || {
        m.set(occupied, m.lit(bit(), 1));
        m.set(walk.vector, m.lit(unsigned(2), 0));
        m.set(walk.addr, next_base);
        m.set(base, next_base);
        m.set(group, group.add_lit(1));
        m.when(last_of_block, || {
            m.set(group, m.lit(unsigned(8), 0));
            m.set(block, block.add_lit(1));
            m.set(fetching, block.ne(last_block));
        });
    });
    m.when(opened, || {
        let x = plan.get(|p| p.x);
        walk.start(m, x, plan.get(|p| p.x_stride), plan::last_vector(plan.get(|p| p.active)));
        m.set(first, x);
        m.set(base, x);
        m.set(group, m.lit(unsigned(8), 0));
        m.set(last_group, plan.get(|p| p.last_group));
        m.set(block, m.lit(unsigned(17), 0));
        m.set(last_block, plan.get(|p| p.last));
        m.set(fetching, !plan.get(|p| p.sum));
    });
    let code = m.master("code_", CodeRead::layout());
    code.en.drive(ask);
    code.addr.drive(walk.addr);
    words(m, port, &code, Ask { ask, end, vector: walk.vector.q() });
}

#[derive(Clone, Copy)]
struct Ask {
    ask: Signal,
    end: Signal,
    vector: Signal,
}

/// Catches the words two cycles after they were asked for.
fn words(m: &Module, port: &Port, code: &CodeRead<Output, Signal>, request: Ask) {
    let (asked, end) = (m.flags("asked", request.ask, 2), m.flags("end", request.end, 2));
    let vector1 = m.reg_en("vector1", request.ask, request.vector);
    let vector2 = m.reg_en("vector2", asked[1], vector1);
    let caught: [[Signal; 2]; VECTORS] = std::array::from_fn(|v| {
        let here = m.net(&format!("arrives{v}"), asked[2] & vector2.eq_lit(v as u64));
        [("word", code.data), ("shift", code.shift)].map(|(n, s)| m.reg_en(&format!("{n}{v}_q"), here, s).q())
    });
    Codes { word: caught.map(|[word, _]| word), shift: caught.map(|[_, shift]| shift) }.outputs(m, "");
    let valid = m.reg("words_ready", bit()).reset(0);
    m.when(port.consume, || m.set(valid, m.lit(bit(), 0)));
    m.when(end[2], || m.set(valid, m.lit(bit(), 1)));
    port.words_valid.drive(valid);
}
