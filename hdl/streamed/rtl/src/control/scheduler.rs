//! Scheduler: sends each descriptor to the queue of its unit and offers the oldest of each queue to the unit once
//! every unit has completed as many descriptors as it waits for. A drain empties the queues; the counts stay until the
//! next start. A descriptor that no unit knows is reported in the next cycle and never taken.

use crate::interface::{Beats, COUNT_BITS, Completions, UnitPort, data_first};
use sagen_blocks::fifo::fifo;
use sagen_lang::{Design, Module, ModuleId, Reg, Signal, bit, high, lit, low, pack, unsigned};
use sagen_streamed_isa::{LAYOUTS, UNITS, Unit, WAIT_BIT};

/// Descriptors that a unit's queue holds.
const QUEUE: u32 = 16;

/// The scheduler: descriptors in, one unit port per unit (`<unit>_*`), completion counts out.
pub fn scheduler(d: &mut Design) -> ModuleId {
    let queues = UNITS.map(|unit| fifo(d, unsigned(used_bits(unit)), QUEUE));
    d.module("scheduler", |m| {
        m.doc("Unit queues and their wait counts.");
        let (start, drain) = (m.input("start", bit()), m.input("drain", bit()));
        let descriptors = m.slave(data_first("desc"), Beats::layout(512));
        let (desc, desc_valid) = (descriptors.data, descriptors.valid);
        let opcode = m.net("opcode", desc.slice(0, 8));
        let ports = UNITS.map(|unit| m.master(format!("{}_", unit.name()), UnitPort::layout()));
        let counts: Vec<Reg> = UNITS
            .iter()
            .map(|unit| {
                let done = ports[unit.index()].done;
                let count = m.reg(&format!("{}_count", unit.name()), unsigned(COUNT_BITS)).reset(0);
                m.when(done, || m.set(count, count.add_lit(1)));
                m.when(start, || m.set(count, lit(COUNT_BITS, 0)));
                count
            })
            .collect();

        let mut ready = low();
        let mut known = low();
        let mut idle = high();
        for unit in UNITS {
            let mine = m.net(&format!("for_{}", unit.name()), is_for(opcode, unit));
            let q = queues[unit.index()].place_reset(m, &format!("u_{}", unit.name()), drain);
            q.push(mine & desc_valid, desc.trunc(used_bits(unit)));
            ready = ready | (mine & q.room());
            known = known | mine;
            let head = q.front().extend(512);
            let (offered, taken) = offer(m, unit, head, q.holds(), &counts, start, ports[unit.index()].ready);
            q.pop(taken);
            ports[unit.index()].desc.drive(head);
            ports[unit.index()].valid.drive(offered);
            m.output(&format!("{}_held", unit.name()), q.holds() & !offered);
            m.master(format!("{}_", unit.name()), Completions::layout()).done_count.drive(counts[unit.index()]);
            idle = idle & issued_equals(m, unit, mine & desc_valid & q.room(), start, counts[unit.index()]);
        }
        descriptors.ready.drive(ready);
        let unknown = m.reg("unknown_q", bit()).reset(0);
        m.set(unknown, desc_valid & !known);
        m.output("unknown", unknown);
        m.output("blocked", desc_valid & known & !ready);
        m.output("all_done", idle);
    })
}

/// Bits of the longest descriptor of a unit.
fn used_bits(unit: Unit) -> u32 {
    let fields = LAYOUTS.iter().filter(|l| l.unit == unit).flat_map(|l| l.fields);
    fields.map(|f| f.lo + f.width).max().expect("every unit has a descriptor with fields")
}

fn is_for(opcode: Signal, unit: Unit) -> Signal {
    let mine = LAYOUTS.iter().filter(|l| l.unit == unit);
    mine.map(|l| opcode.eq_lit(l.opcode as u64)).reduce(|a, b| a | b).expect("every unit has a descriptor")
}

/// The comparison is registered, so it speaks of the head of the cycle before: it is void after a change.
fn offer(
    m: &Module,
    unit: Unit,
    head: Signal,
    valid: Signal,
    counts: &[Reg],
    start: Signal,
    ready: Signal,
) -> (Signal, Signal) {
    let name = unit.name();
    let met: Vec<Signal> = counts
        .iter()
        .enumerate()
        .map(|(i, count)| count.ge(head.slice(WAIT_BIT + COUNT_BITS * i as u32, COUNT_BITS)))
        .collect();
    let met = pack(&met).reduce_and();
    let clear = m.reg(&format!("{name}_clear"), bit()).reset(0);
    let offered = m.net(&format!("{name}_offered"), valid & clear);
    let taken = m.net(&format!("{name}_taken"), offered & ready);
    m.set(clear, valid & met & !taken & !start);
    (offered, taken)
}

fn issued_equals(m: &Module, unit: Unit, issue: Signal, start: Signal, done: Reg) -> Signal {
    let issued = m.reg(&format!("{}_issued", unit.name()), unsigned(COUNT_BITS)).reset(0);
    m.when(issue, || m.set(issued, issued.add_lit(1)));
    m.when(start, || m.set(issued, lit(COUNT_BITS, 0)));
    issued.q().eq(done)
}
