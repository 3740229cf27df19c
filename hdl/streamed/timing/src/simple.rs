//! Units whose descriptors take a time that only their own fields determine: vector and store.

use super::port::MemoryTiming;
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{Glu, LANES, Quant, Rope, Store, register};

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

/// What takes time in a vector descriptor; see `docs/units/vector.md`.
pub(super) struct Work {
    words: u64,
    /// Stages from the first word in to `done`, and the additional ones of a deep pipeline.
    latency: u64,
    deep: u64,
}

impl Work {
    pub(super) fn elementwise(rows: u64, words: u64) -> Self {
        Self { words: rows * words, latency: 7, deep: 8 }
    }

    pub(super) fn rope(o: &Rope) -> Self {
        Self { words: o.rows * o.words, latency: 8, deep: 8 }
    }

    pub(super) fn glu(o: &Glu) -> Self {
        Self { words: o.rows * o.words, latency: 11, deep: 11 }
    }

    pub(super) fn quant(o: &Quant) -> Self {
        // The scan of the first segment is not hidden, and waits for the last amax of the descriptor before.
        let latency = if o.fixed { 7 } else { o.segment_words / 4 + 13 };
        Self { words: o.rows * o.segments * o.segment_words, latency, deep: 8 }
    }

    /// Cycles from acceptance by an idle unit to `done`, and how many of them a descriptor before it hides.
    pub(super) fn cycles(&self, overlay: &StreamedConfig) -> (u64, u64) {
        let words = self.words * (LANES / overlay.vector_lanes()) as u64;
        match overlay.deep_pipeline() {
            true => (words + self.latency + self.deep, 5),
            false => (words + self.latency, 1),
        }
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
