//! Accepted descriptors. Three readers go through them in order, each at its own pace: the intake of beats, the
//! issue of steps and the drain of results. A reader copies what it needs when it takes a descriptor.

use crate::fields::Decode;
use crate::interface::{Beats, data_first};
use sagen_lang::{
    Design, Mem, Module, ModuleId, Outputs, RamStyle, Reg, Renamed, Signal, bit, bundle, interface, pack, signed,
    unsigned,
};
use sagen_streamed_isa::{BODY_BIT, Matmul};

/// Descriptors that may be accepted and not done.
const DEPTH: u32 = 4;

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
        m.doc("Accepted descriptors; three readers go through them, each at its own pace.");
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
        intake.of.drive_each(Stream::of(reader.read(entries)));
        let issue = m.master("issue_", RowsContext::layout());
        let reader = Reader::new(m, "issue", accept, issue.take);
        issue.valid.drive(reader.valid);
        issue.of.drive_each(Rows::of(reader.read(entries)));
        let drain = m.master("drain_", ResultsContext::layout());
        let reader = Reader::new(m, "drain", accept, drain.take);
        drain.valid.drive(reader.valid);
        drain.of.drive_each(Results::of(reader.read(entries)));
    })
}

/// The bodies of the accepted descriptors.
fn entries(m: &Module, desc: Signal, accept: Signal) -> Mem {
    let all: Vec<Signal> = Matmul::LAYOUT.fields.iter().map(|f| desc.slice(f.lo, f.width)).collect();
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

    /// Its entry, as if the body stood in the descriptor.
    fn read(&self, entries: Mem) -> Signal {
        let entry = entries.read_async(self.at);
        let low = sagen_lang::lit(BODY_BIT, 0);
        let high = sagen_lang::lit(512 - BODY_BIT - entry.width(), 0);
        pack(&[low, entry, high])
    }
}

impl Stream {
    fn of(desc: Signal) -> Self {
        let f = Matmul::FIELDS;
        Self { groups: desc.get(f.groups), blocks: desc.get(f.blocks) }
    }
}

impl Rows {
    fn of(desc: Signal) -> Self {
        let f = Matmul::FIELDS;
        Self {
            x: desc.get(f.codes.base),
            x_stride: desc.get(f.codes.stride),
            rows: desc.get(f.rows),
            groups: desc.get(f.groups),
            blocks: desc.get(f.blocks),
        }
    }
}

impl Results {
    fn of(desc: Signal) -> Self {
        let f = Matmul::FIELDS;
        Self {
            rows: desc.get(f.rows),
            blocks: desc.get(f.blocks),
            y: desc.get(f.to.base),
            y_stride: desc.get(f.to.stride),
            scale: desc.get(f.scales.base),
            scale_stride: desc.get(f.scales.stride),
            shift: desc.get(f.shift),
        }
    }
}

/// A register that counts up on `more` and down on `less`.
pub(super) fn tally(m: &Module, name: &str, count: Reg, more: Signal, less: Signal) {
    let up = m.net(&format!("{name}_up"), more & !less);
    let down = m.net(&format!("{name}_down"), less & !more);
    m.when(up, || m.set(count, count.add_lit(1))).elsewhen(down, || m.set(count, count.sub_lit(1)));
}
