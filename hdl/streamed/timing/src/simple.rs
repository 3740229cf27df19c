//! Units whose descriptors take a time that only their own fields determine: vector and store.

use super::port::MemoryTiming;
use sagen_streamed_isa::{Store, register};

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

/// Cycles of a store, from acceptance to `done`: four a run, one a piece, the response of the last burst.
pub(super) fn store(o: &Store, timing: &MemoryTiming) -> u64 {
    let runs = o.inner.count * o.middle.count * o.outer.count;
    let bursts = o.beats.div_ceil(256).max(1);
    // The products of the registers and their strides, the second only where there is one.
    let setup = if o.register_2 == register::ZERO { 6 } else { 9 };
    const PIPELINE: u64 = 5;
    setup + runs * (o.beats + 2 * bursts + 1) + PIPELINE + timing.write_latency
}
