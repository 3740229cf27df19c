//! A memory port: bursts are answered in the order in which they were asked for, one transfer a cycle, except in
//! refreshes. What a port delivers changes only at events, so time may jump from one to the next.

use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::PAGE_BYTES;
use std::collections::VecDeque;

/// Cycles from one request to the next of the same reader.
const REQUEST: u64 = 3;

/// How the memory answers, in clock cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemoryTiming {
    /// From a request to its first transfer, when nothing is before it.
    pub read_latency: u64,
    /// From the last transfer of a write to its response.
    pub write_latency: u64,
    /// Bursts that a port accepts before the first has ended.
    pub outstanding: usize,
    /// From one refresh to the next; may be fractional.
    pub refresh_period: f64,
    /// How long a refresh stops all transfers.
    pub refresh_stall: f64,
}

impl MemoryTiming {
    /// The DDR of an overlay's board at the overlay's clock.
    #[must_use]
    pub fn of(overlay: &StreamedConfig) -> Self {
        let ddr = overlay.board().ddr.timing;
        let cycles = |ns: u64| ns as f64 * f64::from(overlay.clock_mhz()) / 1e3;
        Self {
            read_latency: cycles(ddr.read_latency_ns).ceil() as u64,
            write_latency: cycles(ddr.write_latency_ns).ceil() as u64,
            outstanding: ddr.outstanding,
            refresh_period: cycles(ddr.refresh_period_ns),
            refresh_stall: cycles(ddr.refresh_stall_ns),
        }
    }

    /// Whether transfers stop at a cycle, and the next cycle at which that changes.
    pub(super) fn refresh(&self, now: u64) -> (bool, u64) {
        let begin = |n: u64| (n as f64 * self.refresh_period) as u64;
        let end = |n: u64| (n as f64 * self.refresh_period + self.refresh_stall) as u64;
        let last = (now as f64 / self.refresh_period) as u64;
        let candidates = last.saturating_sub(1).max(1)..=last + 2;
        for n in candidates {
            if now < begin(n) {
                return (false, begin(n));
            }
            if now < end(n) {
                return (true, end(n));
            }
        }
        (false, begin(last + 3))
    }
}

/// Who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Fetch,
    Stream,
    Load,
}

struct Burst {
    reader: Reader,
    left: u64,
    due: u64,
}

/// One port.
#[derive(Default)]
pub(super) struct Port {
    bursts: VecDeque<Burst>,
}

impl Port {
    pub(super) fn has_room(&self, timing: &MemoryTiming) -> bool {
        self.bursts.len() < timing.outstanding
    }

    /// `settle` is what an idle pipeline behind the port adds.
    pub(super) fn ask(&mut self, reader: Reader, beats: u64, now: u64, timing: &MemoryTiming, settle: u64) {
        let idle = if self.bursts.is_empty() { settle } else { 0 };
        self.bursts.push_back(Burst { reader, left: beats, due: now + timing.read_latency + idle });
    }

    /// Who receives a transfer in every cycle from now on, until the next event.
    pub(super) fn flowing(&self, now: u64, closed: bool) -> Option<Reader> {
        self.bursts.front().filter(|b| b.due <= now && !closed).map(|b| b.reader)
    }

    /// When what flows changes, refreshes apart.
    pub(super) fn next(&self, now: u64, closed: bool) -> Option<u64> {
        let front = self.bursts.front()?;
        if front.due > now {
            return Some(front.due);
        }
        (!closed).then_some(now + front.left)
    }

    /// `cycles` transfers of the front burst.
    pub(super) fn flow(&mut self, cycles: u64) {
        let front = self.bursts.front_mut().expect("something flows");
        front.left -= cycles;
        if front.left == 0 {
            self.bursts.pop_front();
        }
    }
}

/// Cuts a contiguous transfer into bursts, as `hdl/rtl/src/dma/burst.rs` does.
pub(super) struct Bursts {
    bytes: u64,
    longest: u64,
    at: u64,
    left: u64,
    ready_at: u64,
}

impl Bursts {
    pub(super) fn new(port_bytes: usize, longest: u64) -> Self {
        Self { bytes: port_bytes as u64, longest, at: 0, left: 0, ready_at: 0 }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.left == 0
    }

    pub(super) fn start(&mut self, now: u64, address: u64, beats: u64) {
        (self.at, self.left, self.ready_at) = (address, beats, now + REQUEST);
    }

    /// Beats of the next burst.
    pub(super) fn length(&self) -> u64 {
        self.left.min((PAGE_BYTES - self.at % PAGE_BYTES) / self.bytes).min(self.longest)
    }

    /// Whether a burst is ready to be asked for.
    pub(super) fn is_ready(&self, now: u64) -> bool {
        self.left > 0 && now >= self.ready_at
    }

    pub(super) fn next(&self, now: u64) -> Option<u64> {
        (self.left > 0 && self.ready_at > now).then_some(self.ready_at)
    }

    /// The burst was accepted; its beats.
    pub(super) fn issue(&mut self, now: u64) -> u64 {
        let beats = self.length();
        self.left -= beats;
        self.at += beats * self.bytes;
        self.ready_at = now + REQUEST;
        beats
    }
}
