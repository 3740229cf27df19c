//! Memory ports of the overlay, `m<port>_axi_*`: who reads and writes through each, behind a guard.

use super::Parts;
use crate::interface::{AxiRead, AxiReadKind, AxiWrite, AxiWriteKind, axi};
use sagen_blocks::axi::arbiter::read_arbiter;
use sagen_blocks::axi::guard::{read_guard, write_guard};
use sagen_lang::{Design, Master, Module, ModuleId, Signal, connect, high, lit};
use sagen_streamed_arch::StreamedConfig;

/// A unit's read channel.
#[derive(Clone, Copy)]
enum Reader {
    Fetch,
    Load,
    Stream(usize),
}

/// Who reads through a port, most urgent first.
fn readers(overlay: &StreamedConfig, port: usize) -> Vec<Reader> {
    let mut readers = Vec::new();
    if overlay.command_port() == port {
        readers.push(Reader::Fetch);
    }
    if overlay.data_port() == port {
        readers.push(Reader::Load);
    }
    if port < overlay.stream_ports() {
        readers.push(Reader::Stream(port));
    }
    readers
}

/// Several readers share a port by an arbiter.
pub(crate) fn shared(overlay: &StreamedConfig, port: usize) -> bool {
    readers(overlay, port).len() > 1
}

/// Instance of a port's arbiter.
pub(crate) fn arbiter_name(port: usize) -> String {
    format!("u_arbiter{port}")
}

/// Instance of the guard of a port's reads or writes.
pub(crate) fn guard_name(port: usize, access: &str) -> String {
    format!("u_{access}_guard{port}")
}

/// What stands between units and ports.
pub(super) struct Shared {
    /// Of each port that has several readers.
    arbiters: Vec<Option<ModuleId>>,
    reads: ModuleId,
    writes: ModuleId,
}

impl Shared {
    pub(super) fn new(d: &mut Design, overlay: &StreamedConfig) -> Self {
        let bytes = overlay.port_bytes() as u32;
        let arbiter = |port: usize| match readers(overlay, port).len() {
            0 | 1 => None,
            n => Some(read_arbiter(d, n as u32, bytes)),
        };
        let arbiters = (0..overlay.ports()).map(arbiter).collect();
        Self { arbiters, reads: read_guard(d, bytes), writes: write_guard(d, bytes) }
    }
}

impl Parts {
    pub(super) fn ports(&self, m: &Module, overlay: &StreamedConfig, shared: &Shared) {
        let bytes = overlay.port_bytes() as u32;
        let mut quiet = high();
        for (port, arbiter) in shared.arbiters.iter().enumerate() {
            let readers = readers(overlay, port).into_iter().map(|r| self.reader(r)).collect();
            if let Some(bus) = self.gather(m, port, *arbiter, readers) {
                quiet = quiet & self.read_port(m, port, bytes, &bus, shared.reads);
            }
        }
        self.csr.input("quiet", quiet & self.write_port(m, overlay.data_port(), bytes, shared.writes));
    }

    fn reader(&self, reader: Reader) -> Master<AxiRead> {
        match reader {
            Reader::Fetch => self.fetch.master(""),
            Reader::Load => self.load.master(""),
            Reader::Stream(port) => self.stream.master(format!("p{port}_")),
        }
    }

    /// The only reader of a port, or the arbiter of all; none where nobody reads.
    fn gather(
        &self,
        m: &Module,
        port: usize,
        arbiter: Option<ModuleId>,
        readers: Vec<Master<AxiRead>>,
    ) -> Option<Master<AxiRead>> {
        let Some(arbiter) = arbiter else { return readers.into_iter().next() };
        let arbiter = m.instance(&arbiter_name(port), arbiter).reset_by(self.drain);
        for (i, reader) in readers.iter().enumerate() {
            connect(reader, &arbiter.slave(format!("q{i}_")));
        }
        Some(arbiter.master(""))
    }

    /// A read channel of the overlay; returns whether its guard is quiet. Who does not share it does not look at the end
    /// of a burst.
    fn read_port(&self, m: &Module, port: usize, bytes: u32, reader: &Master<AxiRead>, guard: ModuleId) -> Signal {
        let guard = m.instance(&guard_name(port, "read"), guard);
        guard.input("drain", self.drain);
        let (unit, reader) = (guard.slave::<AxiRead>("u_").ports(), reader.ports());
        unit.ar_valid.drive(reader.ar_valid);
        unit.ar_addr.drive(reader.ar_addr);
        unit.ar_len.drive(reader.ar_len);
        unit.r_ready.drive(reader.r_ready);
        reader.ar_ready.drive(unit.ar_ready);
        reader.r_valid.drive(unit.r_valid);
        reader.r_data.drive(unit.r_data);
        reader.r_resp.drive(unit.r_resp);
        if let (Some(sink), Some(last)) = (reader.r_last, unit.r_last) {
            sink.drive(last);
        }
        m.pass_master(bus(port), &guard.master::<AxiRead>(""));
        let kind = m.master(bus(port), AxiReadKind::layout());
        kind.ar_size.drive(lit(3, u64::from(bytes.ilog2())));
        kind.ar_burst.drive(lit(2, 1));
        kind.ar_cache.drive(lit(4, 0b0011));
        kind.ar_prot.drive(lit(3, 0));
        guard.output("quiet")
    }

    /// The write channel; returns whether its guard is quiet.
    fn write_port(&self, m: &Module, port: usize, bytes: u32, guard: ModuleId) -> Signal {
        let guard = m.instance(&guard_name(port, "write"), guard);
        guard.input("drain", self.drain);
        connect(&self.store.master::<AxiWrite>(""), &guard.slave("u_"));
        m.pass_master(bus(port), &guard.master::<AxiWrite>(""));
        let kind = m.master(bus(port), AxiWriteKind::layout());
        kind.aw_size.drive(lit(3, u64::from(bytes.ilog2())));
        kind.aw_burst.drive(lit(2, 1));
        kind.aw_cache.drive(lit(4, 0b0011));
        kind.aw_prot.drive(lit(3, 0));
        guard.output("quiet")
    }
}

fn bus(port: usize) -> sagen_lang::Renamed<String> {
    axi(format!("m{port}_axi_"))
}
