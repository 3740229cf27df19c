//! First-in first-out queues whose oldest entry is visible at the output (first-word fall-through).

use sagen_lang::{Design, Instance, Layout, Module, ModuleId, RamStyle, Signal, Type, bit, high, lit, unsigned};

/// A short queue; its entries are bundles, or numbers of a type.
#[derive(Clone, Copy, Debug)]
pub struct Fifo<L> {
    module: ModuleId,
    layout: L,
}

/// A short queue in distributed memory. `in_ready` and `out_valid` are registers.
pub fn fifo<L: Layout>(d: &mut Design, layout: L, depth: u32) -> Fifo<L> {
    Fifo { module: short_fifo(d, Layout::width(layout), depth), layout }
}

impl<L: Layout> Fifo<L> {
    /// Places it.
    #[track_caller]
    pub fn place(self, m: &Module, name: &str) -> Queue<L> {
        Queue { u: m.instance(name, self.module), layout: self.layout }
    }

    /// Places it with a reset of its own, which empties it.
    #[track_caller]
    pub fn place_reset(self, m: &Module, name: &str, reset: Signal) -> Queue<L> {
        Queue { u: m.instance(name, self.module).reset_by(reset), layout: self.layout }
    }
}

/// A queue in the module that placed it.
#[derive(Clone, Copy, Debug)]
pub struct Queue<L> {
    u: Instance,
    layout: L,
}

impl<L: Layout> Queue<L> {
    /// An entry is offered; it is taken if there is room.
    #[track_caller]
    pub fn push(&self, valid: impl Into<Signal>, entry: L::Of<Signal>) {
        self.u.input("in_data", self.layout.pack(entry));
        self.u.input("in_valid", valid);
    }

    /// The oldest entry leaves, if there is one.
    #[track_caller]
    pub fn pop(&self, ready: impl Into<Signal>) {
        self.u.input("out_ready", ready);
    }

    /// It is not full.
    #[track_caller]
    pub fn room(&self) -> Signal {
        self.u.output("in_ready")
    }

    /// It is not empty.
    #[track_caller]
    pub fn holds(&self) -> Signal {
        self.u.output("out_valid")
    }

    /// The oldest entry.
    #[track_caller]
    pub fn front(&self) -> L::Of<Signal> {
        self.layout.packed(self.u.output("out_data")).unpack()
    }
}

fn short_fifo(d: &mut Design, width: u32, depth: u32) -> ModuleId {
    assert!(depth.is_power_of_two() && depth >= 2, "the depth of a fifo is a power of two, found {depth}");
    d.module(format!("fifo_{width}x{depth}"), |m| {
        m.doc("First in, first out; the oldest entry is visible at the output.");
        let (in_data, in_valid) = (m.input("in_data", unsigned(width)), m.input("in_valid", bit()));
        let out_ready = m.input("out_ready", bit());
        let bits = depth.ilog2();
        let write_at = m.reg("write_at", unsigned(bits)).reset(0);
        let read_at = m.reg("read_at", unsigned(bits)).reset(0);
        let count = m.reg("count", unsigned(bits + 1)).reset(0);
        let accepts = m.reg("accepts", bit()).reset(1);
        let holds = m.reg("holds", bit()).reset(0);
        let push = m.net("push", in_valid & accepts);
        let pop = m.net("pop", out_ready & holds);
        let entries = m.memory("entries", depth, width).style(RamStyle::Distributed);
        entries.write(push, write_at, in_data);
        m.when(push, || m.set(write_at, write_at.add_lit(1)));
        m.when(pop, || m.set(read_at, read_at.add_lit(1)));
        m.when(push ^ pop, || {
            m.set(count, pop.mux(count.sub_lit(1), count.add_lit(1)));
            m.set(holds, !pop | count.ne_lit(1));
            m.set(accepts, pop | count.ne_lit(depth - 1));
        });
        m.output("in_ready", accepts);
        m.output("out_data", entries.read_async(read_at));
        m.output("out_valid", holds);
    })
}

/// Entries of the output stage that hides the read latency of a deep queue: five cycles from a read until its place
/// may be taken again.
const OUTPUT_ENTRIES: u32 = 8;

