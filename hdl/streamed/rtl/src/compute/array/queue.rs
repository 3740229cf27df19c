//! Accepted descriptors. Three readers go through them in order, each at its own pace: the intake of beats, the
//! issue of steps and the drain of results. A reader copies what it needs when it takes a descriptor.

use crate::fields::{field, layout};
use sagen_lang::{Design, Module, ModuleId, RamStyle, Signal, bit, pack, unsigned};

/// Descriptors that may be accepted and not done.
const DEPTH: u32 = 4;

/// What each reader is given.
pub(super) const READERS: [(&str, &[&str]); 3] = [
    ("intake", &["groups", "blocks"]),
    ("issue", &["x", "x_stride", "rows", "groups", "blocks"]),
    ("drain", &["rows", "blocks", "y", "y_stride", "scale", "scale_stride", "shift"]),
];

/// `<reader>_valid` with `<reader>_<field>` until `<reader>_take`. `busy` while a descriptor is not done.
pub(super) fn queue(d: &mut Design) -> ModuleId {
    d.module("array_queue", |m| {
        let desc = m.input("desc", unsigned(512));
        let (desc_valid, done) = (m.input("desc_valid", bit()), m.input("done", bit()));
        let count = m.reg("count", unsigned(DEPTH.ilog2() + 1)).reset(0);
        let ready = m.net("accepts", !count.bit(DEPTH.ilog2()));
        let accept = m.net("accept", desc_valid & ready);
        tally(m, "count", count, accept, done);
        m.output("desc_ready", ready);
        m.output("busy", !count.is_zero());

        let body = layout("Matmul").fields;
        let all: Vec<Signal> = body.iter().map(|f| desc.slice(f.lo, f.width)).collect();
        let entries = m.memory("entries", DEPTH, all.iter().map(|s| s.width()).sum());
        let entries = entries.style(RamStyle::Distributed);
        let write_at = m.reg("write_at", unsigned(DEPTH.ilog2())).reset(0);
        entries.write(accept, write_at, pack(&all));
        m.when(accept, || m.set(write_at, write_at.add_lit(1)));
        for (reader, names) in READERS {
            let take = m.input(&format!("{reader}_take"), bit());
            let at = m.reg(&format!("{reader}_at"), unsigned(DEPTH.ilog2())).reset(0);
            let left = m.reg(&format!("{reader}_left"), unsigned(DEPTH.ilog2() + 1)).reset(0);
            tally(m, reader, left, accept, take);
            m.when(take, || m.set(at, at.add_lit(1)));
            m.output(&format!("{reader}_valid"), !left.is_zero());
            let entry = entries.read_async(at);
            for name in names {
                m.output(&format!("{reader}_{name}"), stored(entry, name));
            }
        }
    })
}

/// A field of a stored body, as if it stood in the descriptor.
fn stored(entry: Signal, name: &str) -> Signal {
    let low = sagen_lang::lit(sagen_streamed_isa::BODY_BIT, 0);
    let high = sagen_lang::lit(512 - sagen_streamed_isa::BODY_BIT - entry.width(), 0);
    field(pack(&[low, entry, high]), "Matmul", name)
}

/// A register that counts up on `more` and down on `less`.
pub(super) fn tally(m: &Module, name: &str, count: sagen_lang::Reg, more: Signal, less: Signal) {
    let up = m.net(&format!("{name}_up"), more & !less);
    let down = m.net(&format!("{name}_down"), less & !more);
    m.when(up, || m.set(count, count.add_lit(1))).elsewhen(down, || m.set(count, count.sub_lit(1)));
}
