//! The units that execute descriptors, each in order and concurrently with the others.

/// A unit with its own descriptor queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// Reads weights, K and V through the stream ports into the prefetch FIFO.
    Stream,
    /// GEMV and systolic array, with their drain.
    Compute,
    /// Vector lanes, special functions, quantiser.
    Vector,
    /// DDR to scratchpad.
    Load,
    /// Scratchpad to DDR.
    Store,
}

/// All units, in the order of their wait fields.
pub const UNITS: [Unit; 5] = [Unit::Stream, Unit::Compute, Unit::Vector, Unit::Load, Unit::Store];

impl Unit {
    /// Lower-case name, as in RTL instance names and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Stream => "stream",
            Unit::Compute => "compute",
            Unit::Vector => "vector",
            Unit::Load => "load",
            Unit::Store => "store",
        }
    }
    /// Position among the wait fields and queues.
    pub const fn index(self) -> usize {
        self as usize
    }
}