/// A deep queue in block or ultra memory. It is never pushed when full: the reader of the bus
/// reserves space before it asks for data.
pub fn deep_fifo(d: &mut Design, width: u32, depth: u32, style: RamStyle) -> ModuleId {
    assert!(depth.is_power_of_two(), "the depth of a fifo is a power of two, found {depth}");
    let output: Fifo<Type> = fifo(d, unsigned(width), OUTPUT_ENTRIES);
    d.module(format!("deep_fifo_{width}x{depth}"), |m| {
        m.doc("First in, first out, in block or ultra RAM; the oldest entry is visible at the output.");
        let (in_data, in_valid) = (m.input("in_data", unsigned(width)), m.input("in_valid", bit()));
        let out_ready = m.input("out_ready", bit());
        let bits = depth.ilog2();
        let write_at = m.reg("write_at", unsigned(bits)).reset(0);
        let read_at = m.reg("read_at", unsigned(bits)).reset(0);
        let count = m.reg("count", unsigned(bits + 1)).reset(0);
        let reserved = m.reg("reserved", unsigned(OUTPUT_ENTRIES.ilog2() + 1)).reset(0);
        let stored = m.reg("stored", bit()).reset(0);
        let read = m.net("read", stored & !reserved.bit(OUTPUT_ENTRIES.ilog2()));
        let entries = m.memory("entries", depth, width).style(style);
        entries.write(in_valid, write_at, in_data);
        let word = entries.read(read, read_at);
        let word_valid = m.reg("word_valid", bit()).reset(0);
        m.set(word_valid, read);
        let staged = m.reg_en("staged", word_valid, word);
        let staged_valid = m.reg("staged_valid", bit()).reset(0);
        m.set(staged_valid, word_valid);
        let out = output.place(m, "u_output");
        out.push(staged_valid, staged.q());
        out.pop(out_ready);
        let popped = m.reg("popped", bit()).reset(0);
        m.set(popped, out.holds() & out_ready);
        m.when(in_valid, || m.set(write_at, write_at.add_lit(1)));
        m.when(read, || m.set(read_at, read_at.add_lit(1)));
        m.when(in_valid & !read, || {
            m.set(count, count.add_lit(1));
            m.set(stored, high());
        });
        m.when(read & !in_valid, || {
            m.set(count, count.sub_lit(1));
            m.set(stored, count.ne_lit(1));
        });
        m.when(read & !popped, || m.set(reserved, reserved.add_lit(1)));
        m.when(popped & !read, || m.set(reserved, reserved.sub_lit(1)));
        m.assert(!(in_valid & count.q().eq(lit(bits + 1, u64::from(depth)))), "push into a full queue");
        m.output("out_data", out.front());
        m.output("out_valid", out.holds());
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_arith::draw::Draw;
    use sagen_lang::Sim;
    use std::collections::VecDeque;

    /// Pushes and pops at random; `lazy` percent of the cycles offer nothing, and as many take nothing.
    fn runs_like_a_queue(sim: &mut Sim, depth: usize, lazy: u64, guarded: bool) {
        let (mut draw, mut queue, mut taken) = (Draw::new(lazy), VecDeque::new(), 0);
        for i in 0..4000u64 {
            let mut percent = |n: u64| draw.below(100) < n;
            // A deep queue is never pushed when full; a short one refuses.
            let offer = !percent(lazy) && (guarded || queue.len() < depth);
            let ready = !percent(if i < 2000 { 100 - lazy } else { lazy });
            sim.set("in_data", i);
            sim.set("in_valid", offer);
            sim.set("out_ready", ready);
            let valid = sim.get("out_valid").to_u64() == 1;
            let accepted = offer && (!guarded || sim.get("in_ready").to_u64() == 1);
            if guarded {
                assert_eq!(sim.get("in_ready").to_u64() == 1, queue.len() < depth, "cycle {i}");
                assert_eq!(valid, !queue.is_empty(), "cycle {i}");
            }
            if valid {
                assert_eq!(Some(sim.get("out_data").to_u64()), queue.front().copied(), "cycle {i}");
            }
            if valid && ready {
                queue.pop_front();
                taken += 1;
            }
            if accepted {
                queue.push_back(i);
            }
            sim.step();
        }
        assert!(taken > 1000, "{taken}");
    }

    #[test]
    fn a_short_queue_keeps_order_and_knows_when_it_is_full_or_empty() {
        for (depth, lazy) in [(2, 20), (4, 50), (16, 10)] {
            let mut d = Design::new();
            let top = short_fifo(&mut d, 16, depth);
            let mut sim = Sim::new(&d, top).unwrap();
            sim.reset();
            runs_like_a_queue(&mut sim, depth as usize, lazy, true);
        }
    }

    #[test]
    fn a_deep_queue_keeps_order() {
        for lazy in [5, 30] {
            let mut d = Design::new();
            let top = deep_fifo(&mut d, 16, 64, RamStyle::Block);
            let mut sim = Sim::new(&d, top).unwrap();
            sim.reset();
            runs_like_a_queue(&mut sim, 64, lazy, false);
        }
    }

    #[test]
    fn a_deep_queue_delivers_every_cycle() {
        let mut d = Design::new();
        let top = deep_fifo(&mut d, 16, 64, RamStyle::Block);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        sim.set("in_valid", true);
        sim.set("out_ready", true);
        let valid = |sim: &mut Sim| {
            let valid = sim.get("out_valid").to_u64();
            sim.step();
            valid
        };
        (0..10).for_each(|_| _ = valid(&mut sim));
        assert_eq!((0..100).map(|_| valid(&mut sim)).sum::<u64>(), 100);
    }
}
