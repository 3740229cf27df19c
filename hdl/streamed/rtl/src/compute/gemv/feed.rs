//! Feed: accepts descriptors, reads their activation scales, and fetches the code words of the resident
//! vectors group by group, each while the group before it is being multiplied.
//!
//! A descriptor is *offered* with its plan and scales until it is taken; its code words keep coming
//! after that. The next descriptor is accepted once the last code word of the present one was asked for.

use super::plan::{self, field};
use crate::compute::requant::BASE_BITS;
use sagen_lang::{Design, Module, ModuleId, Reg, Signal, bit, pack, unsigned};
use sagen_streamed_isa::VECTORS;

/// The feed.
pub(super) fn feed(d: &mut Design) -> ModuleId {
    d.module("gemv_feed", |m| {
        let desc = m.input("desc", unsigned(512));
        let desc_valid = m.input("desc_valid", bit());
        let take = m.input("take", bit());
        let fetching = m.reg("fetching", bit()).reset(0);
        let held = m.reg("held", bit()).reset(0);
        let desc_ready = m.net("open", !held & !fetching);
        let accept = m.net("accept", desc_valid & desc_ready);
        let plan = m.reg_en("plan", accept, plan::of(m, desc));
        let opened = m.reg("opened", bit()).reset(0);
        m.set(opened, accept);
        let scaled = scales(m, opened.q(), plan.q());
        codes(m, opened.q(), plan.q(), fetching);
        m.when(take, || m.set(held, m.lit(bit(), 0)));
        m.when(accept, || m.set(held, m.lit(bit(), 1)));
        m.output("desc_ready", desc_ready);
        m.output("holds", held);
        m.output("offered", held & !opened & scaled);
        m.output("next", plan);
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
fn scales(m: &Module, opened: Signal, plan: Signal) -> Signal {
    let walk = Walk::new(m, "scale", 12);
    let reading = m.reg("scale_reading", bit()).reset(0);
    m.when(reading, || {
        m.set(walk.addr, walk.addr + walk.stride);
        m.set(walk.vector, walk.vector.add_lit(1));
        m.when(walk.at_last(), || m.set(reading, m.lit(bit(), 0)));
    });
    m.when(opened, || {
        walk.start(m, field(plan, "scale"), field(plan, "scale_stride"), plan::last_vector(field(plan, "active")));
        m.set(reading, !field(plan, "sum"));
    });
    m.output("scale_en", reading);
    m.output("scale_addr", walk.addr);
    let data = m.input("scale_data", unsigned(24));
    let arrives = m.reg("scale_arrives", bit()).reset(0);
    m.set(arrives, reading);
    let vector = m.reg_en("scale_arriving", reading, walk.vector);
    let mantissa = data.slice(0, 16);
    let exponent = data.slice(16, 8).as_signed().extend(BASE_BITS);
    let base = m.net("scale_base", field(plan, "shift").extend(BASE_BITS) - exponent);
    let (mut mantissas, mut bases) = (Vec::new(), Vec::new());
    for v in 0..VECTORS {
        let here = arrives & vector.eq_lit(v);
        mantissas.push(m.reg_en(&format!("mantissa{v}"), here, mantissa).q());
        bases.push(m.reg_en(&format!("base{v}"), here, base).q());
    }
    m.output("next_mantissas", pack(&mantissas));
    m.output("next_bases", pack(&bases));
    !reading & !arrives
}

/// Fetches code words into one register a vector.
fn codes(m: &Module, opened: Signal, plan: Signal, fetching: Reg) {
    let consume = m.input("consume", bit());
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
    m.when(consume, || m.set(occupied, m.lit(bit(), 0)));
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
        let x = field(plan, "x");
        walk.start(m, x, field(plan, "x_stride"), plan::last_vector(field(plan, "active")));
        m.set(first, x);
        m.set(base, x);
        m.set(group, m.lit(unsigned(8), 0));
        m.set(last_group, field(plan, "last_group"));
        m.set(block, m.lit(unsigned(17), 0));
        m.set(last_block, field(plan, "last"));
        m.set(fetching, !field(plan, "sum"));
    });
    m.output("code_en", ask);
    m.output("code_addr", walk.addr);
    words(m, Ask { ask, end, vector: walk.vector.q(), consume });
}

#[derive(Clone, Copy)]
struct Ask {
    ask: Signal,
    end: Signal,
    vector: Signal,
    consume: Signal,
}

/// Catches the words two cycles after they were asked for.
fn words(m: &Module, request: Ask) {
    let data = m.input("code_data", unsigned(512));
    let shift = m.input("code_shift", unsigned(2));
    let (asked1, asked2) = (m.reg("asked1", bit()).reset(0), m.reg("asked2", bit()).reset(0));
    let (end1, end2) = (m.reg("end1", bit()).reset(0), m.reg("end2", bit()).reset(0));
    m.set(asked1, request.ask);
    m.set(asked2, asked1);
    m.set(end1, request.end);
    m.set(end2, end1);
    let vector1 = m.reg_en("vector1", request.ask, request.vector);
    let vector2 = m.reg_en("vector2", asked1, vector1);
    for v in 0..VECTORS {
        let here = m.net(&format!("arrives{v}"), asked2 & vector2.eq_lit(v));
        m.output(&format!("word{v}"), m.reg_en(&format!("word{v}_q"), here, data));
        m.output(&format!("shift{v}"), m.reg_en(&format!("shift{v}_q"), here, shift));
    }
    let valid = m.reg("words_ready", bit()).reset(0);
    m.when(request.consume, || m.set(valid, m.lit(bit(), 0)));
    m.when(end2, || m.set(valid, m.lit(bit(), 1)));
    m.output("words_valid", valid);
}
