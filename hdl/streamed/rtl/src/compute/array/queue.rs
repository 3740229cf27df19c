//! Accepted descriptors. Three readers go through them in order, each at its own pace: the intake of beats, the
//! issue of steps and the drain of results. A reader copies what it needs when it takes a descriptor.

use crate::fields::{field, layout};
use crate::interface::{Beats, data_first};
use sagen_lang::{
    Design, Layout, Mem, Module, ModuleId, Outputs, RamStyle, Reg, Renamed, Signal, bit, bundle, interface, pack,
    signed, unsigned,
};

/// Descriptors that may be accepted and not done.
const DEPTH: u32 = 4;

// Fields of `Matmul` by their names.
bundle! {
    /// What the intake of beats needs.
    pub(super) struct Stream() {
        groups: unsigned(8),
        blocks: unsigned(16),
    }
}

bundle! {
    /// What the issue of steps needs.
    pub(super) struct Rows() {
        x: unsigned(16),
        x_stride: unsigned(16),
        rows: unsigned(5),
        groups: unsigned(8),
        blocks: unsigned(16),
    }
}

bundle! {
    /// What the drain of results needs.
    pub(super) struct Results() {
        rows: unsigned(5),
        blocks: unsigned(16),
        y: unsigned(16),
        y_stride: unsigned(16),
        scale: unsigned(12),
        scale_stride: unsigned(12),
        shift: signed(8),
    }
}

interface! {
    /// Descriptors for the intake.
    pub(super) struct StreamContext() {
        valid: -> bit(),
        of as Stream: -> Stream::layout(),
        take: <- bit(),
    }
}

interface! {
    /// Descriptors for the issue.
    pub(super) struct RowsContext() {
        valid: -> bit(),
        of as Rows: -> Rows::layout(),
        take: <- bit(),
    }
}

interface! {
    /// Descriptors for the drain.
    pub(super) struct ResultsContext() {
        valid: -> bit(),
        of as Results: -> Results::layout(),
        take: <- bit(),
    }
}

/// The ports of a context in the unit that reads it: `ctx_valid`, `ctx_take`, and the fields by their names.
pub(super) fn context() -> Renamed<&'static str> {
    Renamed("", |field| match field {
        "valid" | "take" => format!("ctx_{field}"),
        of => of.into(),
    })
}

/// Ports `intake_*`, `issue_*`, `drain_*` for the readers. `busy` while a descriptor is not done.
pub(super) fn queue(d: &mut Design) -> ModuleId {
    d.module("array_queue", |m| {
        let desc = m.slave(data_first("desc"), Beats::layout(512));
        let done = m.input("done", bit());
        let count = m.reg("count", unsigned(DEPTH.ilog2() + 1)).reset(0);
        let ready = m.net("accepts", !count.bit(DEPTH.ilog2()));
        let accept = m.net("accept", desc.valid & ready);
        tally(m, "count", count, accept, done);
        desc.ready.drive(ready);
        m.output("busy", !count.is_zero());

        let entries = entries(m, desc.data, accept);
        let intake = m.master("intake_", StreamContext::layout());
        let reader = Reader::new(m, "intake", accept, intake.take);
        intake.valid.drive(reader.valid);
        intake.of.drive_each(reader.read(entries, Stream::layout()));
        let issue = m.master("issue_", RowsContext::layout());
        let reader = Reader::new(m, "issue", accept, issue.take);
        issue.valid.drive(reader.valid);
        issue.of.drive_each(reader.read(entries, Rows::layout()));
        let drain = m.master("drain_", ResultsContext::layout());
        let reader = Reader::new(m, "drain", accept, drain.take);
        drain.valid.drive(reader.valid);
        drain.of.drive_each(reader.read(entries, Results::layout()));
    })
}

/// The bodies of the accepted descriptors.
fn entries(m: &Module, desc: Signal, accept: Signal) -> Mem {
    let all: Vec<Signal> = layout("Matmul").fields.iter().map(|f| desc.slice(f.lo, f.width)).collect();
    let entries = m.memory("entries", DEPTH, all.iter().map(|s| s.width()).sum()).style(RamStyle::Distributed);
    let write_at = m.reg("write_at", unsigned(DEPTH.ilog2())).reset(0);
    entries.write(accept, write_at, pack(&all));
    m.when(accept, || m.set(write_at, write_at.add_lit(1)));
    entries
}

/// How far a reader is.
struct Reader {
    at: Reg,
    valid: Signal,
}

impl Reader {
    fn new(m: &Module, name: &str, accept: Signal, take: Signal) -> Self {
        let at = m.reg(&format!("{name}_at"), unsigned(DEPTH.ilog2())).reset(0);
        let left = m.reg(&format!("{name}_left"), unsigned(DEPTH.ilog2() + 1)).reset(0);
        tally(m, name, left, accept, take);
        m.when(take, || m.set(at, at.add_lit(1)));
        Self { at, valid: !left.is_zero() }
    }

    /// Fields of its entry, as if they stood in the descriptor.
    fn read<L: Layout>(&self, entries: Mem, fields: L) -> L::Of<Signal> {
        let entry = entries.read_async(self.at);
        let low = sagen_lang::lit(sagen_streamed_isa::BODY_BIT, 0);
        let high = sagen_lang::lit(512 - sagen_streamed_isa::BODY_BIT - entry.width(), 0);
        let body = pack(&[low, entry, high]);
        fields.by_name(|name| field(body, "Matmul", name))
    }
}

/// A register that counts up on `more` and down on `less`.
pub(super) fn tally(m: &Module, name: &str, count: Reg, more: Signal, less: Signal) {
    let up = m.net(&format!("{name}_up"), more & !less);
    let down = m.net(&format!("{name}_down"), less & !more);
    m.when(up, || m.set(count, count.add_lit(1))).elsewhen(down, || m.set(count, count.sub_lit(1)));
}
