//! The register map of the AXI4-Lite block: one table.

use crate::{Field, Register, Unit};

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

/// Bytes that the CSR block decodes.
pub const CSR_BYTES: u32 = 1 << 16;
/// Value of the `id` register, "SGEN".
pub const CSR_ID: u32 = 0x5347_454e;

/// Offset of step register 0; register i is at `CSR_REGISTER_BASE + 4 * i`.
pub const CSR_REGISTER_BASE: u32 = 0x100;
/// Offset of event counter 0, in the order of `COUNTERS`.
pub const CSR_COUNTER_BASE: u32 = 0x200;

impl Register {
    /// Byte offset within the CSR block.
    pub const fn offset(self) -> u32 {
        CSR_REGISTER_BASE + 4 * self.index() as u32
    }
}

macro_rules! csrs {
    ($( $name:ident $lower:ident = $offset:literal, $access:ident, $doc:literal
        $({ $( $PART:ident $part:ident: $lo:literal, $width:literal, $kind:ident $(($names:expr))?, $part_doc:literal; )+ })?
    )+) => {
        /// A 32-bit register of the AXI4-Lite block: every one except step registers and counters.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Csr { $( #[doc = $doc] $name, )+ }

        /// Every register except step registers and counters, in address order.
        pub const CSRS: &[Csr] = &[$( Csr::$name ),+];

        $($(
            #[doc = concat!("The parts of the `", stringify!($lower), "` register.")]
            pub mod $lower {
                use crate::{Field, Kind};

                /// Its parts, ascending.
                pub const FIELDS: &[Field] = &[$( $PART ),+];
                $( #[doc = $part_doc] pub const $PART: Field = Field {
                    name: stringify!($part), doc: $part_doc, lo: $lo, width: $width, kind: Kind::$kind $(($names))?,
                }; )+
            }
        )?)+

        impl Csr {
            /// Name, lower case.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => stringify!($lower), )+ }
            }
            /// Byte offset.
            pub const fn offset(self) -> u32 {
                match self { $( Self::$name => $offset, )+ }
            }
            /// What software may do.
            pub const fn access(self) -> Access {
                match self { $( Self::$name => Access::$access, )+ }
            }
            /// Contract.
            pub const fn doc(self) -> &'static str {
                match self { $( Self::$name => $doc, )+ }
            }
            /// Its parts, ascending; empty where the register is one value of 32 bits.
            pub const fn fields(self) -> &'static [Field] {
                match self { $( Self::$name => csrs!(@fields $($lower { $($part)+ })?), )+ }
            }
        }
    };
    (@fields) => { &[] };
    (@fields $lower:ident { $($part:ident)+ }) => { $lower::FIELDS };
}

csrs! {
    Id id = 0x00, Read, "0x5347454e, \"SGEN\"."
    BuildHash build_hash = 0x04, Read,
        "First 32 bits of the hash of config and sources, as in `manifest.json`: tells which build answers."
    Geometry geometry = 0x08, Read, "What was built." {
        ARRAY_SIDE array_side: 0, 8, Unsigned, "Rows and columns of one systolic array.";
        ARRAYS arrays: 8, 8, Unsigned, "Systolic arrays.";
        STREAM_PORTS stream_ports: 16, 8, Unsigned, "Memory ports of the weight stream.";
        PORT_BYTES port_bytes: 24, 8, Unsigned, "Bytes of one transfer of one port.";
    }
    Control control = 0x0c, Trigger, "Starts, clears, gives up." {
        START start: 0, 1, Flag, "1 starts the program; ignored while one runs and during a drain.";
        CLEAR_COUNTERS clear_counters: 1, 1, Flag, "1 clears the event counters.";
        DRAIN drain: 2, 1, Flag, "1 gives up the program, clears all units and ends what the memory ports have in flight; step registers and counters stay.";
    }
    Status status = 0x10, Read, "State of the program." {
        BUSY busy: 0, 1, Flag, "A program runs.";
        DONE done: 1, 1, Flag, "The last program has ended, by itself or by an error.";
        ERROR error: 2, 1, Flag, "The `error` register is not zero.";
        DRAINING draining: 3, 1, Flag, "Units are held in reset until the memory ports are quiet: after a reset, `drain`, an error of the fetch, an unknown opcode.";
    }
    Error error = 0x14, Read, "The first error since the start; zero without one." {
        SOURCE source: 0, 8, Choice(crate::ErrorSource::NAMES), "Who met it: fetch, stream, load or store a bad bus response, opcode an unknown opcode.";
        FETCHED fetched: 8, 24, Unsigned, "Descriptors fetched by then.";
    }
    ProgramLow program_low = 0x18, ReadWrite, "Program address, bits 31 to 0; a multiple of 64."
    ProgramHigh program_high = 0x1c, ReadWrite, "Program address, bits 39 to 32; higher bits are kept and ignored."
    ProgramLength program_length = 0x20, ReadWrite,
        "Descriptors in the program, less than 2^24; higher bits are kept and ignored. Takes effect with the next start."
    Fetched fetched = 0x24, Read, "Descriptors fetched since the start."
    DoneStream done_stream = 0x28, Read, "Descriptors that the stream unit completed."
    DoneCompute done_compute = 0x2c, Read, "Descriptors that the compute unit completed."
    DoneVector done_vector = 0x30, Read, "Descriptors that the vector unit completed."
    DoneLoad done_load = 0x34, Read, "Descriptors that the load unit completed."
    DoneStore done_store = 0x38, Read, "Descriptors that the store unit completed."
    Cycles cycles = 0x3c, Read, "Clock cycles from start to done, low 32 bits."
}

impl Csr {
    /// Where a unit counts its completed descriptors.
    pub const fn done(unit: Unit) -> Self {
        match unit {
            Unit::Stream => Self::DoneStream,
            Unit::Compute => Self::DoneCompute,
            Unit::Vector => Self::DoneVector,
            Unit::Load => Self::DoneLoad,
            Unit::Store => Self::DoneStore,
        }
    }
}

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
