//! Units whose descriptors take a time that only their own fields determine: vector and store.

use super::port::MemoryTiming;
use sagen_isa::{Operation, Quant, Store};

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

    /// `cycles` from acceptance to `done`.
    pub(super) fn accept(&mut self, now: u64, cycles: u64) {
        match self.running {
            None => self.running = Some(now + cycles),
            Some(done) => self.waiting = Some((now + cycles).max(done + cycles - 1)),
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

/// Cycles of a vector descriptor, from acceptance by an idle unit to `done`; see `docs/units/vector.md`.
pub(super) fn vector(operation: &Operation) -> u64 {
    match operation {
        Operation::Mul(o) => o.rows * o.words + 7,
        Operation::Add(o) => o.rows * o.words + 7,
        Operation::Rope(o) => o.rows * o.words + 8,
        Operation::Glu(o) => o.rows * o.words + 11,
        Operation::Quant(o) => quant(o),
        other => unreachable!("{other:?} is no descriptor of the vector unit"),
    }
}

fn quant(o: &Quant) -> u64 {
    let words = o.rows * o.segments * o.segment_words;
    // The scan of the first segment is not hidden, and waits for the last amax of the descriptor before.
    if o.fixed == 1 { words + 7 } else { words + o.segment_words / 4 + 13 }
}

/// Cycles of a store, from acceptance to `done`: four a run, one a piece, the response of the last burst.
pub(super) fn store(o: &Store, timing: &MemoryTiming) -> u64 {
    let runs = o.count1 * o.count2 * o.count3;
    let bursts = o.beats.div_ceil(256).max(1);
    const SETUP: u64 = 3;
    const PIPELINE: u64 = 5;
    SETUP + runs * (o.beats + 2 * bursts + 1) + PIPELINE + timing.write_latency
}
