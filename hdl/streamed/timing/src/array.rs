//! The array engine: intake into four slabs, steps of 16 cycles, and the drain of a block's results.
//!
//! See `docs/units/array.md`, whose formulas this reproduces.

use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_arch::layout::{Beat, Block, WEIGHTS};
use sagen_streamed_isa::BLOCK_ROWS;
use std::collections::VecDeque;

/// Descriptors accepted before the first is done.
const ACCEPTED: usize = 4;
/// Slabs of the weight buffer.
const SLABS: u64 = 4;
/// Drain of a block: 16 rows of 4 cycles, and one.
const DRAIN: u64 = 65;
/// From a complete slab to the first step of it.
const LOAD: u64 = 15;
/// Channels of a band, whose sums pass one row of the array a cycle.
const BAND: u64 = 8;
/// More stages of a deep pipeline: one in the multipliers, two in the requantisation.
const DEEP: u64 = 3;
/// Blocks under way in the accumulators.
const BANKS: usize = 2;

#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) block: Block,
    pub(super) blocks: u64,
}

/// A block that is being taken in, or waits for the arrays.
struct Intake {
    slabs: u64,
    last: bool,
}

pub(super) struct Array {
    beat: Beat,
    /// Beats and cycles of the steps of a slab.
    slab_beats: u64,
    slab_cycles: u64,
    /// From a row's codes at the arrays to its complete sum in the accumulators, and the drain's own stages.
    latency: u64,
    jobs: VecDeque<(Job, u64)>,
    accepted: usize,
    /// Blocks of the first job not yet taken in, and beats of the present block.
    blocks_left: u64,
    scales_left: u64,
    beats_left: u64,
    begins: u64,
    /// Complete slabs, each from the given cycle on.
    ready: VecDeque<u64>,
    blocks: VecDeque<Intake>,
    used: u64,
    free_at: u64,
    drains: VecDeque<u64>,
    done: VecDeque<u64>,
}

impl Array {
    pub(super) fn new(overlay: &StreamedConfig) -> Self {
        let (side, arrays) = (overlay.side() as u64, overlay.arrays() as u64);
        let beat = overlay.beat().channels(WEIGHTS) as u64;
        // A side of more than the rows of a block is several column halves, each with channels of its own.
        let columns = side.min(BLOCK_ROWS as u64);
        let channels = side * side / columns;
        let slab_channels = beat.max(channels);
        let steps = slab_channels.div_ceil(channels * arrays) * (BLOCK_ROWS as u64 / columns);
        let bands = channels * arrays / BAND;
        let tree = u64::from(bands.ilog2().saturating_sub(1));
        let deep = if overlay.deep_pipeline() { DEEP } else { 0 };
        Self {
            beat: overlay.beat(),
            slab_beats: BLOCK_ROWS as u64 * slab_channels / beat,
            slab_cycles: steps * BLOCK_ROWS as u64,
            latency: BAND + tree + deep + 5,
            jobs: VecDeque::new(),
            accepted: 0,
            blocks_left: 0,
            scales_left: 0,
            beats_left: 0,
            begins: 0,
            ready: VecDeque::new(),
            blocks: VecDeque::new(),
            used: 0,
            free_at: 0,
            drains: VecDeque::new(),
            done: VecDeque::new(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.accepted == 0
    }

    pub(super) fn can_accept(&self) -> bool {
        self.accepted < ACCEPTED
    }

    pub(super) fn accept(&mut self, job: Job, now: u64) {
        self.accepted += 1;
        self.jobs.push_back((job, now));
    }

    /// Moves on at `now`; true where something changed.
    pub(super) fn step(&mut self, now: u64) -> bool {
        let (opened, started) = (self.open(now), self.start(now));
        opened | started
    }

    /// The next block is taken in.
    fn open(&mut self, now: u64) -> bool {
        if self.scales_left + self.beats_left > 0 {
            return false;
        }
        let Some((job, accepted)) = self.jobs.front().copied() else { return false };
        if self.blocks_left == 0 {
            self.blocks_left = job.blocks;
            self.begins = accepted + 2;
        }
        self.scales_left = job.block.scale_beats(self.beat) as u64;
        self.beats_left = job.block.code_beats(self.beat) as u64;
        let slabs = self.beats_left / self.slab_beats;
        self.blocks_left -= 1;
        let last = self.blocks_left == 0;
        self.blocks.push_back(Intake { slabs, last });
        if last {
            self.jobs.pop_front();
        }
        self.begins = self.begins.max(now);
        true
    }

    /// The arrays begin with a slab.
    fn start(&mut self, now: u64) -> bool {
        while self.drains.front().is_some_and(|end| *end <= now) {
            self.drains.pop_front();
        }
        let ready = self.ready.front().is_some_and(|at| *at <= now);
        let Some(block) = self.blocks.front() else { return false };
        if self.free_at > now || !ready || self.used == 0 && self.drains.len() >= BANKS {
            return false;
        }
        let (slabs, last) = (block.slabs, block.last);
        self.ready.pop_front();
        self.free_at = now + self.slab_cycles;
        self.used += 1;
        if self.used == slabs {
            self.used = 0;
            self.blocks.pop_front();
            let due = self.free_at - BLOCK_ROWS as u64 + self.latency;
            let end = self.drains.back().map_or(due, |end| due.max(*end)) + DRAIN;
            self.drains.push_back(end);
            if last {
                self.done.push_back(end);
            }
        }
        true
    }

    pub(super) fn wants(&self, now: u64) -> bool {
        let room = (self.ready.len() as u64) < SLABS;
        now >= self.begins && (self.scales_left > 0 || self.beats_left > 0 && room)
    }

    /// Beats wanted one a cycle, until something changes.
    pub(super) fn wanted(&self) -> u64 {
        if self.scales_left > 0 {
            self.scales_left
        } else {
            (self.beats_left + self.slab_beats - 1) % self.slab_beats + 1
        }
    }

    pub(super) fn take(&mut self, beats: u64, now: u64) {
        if self.scales_left > 0 {
            self.scales_left -= beats;
            return;
        }
        self.beats_left -= beats;
        if self.beats_left.is_multiple_of(self.slab_beats) {
            let idle = self.ready.is_empty() && self.free_at + 1 < now;
            self.ready.push_back(if idle { now + LOAD } else { now + 1 });
        }
    }

    /// A descriptor whose `done` is due.
    pub(super) fn complete(&mut self, now: u64) -> bool {
        let due = self.done.front().is_some_and(|done| *done <= now);
        if due {
            self.done.pop_front();
            self.accepted -= 1;
        }
        due
    }

    pub(super) fn next(&self) -> [Option<u64>; 5] {
        let begins = (self.scales_left + self.beats_left > 0).then_some(self.begins);
        let pending = (!self.blocks.is_empty()).then_some(self.free_at);
        [self.done.front().copied(), self.ready.front().copied(), begins, pending, self.drains.front().copied()]
    }
}
