//! What a unit does in one cycle, and counts of it.

use sagen_streamed_isa::Unit;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// What a unit does in one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Compute consumes a beat.
    Beat,
    /// The array multiplies, without a beat: a beat lasts it several cycles.
    Array,
    /// A descriptor is being executed, in any other way.
    Busy,
    /// Compute needs a beat, the FIFO is empty and the stream is reading: the memory is the limit.
    Starved,
    /// Compute needs a beat, the FIFO is empty and the stream has nothing to read.
    Unfed,
    /// The stream is held by a full FIFO.
    Blocked,
    /// The next descriptor waits for the stream.
    WaitStream,
    /// The next descriptor waits for compute.
    WaitCompute,
    /// The next descriptor waits for the vector unit.
    WaitVector,
    /// The next descriptor waits for a load.
    WaitLoad,
    /// The next descriptor waits for a store.
    WaitStore,
    /// The next descriptor has not been fetched, or has not reached the head of the queue.
    Fetch,
    /// The next descriptor may start and is being handed over.
    Issue,
    /// The unit has completed all its descriptors.
    Finished,
}

/// Every state, in the order of reports.
pub const STATES: [State; 14] = [
    State::Beat,
    State::Array,
    State::Busy,
    State::Starved,
    State::Unfed,
    State::Blocked,
    State::WaitStream,
    State::WaitCompute,
    State::WaitVector,
    State::WaitLoad,
    State::WaitStore,
    State::Fetch,
    State::Issue,
    State::Finished,
];

impl State {
    /// The state of waiting for a unit.
    #[must_use]
    pub const fn waiting_for(unit: Unit) -> Self {
        match unit {
            Unit::Stream => State::WaitStream,
            Unit::Compute => State::WaitCompute,
            Unit::Vector => State::WaitVector,
            Unit::Load => State::WaitLoad,
            Unit::Store => State::WaitStore,
        }
    }

    /// True unless compute does what it is for.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        !matches!(self, State::Beat | State::Array)
    }

    /// Short name, as in tables and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            State::Beat => "beat",
            State::Array => "array",
            State::Busy => "busy",
            State::Starved => "starved",
            State::Unfed => "unfed",
            State::Blocked => "blocked",
            State::WaitStream => "wait_stream",
            State::WaitCompute => "wait_compute",
            State::WaitVector => "wait_vector",
            State::WaitLoad => "wait_load",
            State::WaitStore => "wait_store",
            State::Fetch => "fetch",
            State::Issue => "issue",
            State::Finished => "finished",
        }
    }

    /// What it means, in a few words.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            State::Beat => "consumes a beat",
            State::Array => "array multiplies",
            State::Busy => "executes, no beat",
            State::Starved => "FIFO empty, memory reads",
            State::Unfed => "FIFO empty, stream waits",
            State::Blocked => "FIFO full",
            State::WaitStream => "waits for stream",
            State::WaitCompute => "waits for compute",
            State::WaitVector => "waits for vector",
            State::WaitLoad => "waits for load",
            State::WaitStore => "waits for store",
            State::Fetch => "next not fetched",
            State::Issue => "hand-over",
            State::Finished => "all done",
        }
    }
}

/// Cycles in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally([u64; STATES.len()]);

impl Tally {
    /// Cycles in one state.
    #[must_use]
    pub const fn get(&self, state: State) -> u64 {
        self.0[state as usize]
    }

    /// Count cycles.
    #[inline]
    pub fn add(&mut self, state: State, cycles: u64) {
        self.0[state as usize] += cycles;
    }

    /// Forget the cycles of a state; how many they were.
    pub(super) fn take(&mut self, state: State) -> u64 {
        std::mem::take(&mut self.0[state as usize])
    }

    /// Count all that another counted.
    pub fn merge(&mut self, other: &Tally) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }

    /// Cycles in all states.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Cycles in which a descriptor was being executed, also those in which it was starved or blocked.
    #[must_use]
    pub fn in_flight(&self) -> u64 {
        [State::Beat, State::Array, State::Busy, State::Starved, State::Unfed, State::Blocked]
            .iter()
            .map(|s| self.get(*s))
            .sum()
    }
}

impl Serialize for Tally {
    /// A map of the states that occur.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for state in STATES.iter().filter(|s| self.get(**s) > 0) {
            map.serialize_entry(state.name(), &self.get(*state))?;
        }
        map.end()
    }
}
