//! The GEMV engine: one beat a cycle while there are beats, and a little time between descriptors.
//!
//! The figures are those of the engine's timing tests (`hdl/rtl/src/compute/tests/timing.rs`).

use sagen_streamed_arch::StreamedConfig;
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Matvec,
    Score,
    WeightedSum,
}

/// A descriptor, reduced to what takes time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    pub(super) kind: Kind,
    pub(super) vectors: u64,
    pub(super) beats: u64,
}

/// From the acceptance of a descriptor to its first beat, without its vectors.
const START: u64 = 4;
/// From the start of a weighted sum to its first weight.
const WEIGHTS: u64 = 9;
/// From a `done` to what begins once nothing is under way.
const QUIET: u64 = 1;
/// One stage more in the multipliers, two in the requantisation.
const DEEP: u64 = 3;
/// Least length of a drain.
const DRAIN: u64 = 16;

pub(super) struct Gemv {
    /// Bytes of a beat: lanes of a weighted sum.
    beat: u64,
    /// More stages of a deep pipeline.
    deep: u64,
    held: Option<(Job, u64)>,
    current: Option<(Job, u64)>,
    left: u64,
    last: Option<(Kind, u64)>,
    done: VecDeque<u64>,
}

impl Gemv {
    pub(super) fn new(overlay: &StreamedConfig) -> Self {
        let (beat, deep) = (overlay.beat_bytes() as u64, if overlay.deep_pipeline() { DEEP } else { 0 });
        Self { beat, deep, held: None, current: None, left: 0, last: None, done: VecDeque::new() }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.held.is_none() && self.current.is_none() && self.done.is_empty()
    }

    pub(super) fn can_accept(&self) -> bool {
        self.held.is_none()
    }

    pub(super) fn accept(&mut self, job: Job, now: u64) {
        self.held = Some((job, now));
    }

    /// Moves on at `now`; true where something changed.
    pub(super) fn step(&mut self, now: u64) -> bool {
        let mut changed = false;
        if let Some((job, _)) = self.current
            && self.left == 0
        {
            let done = (now - 1) + self.tail(job);
            self.done.push_back(self.done.back().map_or(done, |d| done.max(d + 1)));
            self.last = Some((job.kind, now - 1));
            self.current = None;
            changed = true;
        }
        if self.current.is_none()
            && let Some((job, accepted)) = self.held.take()
        {
            self.current = Some((job, self.first(job, accepted)));
            self.left = job.beats;
            changed = true;
        }
        changed
    }

    /// From the last beat to `done`.
    fn tail(&self, job: Job) -> u64 {
        let adder = u64::from(self.beat > 8);
        self.deep
            + match job.kind {
                Kind::Matvec => 12 + adder + job.vectors,
                Kind::Score => 11 + adder,
                Kind::WeightedSum => 24 + self.beat + job.vectors,
            }
    }

    /// Cycle of the first beat, if it is there.
    fn first(&self, job: Job, accepted: u64) -> u64 {
        let begin = match job.kind {
            Kind::Matvec | Kind::Score => accepted + START + job.vectors,
            Kind::WeightedSum => accepted + 2 + WEIGHTS,
        };
        let quiet = self.done.back().map_or(0, |done| done + QUIET);
        let after = match (self.last, job.kind) {
            (None, _) => 0,
            (Some((Kind::Matvec, last)), Kind::Matvec) => last + 1,
            (Some((Kind::WeightedSum, last)), Kind::Score) => last + 16 + self.beat.max(DRAIN),
            (Some(_), Kind::WeightedSum) => quiet + WEIGHTS - QUIET,
            (Some(_), Kind::Matvec | Kind::Score) => quiet,
        };
        begin.max(after)
    }

    /// Whether a beat is wanted.
    pub(super) fn wants(&self, now: u64) -> bool {
        self.left > 0 && self.current.is_some_and(|(_, first)| first <= now)
    }

    /// Until when beats are wanted one a cycle.
    pub(super) fn wanted(&self) -> u64 {
        self.left
    }

    pub(super) fn take(&mut self, beats: u64) {
        self.left -= beats;
    }

    /// A descriptor whose `done` is due.
    pub(super) fn complete(&mut self, now: u64) -> bool {
        let due = self.done.front().is_some_and(|done| *done <= now);
        if due {
            self.done.pop_front();
        }
        due
    }

    pub(super) fn next(&self) -> [Option<u64>; 2] {
        [self.done.front().copied(), self.current.map(|(_, first)| first)]
    }
}
