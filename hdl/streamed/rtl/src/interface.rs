//! The interfaces between the modules of an overlay, each in one place: ports, directions, widths.

pub use sagen_blocks::axi::{AxiLite, AxiRead, AxiReadKind, AxiWrite, AxiWriteKind, named as axi};

use sagen_blocks::axi::ADDRESS_BITS;
use sagen_lang::{Module, Output, Renamed, Signal, bit, bundle, interface, unsigned};
use sagen_streamed_isa::{REGISTERS, UNITS, WORD_BYTES};

/// Bits of a scratchpad word.
pub const WORD: u32 = WORD_BYTES as u32 * 8;
/// Bits of a step register's number.
pub const STEP_INDEX: u32 = REGISTERS.ilog2();
/// Bits of a completion count.
pub const COUNT_BITS: u32 = 16;
/// Bits of a program's length.
pub const LENGTH_BITS: u32 = 24;
/// Bits of an AXI4-Lite address.
pub const CSR_ADDRESS_BITS: u32 = 16;

interface! {
    /// Scheduler to unit: one descriptor at a time.
    pub struct UnitPort() {
        /// Descriptor.
        desc: -> unsigned(512),
        /// The descriptor is there and everything that it waits for is done.
        valid: -> bit(),
        /// The unit takes it.
        ready: <- bit(),
        /// High for one cycle with each completed descriptor.
        done: <- bit(),
    }
}

interface! {
    /// A unit to the scratchpad. A writer that is never refused has no `ready`.
    pub struct ScratchWrite(refusable: bool) {
        /// A word is written.
        valid: -> bit(),
        /// Its address.
        addr: -> unsigned(16),
        /// Its value.
        data: -> unsigned(WORD),
        /// One bit a byte.
        mask: -> unsigned(WORD_BYTES as u32),
        /// It is written in this cycle.
        ready(optional): <- refusable.then(bit),
    }
}

interface! {
    /// A unit to a read port of the scratchpad. The word is there two cycles later.
    pub struct ScratchRead() {
        /// A word is read.
        en: -> bit(),
        /// Its address.
        addr: -> unsigned(16),
        /// The word.
        data: <- unsigned(WORD),
    }
}

interface! {
    /// A unit to a read port of the scratchpad that belongs to another unit. The word comes out of that port.
    pub struct ScratchTurn() {
        /// A word is wanted.
        en: -> bit(),
        /// Its address.
        addr: -> unsigned(16),
        /// It is read in this cycle.
        ready: <- bit(),
    }
}

interface! {
    /// The vector unit to the code memory: quarters of a word, and the shift of all of it.
    pub struct CodeWrite() {
        /// Codes are written.
        valid: -> bit(),
        /// Address of the word.
        addr: -> unsigned(16),
        /// 64 codes.
        data: -> unsigned(512),
        /// One bit a quarter.
        mask: -> unsigned(4),
        /// Shift of the group.
        shift: -> unsigned(2),
    }
}

interface! {
    /// The vector unit to the scale file.
    pub struct ScaleWrite() {
        /// An entry is written.
        valid: -> bit(),
        /// Its number.
        addr: -> unsigned(12),
        /// Mantissa in the low 16 bits, exponent in the high 8.
        data: -> unsigned(24),
    }
}

interface! {
    /// A reader of the step registers.
    pub struct StepRead() {
        /// Number of a register.
        index: -> unsigned(STEP_INDEX),
        /// Its value in the same cycle.
        value: <- unsigned(32),
    }
}

interface! {
    /// A unit that sets a step register, two cycles later.
    pub struct StepWrite() {
        /// A register is set.
        write: -> bit(),
        /// Its number.
        index: -> unsigned(STEP_INDEX),
        /// Its value.
        data: -> unsigned(32),
    }
}

interface! {
    /// The compute unit to the code memory, which answers two cycles later.
    pub struct CodeRead() {
        /// A word is read.
        en: -> bit(),
        /// Its address.
        addr: -> unsigned(16),
        /// 64 codes.
        data: <- unsigned(512),
        /// Shift of their group.
        shift: <- unsigned(2),
    }
}

