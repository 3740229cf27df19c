//! The CSR map: one table.

use crate::Field;

/// What software may do with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads only.
    Read,
    /// Reads and writes.
    ReadWrite,
    /// Writing 1 to a bit triggers it; reads zero.
    Trigger,
}

/// One 32-bit register of the AXI4-Lite block.
#[derive(Clone, Copy, Debug)]
pub struct Csr {
    /// Name, lower case.
    pub name: &'static str,
    /// Byte offset.
    pub offset: u32,
    /// Access.
    pub access: Access,
    /// Contract.
    pub doc: &'static str,
    /// Its parts, ascending; empty where the register is one value of 32 bits.
    pub fields: &'static [Field],
}

const fn csr(name: &'static str, offset: u32, access: Access, doc: &'static str) -> Csr {
    Csr { name, offset, access, doc, fields: &[] }
}

const fn parts(csr: Csr, fields: &'static [Field]) -> Csr {
    Csr { fields, ..csr }
}

const fn part(name: &'static str, lo: u32, width: u32, doc: &'static str) -> Field {
    Field { name, doc, lo, width, signed: false }
}

/// Bytes that the CSR block decodes.
pub const CSR_BYTES: u32 = 1 << 16;
/// Value of the `id` register, "SGEN".
pub const CSR_ID: u32 = 0x5347_454e;

/// Offset of step register 0; register i is at `CSR_REGISTER_BASE + 4 * i`.
pub const CSR_REGISTER_BASE: u32 = 0x100;
/// Offset of event counter 0, in the order of `COUNTERS`.
pub const CSR_COUNTER_BASE: u32 = 0x200;

/// Every register except step registers and counters.
pub const CSRS: &[Csr] = &[
    csr("id", 0x00, Access::Read, "0x5347454e, \"SGEN\"."),
    csr(
        "build_hash",
        0x04,
        Access::Read,
        "First 32 bits of the hash of config and sources, as in `manifest.json`: tells which build answers.",
    ),
    parts(
        csr("geometry", 0x08, Access::Read, "What was built."),
        &[
            part("array_side", 0, 8, "Rows and columns of one systolic array."),
            part("arrays", 8, 8, "Systolic arrays."),
            part("stream_ports", 16, 8, "Memory ports of the weight stream."),
            part("port_bytes", 24, 8, "Bytes of one transfer of one port."),
        ],
    ),
    parts(
        csr("control", 0x0c, Access::Trigger, "Starts and clears."),
        &[
            part("start", 0, 1, "1 starts the program; ignored while one runs."),
            part("clear_counters", 1, 1, "1 clears the event counters."),
        ],
    ),
    parts(
        csr("status", 0x10, Access::Read, "State of the program."),
        &[
            part("busy", 0, 1, "A program runs."),
            part("done", 1, 1, "The last program has ended."),
            part("error", 2, 1, "The `error` register is not zero."),
        ],
    ),
    parts(
        csr("error", 0x14, Access::Read, "The first error since the start; zero without one."),
        &[
            part("source", 0, 8, "1 fetch, 2 stream, 3 load, 4 store (bus response), 5 unknown opcode."),
            part("fetched", 8, 24, "Descriptors fetched by then."),
        ],
    ),
    csr("program_low", 0x18, Access::ReadWrite, "Program address [31:0], a multiple of 64."),
    csr("program_high", 0x1c, Access::ReadWrite, "Program address [39:32]; higher bits are kept and ignored."),
    csr(
        "program_length",
        0x20,
        Access::ReadWrite,
        "Descriptors in the program, less than 2^24; higher bits are kept and ignored.",
    ),
    csr("fetched", 0x24, Access::Read, "Descriptors fetched since the start."),
    csr("done_stream", 0x28, Access::Read, "Descriptors that the stream unit completed."),
    csr("done_compute", 0x2c, Access::Read, "Descriptors that the compute unit completed."),
    csr("done_vector", 0x30, Access::Read, "Descriptors that the vector unit completed."),
    csr("done_load", 0x34, Access::Read, "Descriptors that the load unit completed."),
    csr("done_store", 0x38, Access::Read, "Descriptors that the store unit completed."),
    csr("cycles", 0x3c, Access::Read, "Clock cycles from start to done, low 32 bits."),
];

/// One event counter (32 bits, counts cycles while a program runs).
#[derive(Clone, Copy, Debug)]
pub struct Counter {
    /// Name, lower case: unit, then event.
    pub name: &'static str,
    /// What it counts.
    pub doc: &'static str,
}

const fn counter(name: &'static str, doc: &'static str) -> Counter {
    Counter { name, doc }
}

/// Every event counter, in address order.
pub const COUNTERS: &[Counter] = &[
    counter("stream_busy", "A stream descriptor is being executed."),
    counter("stream_wait", "The next stream descriptor waits for another unit."),
    counter("stream_blocked", "A stream descriptor is held by a full prefetch FIFO on some port."),
    counter("compute_busy", "A compute descriptor is being executed."),
    counter("compute_wait", "The next compute descriptor waits for another unit and none is being executed."),
    counter("compute_starved", "A compute descriptor needs a beat and the prefetch FIFO is empty."),
    counter("compute_beats", "Beats consumed."),
    counter("vector_busy", "A vector descriptor is being executed."),
    counter("vector_wait", "The next vector descriptor waits for another unit and none is being executed."),
    counter("load_busy", "A load descriptor is being executed."),
    counter("load_wait", "The next load descriptor waits for another unit and none is being executed."),
    counter("store_busy", "A store descriptor is being executed."),
    counter("store_wait", "The next store descriptor waits for another unit and none is being executed."),
    counter("fetch_blocked", "The next descriptor is held by a full unit queue."),
];
