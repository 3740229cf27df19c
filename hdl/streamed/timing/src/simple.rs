//! Units whose descriptors take a time that only their own fields determine: vector and store.

use super::port::MemoryTiming;
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{LANES, Operation, Quant, Store};

/// Executes one descriptor after another; a second one may wait inside.
#[derive(Default)]
pub(super) struct Simple {
    running: Option<u64>,
    waiting: Option<u64>,
}

impl Simple {
    pub(super) fn is_idle(&self) -> bool {
        self.running.is_none()
    }

    /// A unit that decodes the next descriptor while the present one runs takes it `ahead`.
    pub(super) fn can_accept(&self, ahead: bool) -> bool {
        self.running.is_none() || ahead && self.waiting.is_none()
    }

    /// `cycles` from acceptance to `done`, of which `hidden` pass before the `done` of a descriptor before it.
    pub(super) fn accept(&mut self, now: u64, cycles: u64, hidden: u64) {
        match self.running {
            None => self.running = Some(now + cycles),
            Some(done) => self.waiting = Some((now + cycles).max(done + cycles - hidden)),
        }
    }

    /// A descriptor whose `done` is due.
    pub(super) fn complete(&mut self, now: u64) -> bool {
        let due = self.running.is_some_and(|done| done <= now);
        if due {
            self.running = self.waiting.take();
        }
        due
    }

    pub(super) fn next(&self) -> Option<u64> {
        self.running
    }
}

/// Cycles of a vector descriptor, from acceptance by an idle unit to `done`, and how many of them a descriptor before it
/// hides; see `docs/units/vector.md`.
pub(super) fn vector(operation: &Operation, overlay: &StreamedConfig) -> (u64, u64) {
    let parts = (LANES / overlay.vector_lanes()) as u64;
    let deep = overlay.deep_pipeline();
    let (words, latency, more) = match operation {
        Operation::Mul(o) => (o.rows * o.words, 7, 8),
        Operation::Add(o) => (o.rows * o.words, 7, 8),
        Operation::Rope(o) => (o.rows * o.words, 8, 8),
        Operation::Glu(o) => (o.rows * o.words, 11, 11),
        Operation::Quant(o) => (o.rows * o.segments * o.segment_words, quant(o), 8),
        other => unreachable!("{other:?} is no descriptor of the vector unit"),
    };
    (words * parts + latency + if deep { more } else { 0 }, if deep { 5 } else { 1 })
}

fn quant(o: &Quant) -> u64 {
    // The scan of the first segment is not hidden, and waits for the last amax of the descriptor before.
    if o.fixed == 1 { 7 } else { o.segment_words / 4 + 13 }
}

/// Cycles of a store, from acceptance to `done`: four a run, one a piece, the response of the last burst.
pub(super) fn store(o: &Store, timing: &MemoryTiming) -> u64 {
    let runs = o.count1 * o.count2 * o.count3;
    let bursts = o.beats.div_ceil(256).max(1);
    // The products of the registers and their strides, the second only where there is one.
    let setup = if o.reg_b == 0 { 6 } else { 9 };
    const PIPELINE: u64 = 5;
    setup + runs * (o.beats + 2 * bursts + 1) + PIPELINE + timing.write_latency
}
