//! First-in first-out queues whose oldest entry is visible at the output (first-word fall-through).

use sagen_lang::{Design, ModuleId, RamStyle, bit, lit, unsigned};

/// A short queue in distributed memory. `in_ready` depends on registers only.
pub fn fifo(d: &mut Design, width: u32, depth: u32) -> ModuleId {
    assert!(depth.is_power_of_two() && depth >= 2, "the depth of a fifo is a power of two, found {depth}");
    d.module(format!("fifo_{width}x{depth}"), |m| {
        let (in_data, in_valid) = (m.input("in_data", unsigned(width)), m.input("in_valid", bit()));
        let out_ready = m.input("out_ready", bit());
        let bits = depth.ilog2();
        let write_at = m.reg("write_at", unsigned(bits)).reset(0);
        let read_at = m.reg("read_at", unsigned(bits)).reset(0);
        let count = m.reg("count", unsigned(bits + 1)).reset(0);
        let in_ready = m.net("accepts", !count.bit(bits));
        let out_valid = m.net("holds", !count.is_zero());
        let push = m.net("push", in_valid & in_ready);
        let pop = m.net("pop", out_valid & out_ready);
        let entries = m.memory("entries", depth, width).style(RamStyle::Distributed);
        entries.write(push, write_at, in_data);
        m.when(push, || m.set(write_at, write_at.add_lit(1)));
        m.when(pop, || m.set(read_at, read_at.add_lit(1)));
        m.when(push & !pop, || m.set(count, count.add_lit(1)));
        m.when(pop & !push, || m.set(count, count.sub_lit(1)));
        m.output("in_ready", in_ready);
        m.output("out_data", entries.read_async(read_at));
        m.output("out_valid", out_valid);
    })
}

/// Entries of the output stage that hides the read latency of a deep queue.
const OUTPUT_ENTRIES: u32 = 8;

/// A deep queue in block or ultra memory. It is never pushed when full: the reader of the bus
/// reserves space before it asks for data.
pub fn deep_fifo(d: &mut Design, width: u32, depth: u32, style: RamStyle) -> ModuleId {
    assert!(depth.is_power_of_two(), "the depth of a fifo is a power of two, found {depth}");
    let output = fifo(d, width, OUTPUT_ENTRIES);
    d.module(format!("deep_fifo_{width}x{depth}"), |m| {
        let (in_data, in_valid) = (m.input("in_data", unsigned(width)), m.input("in_valid", bit()));
        let out_ready = m.input("out_ready", bit());
        let bits = depth.ilog2();
        let write_at = m.reg("write_at", unsigned(bits)).reset(0);
        let read_at = m.reg("read_at", unsigned(bits)).reset(0);
        let count = m.reg("count", unsigned(bits + 1)).reset(0);
        let reserved = m.reg("reserved", unsigned(OUTPUT_ENTRIES.ilog2() + 1)).reset(0);
        let read = m.net("read", !count.is_zero() & !reserved.bit(OUTPUT_ENTRIES.ilog2()));
        let entries = m.memory("entries", depth, width).style(style);
        entries.write(in_valid, write_at, in_data);
        let word = entries.read(read, read_at);
        let word_valid = m.reg("word_valid", bit()).reset(0);
        m.set(word_valid, read);
        let staged = m.reg_en("staged", word_valid, word);
        let staged_valid = m.reg("staged_valid", bit()).reset(0);
        m.set(staged_valid, word_valid);
        let out = m.instance("u_output", output);
        out.input("in_data", staged);
        out.input("in_valid", staged_valid);
        out.input("out_ready", out_ready);
        let pop = m.net("pop", out.output("out_valid") & out_ready);
        m.when(in_valid, || m.set(write_at, write_at.add_lit(1)));
        m.when(read, || m.set(read_at, read_at.add_lit(1)));
        m.when(in_valid & !read, || m.set(count, count.add_lit(1)));
        m.when(read & !in_valid, || m.set(count, count.sub_lit(1)));
        m.when(read & !pop, || m.set(reserved, reserved.add_lit(1)));
        m.when(pop & !read, || m.set(reserved, reserved.sub_lit(1)));
        m.assert(!(in_valid & count.q().eq(lit(bits + 1, u64::from(depth)))), "push into a full queue");
        m.output("out_data", out.output("out_data"));
        m.output("out_valid", out.output("out_valid"));
    })
}
