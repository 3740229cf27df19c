//! Memory ports of the overlay, `m<port>_axi_*`: who reads and writes through each.

use super::Parts;
use crate::interface::{AxiRead, AxiReadKind, AxiWrite, AxiWriteKind, axi};
use sagen_blocks::axi::arbiter::read_arbiter;
use sagen_lang::{Design, Master, Module, ModuleId, connect, lit};
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

/// The arbiter of each port that has several readers.
pub(super) fn arbiters(d: &mut Design, overlay: &StreamedConfig) -> Vec<Option<ModuleId>> {
    let arbiter = |port: usize| match readers(overlay, port).len() {
        0 | 1 => None,
        n => Some(read_arbiter(d, n as u32, overlay.port_bytes() as u32)),
    };
    (0..overlay.ports()).map(arbiter).collect()
}

impl Parts {
    pub(super) fn ports(&self, m: &Module, overlay: &StreamedConfig, arbiters: &[Option<ModuleId>]) {
        let bytes = overlay.port_bytes() as u32;
        for (port, arbiter) in arbiters.iter().enumerate() {
            let readers = readers(overlay, port).into_iter().map(|r| self.reader(r)).collect();
            if let Some(bus) = gather(m, port, *arbiter, readers) {
                read_port(m, port, bytes, &bus);
            }
        }
        write_port(m, overlay.data_port(), bytes, &self.store.master(""));
    }

    fn reader(&self, reader: Reader) -> Master<AxiRead> {
        match reader {
            Reader::Fetch => self.fetch.master(""),
            Reader::Load => self.load.master(""),
            Reader::Stream(port) => self.stream.master(format!("p{port}_")),
        }
    }
}

/// The only reader of a port, or the arbiter of all; none where nobody reads.
fn gather(
    m: &Module,
    port: usize,
    arbiter: Option<ModuleId>,
    readers: Vec<Master<AxiRead>>,
) -> Option<Master<AxiRead>> {
    let Some(arbiter) = arbiter else { return readers.into_iter().next() };
    let arbiter = m.instance(&arbiter_name(port), arbiter);
    for (i, reader) in readers.iter().enumerate() {
        connect(reader, &arbiter.slave(format!("q{i}_")));
    }
    Some(arbiter.master(""))
}

/// A read channel of the overlay. Who does not share it does not look at the end of a burst.
fn read_port(m: &Module, port: usize, bytes: u32, reader: &Master<AxiRead>) {
    let (bus, reader) = (m.master(bus(port), AxiRead::layout(bytes, true)), reader.ports());
    bus.ar_valid.drive(reader.ar_valid);
    bus.ar_addr.drive(reader.ar_addr);
    bus.ar_len.drive(reader.ar_len);
    bus.r_ready.drive(reader.r_ready);
    reader.ar_ready.drive(bus.ar_ready);
    reader.r_valid.drive(bus.r_valid);
    reader.r_data.drive(bus.r_data);
    reader.r_resp.drive(bus.r_resp);
    if let (Some(sink), Some(last)) = (reader.r_last, bus.r_last) {
        sink.drive(last);
    }
    let kind = m.master(self::bus(port), AxiReadKind::layout());
    kind.ar_size.drive(lit(3, u64::from(bytes.ilog2())));
    kind.ar_burst.drive(lit(2, 1));
    kind.ar_cache.drive(lit(4, 0b0011));
    kind.ar_prot.drive(lit(3, 0));
}

fn write_port(m: &Module, port: usize, bytes: u32, writer: &Master<AxiWrite>) {
    m.pass_master(bus(port), writer);
    let kind = m.master(bus(port), AxiWriteKind::layout());
    kind.aw_size.drive(lit(3, u64::from(bytes.ilog2())));
    kind.aw_burst.drive(lit(2, 1));
    kind.aw_cache.drive(lit(4, 0b0011));
    kind.aw_prot.drive(lit(3, 0));
}

fn bus(port: usize) -> sagen_lang::Renamed<String> {
    axi(format!("m{port}_axi_"))
}
