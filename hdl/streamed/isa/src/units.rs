//! The units that execute descriptors, each in order and concurrently with the others.

macro_rules! units {
    ($( $(#[doc = $doc:literal])+ $unit:ident = $name:literal, )+) => {
        /// A unit with its own descriptor queue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Unit { $( $(#[doc = $doc])+ $unit, )+ }

        /// All units, in the order of their wait fields.
        pub const UNITS: [Unit; [$($name),+].len()] = [$(Unit::$unit),+];

        impl Unit {
            /// Lower-case name, as in RTL instance names and reports.
            pub const fn name(self) -> &'static str {
                match self { $( Unit::$unit => $name, )+ }
            }
            /// Position among the wait fields and queues.
            pub const fn index(self) -> usize {
                self as usize
            }
        }
    };
}

units! {
    /// Reads weights, K and V through the stream ports into the prefetch FIFO.
    Stream = "stream",
    /// GEMV and systolic array, with their drain.
    Compute = "compute",
    /// Vector lanes, special functions, quantiser.
    Vector = "vector",
    /// DDR to scratchpad.
    Load = "load",
    /// Scratchpad to DDR.
    Store = "store",
}