interface! {
    /// The compute unit to the scale file, which answers one cycle later.
    pub struct ScaleRead() {
        /// An entry is read.
        en: -> bit(),
        /// Its number.
        addr: -> unsigned(12),
        /// Mantissa in the low 16 bits, exponent in the high 8.
        data: <- unsigned(24),
    }
}

interface! {
    /// Words that follow one another; one passes in each cycle in which it is there and wanted.
    pub struct Beats(width: u32) {
        /// A word is there.
        valid: -> bit(),
        /// The word.
        data: -> unsigned(width),
        /// It is wanted.
        ready: <- bit(),
    }
}

interface! {
    /// The registers to descriptor fetch: a program begins.
    pub struct Launch() {
        /// High for one cycle.
        start: -> bit(),
        /// Byte address of its first descriptor.
        address: -> unsigned(ADDRESS_BITS),
        /// Descriptors.
        length: -> unsigned(LENGTH_BITS),
        /// It runs, and its descriptors may be handed out.
        dispatch: -> bit(),
    }
}

interface! {
    /// The scheduler to the registers, for each unit.
    pub struct Completions() {
        /// Descriptors completed since the start, modulo 2^16.
        done_count: -> unsigned(COUNT_BITS),
    }
}

interface! {
    /// What a profile observes, cycle by cycle; a bit a unit where there are several.
    pub struct Progress() {
        /// A descriptor is completed.
        done: -> unsigned(UNITS.len() as u32),
        /// A unit takes a descriptor.
        taken: -> unsigned(UNITS.len() as u32),
        /// A unit's queue has a descriptor.
        queued: -> unsigned(UNITS.len() as u32),
        /// Its oldest may start.
        offered: -> unsigned(UNITS.len() as u32),
        /// A descriptor is held by a full queue.
        refused: -> bit(),
        /// The compute unit takes a beat.
        beat: -> bit(),
        /// It waits for one.
        starved: -> bit(),
        /// A prefetch FIFO is full.
        blocked: -> bit(),
        /// An error is known.
        failed: -> bit(),
    }
}

bundle! {
    /// What the registers count, cycle by cycle: [`sagen_streamed_isa::COUNTERS`] in its order.
    pub struct Events() {
        /// A stream descriptor is being executed.
        stream_busy: bit(),
        /// A stream descriptor waits for another unit.
        stream_wait: bit(),
        /// A prefetch FIFO is full.
        stream_blocked: bit(),
        /// A compute descriptor is being executed.
        compute_busy: bit(),
        /// One waits and none is being executed.
        compute_wait: bit(),
        /// The prefetch FIFO is empty.
        compute_starved: bit(),
        /// A beat is consumed.
        compute_beats: bit(),
        /// A vector descriptor is being executed.
        vector_busy: bit(),
        /// One waits and none is being executed.
        vector_wait: bit(),
        /// A load descriptor is being executed.
        load_busy: bit(),
        /// One waits and none is being executed.
        load_wait: bit(),
        /// A store descriptor is being executed.
        store_busy: bit(),
        /// One waits and none is being executed.
        store_wait: bit(),
        /// A unit queue is full.
        fetch_blocked: bit(),
    }
}

bundle! {
    /// What ends up in the `error` register, in the order of its sources.
    pub struct Faults() {
        /// Descriptor fetch got a bus error.
        fetch_error: bit(),
        /// The stream unit did.
        stream_error: bit(),
        /// The load unit did.
        load_error: bit(),
        /// The store unit did.
        store_error: bit(),
        /// A descriptor has an opcode that no unit knows.
        unknown_opcode: bit(),
    }
}

/// The descriptor port of a unit: `desc`, `desc_valid`, `desc_ready`, `done`.
#[track_caller]
pub fn unit_port(m: &Module) -> UnitPort<Signal, Output> {
    let name = |field: &str| match field {
        "valid" | "ready" => format!("desc_{field}"),
        other => other.to_string(),
    };
    m.slave(Renamed("", name), UnitPort::layout())
}

/// The ports of [`Beats`] called after their data: `beat`, `beat_valid`, `beat_ready`.
pub fn data_first(name: &str) -> Renamed<&str> {
    Renamed(name, |field| if field == "data" { String::new() } else { format!("_{field}") })
}
