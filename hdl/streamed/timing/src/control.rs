//! Descriptor fetch and scheduler: what is offered to which unit, and when.

use sagen_streamed_arch::Instruction;
use sagen_streamed_isa::{Descriptor, UNITS};
use std::collections::VecDeque;

/// Descriptors that may be on their way or wait for the scheduler.
pub(super) const AHEAD: u64 = 8;
/// Descriptors of one burst.
pub(super) const BURST: u64 = 4;
/// Descriptors that a unit's queue holds.
const QUEUE: usize = 16;
/// From a descriptor's last transfer to the scheduler.
const ARRIVAL: u64 = 2;
/// From the head of a queue, or from a `done`, to the acceptance of what waits for it.
const OFFER: u64 = 2;

pub(super) struct Control<'a> {
    steps: &'a [Instruction],
    /// Of each descriptor that arrived and is not distributed yet.
    arrived: VecDeque<u64>,
    distributed: usize,
    last: u64,
    queues: [VecDeque<usize>; UNITS.len()],
    head_since: [u64; UNITS.len()],
    /// Completions that count, and those that will.
    counts: [u64; UNITS.len()],
    coming: [VecDeque<u64>; UNITS.len()],
    pub(super) completed: usize,
}

impl<'a> Control<'a> {
    pub(super) fn new(steps: &'a [Instruction]) -> Self {
        Self {
            steps,
            arrived: VecDeque::new(),
            distributed: 0,
            last: 0,
            queues: Default::default(),
            head_since: [0; UNITS.len()],
            counts: [0; UNITS.len()],
            coming: Default::default(),
            completed: 0,
        }
    }

    pub(super) fn arrive(&mut self, now: u64) {
        self.arrived.push_back(now + ARRIVAL);
    }

    /// One descriptor goes to its unit's queue; true where one did.
    pub(super) fn distribute(&mut self, now: u64) -> bool {
        if self.arrived.front().is_none_or(|at| *at > now) || self.last >= now {
            return false;
        }
        let unit = self.steps[self.distributed].descriptor.unit().index();
        if self.queues[unit].len() == QUEUE {
            return false;
        }
        if self.queues[unit].is_empty() {
            self.head_since[unit] = now + 1;
        }
        self.queues[unit].push_back(self.distributed);
        self.arrived.pop_front();
        self.distributed += 1;
        self.last = now;
        true
    }

    /// The head of a unit's queue, if all it waits for is done.
    pub(super) fn offered(&mut self, unit: usize, now: u64) -> Option<&'a Descriptor> {
        for (count, coming) in self.counts.iter_mut().zip(&mut self.coming) {
            while coming.front().is_some_and(|at| *at <= now) {
                coming.pop_front();
                *count += 1;
            }
        }
        let steps = self.steps;
        let head = &steps[*self.queues[unit].front()?].descriptor;
        let met = head.waits.iter().zip(&self.counts).all(|(wait, count)| u64::from(*wait) <= *count);
        (met && now > self.head_since[unit]).then_some(head)
    }

    pub(super) fn taken(&mut self, unit: usize, now: u64) {
        self.queues[unit].pop_front();
        self.head_since[unit] = now + 1;
    }

    pub(super) fn complete(&mut self, unit: usize, now: u64) {
        self.coming[unit].push_back(now + OFFER);
        self.completed += 1;
    }

    pub(super) fn next(&self, now: u64) -> impl Iterator<Item = u64> {
        let arrived = self.arrived.front().map(|at| (*at).max(self.last + 1));
        let heads = self.head_since.iter().map(|since| since + 1);
        let coming = self.coming.iter().filter_map(|c| c.front().copied());
        arrived.into_iter().chain(heads).chain(coming).filter(move |at| *at > now)
    }
}
