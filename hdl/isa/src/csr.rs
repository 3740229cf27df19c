//! The CSR map: one table.

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
}

const fn csr(name: &'static str, offset: u32, access: Access, doc: &'static str) -> Csr {
    Csr { name, offset, access, doc }
}

/// Offset of step register 0; register i is at `CSR_REGISTER_BASE + 4 * i`.
pub const CSR_REGISTER_BASE: u32 = 0x100;
/// Offset of event counter 0, in the order of `COUNTERS`.
pub const CSR_COUNTER_BASE: u32 = 0x200;

/// Every register except step registers and counters.
pub const CSRS: &[Csr] = &[
    csr("id", 0x00, Access::Read, "0x5347454e, \"SGEN\"."),
    csr("build_hash", 0x04, Access::Read, "First 32 bits of the hash of config and sources."),
    csr(
        "geometry",
        0x08,
        Access::Read,
        "Array side [7:0], arrays [15:8], stream ports [23:16], bytes of a port [31:24].",
    ),
    csr("control", 0x0c, Access::Trigger, "Bit 0 starts the program, bit 1 clears the counters."),
    csr("status", 0x10, Access::Read, "Bit 0 busy, bit 1 done, bit 2 error."),
    csr(
        "error",
        0x14,
        Access::Read,
        "Source of the first error [7:0]: 1 fetch, 2 stream, 3 load, 4 store (bus response), 5 unknown opcode; detail [31:8]: port or descriptor index.",
    ),
    csr("program_low", 0x18, Access::ReadWrite, "Program address [31:0], a multiple of 64."),
    csr("program_high", 0x1c, Access::ReadWrite, "Program address [39:32]."),
    csr("program_length", 0x20, Access::ReadWrite, "Descriptors in the program."),
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
