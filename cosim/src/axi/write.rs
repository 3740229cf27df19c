//! The AW, W and B channels of one port.

use super::ddr::Ddr;
use super::failure::Pending;
use super::profile::{Gate, Pace};
use super::read::{Address, AddressPorts, Fault};
use super::stats::PortStats;
use super::violation::{Channel, Rule};
use crate::bridge::{BridgeError, Bus, Port, Sim};
use std::collections::VecDeque;

/// Bytes of the widest beat.
const WIDEST: usize = 16;

/// A write burst whose response the design has not taken.
pub(super) struct WriteBurst {
    pub(super) address: u64,
    pub(super) bytes: u64,
    at: usize,
    beats: u64,
    taken: u64,
    due: u64,
    /// BRESP.
    response: u8,
}

/// The payload of W.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Beat {
    data: [u8; WIDEST],
    strobes: u32,
    last: u8,
}

/// The write half of a port.
pub(super) struct WriteChannel {
    aw: AddressPorts,
    valid: Port<u8>,
    ready: Port<u8>,
    last: Port<u8>,
    data: Bus,
    strobes: Bus,
    b_valid: Port<u8>,
    b_ready: Port<u8>,
    b_resp: Port<u8>,
    beat: usize,
    pub(super) bursts: VecDeque<WriteBurst>,
    /// How many of `bursts` have all their data.
    complete: usize,
    held: Option<Beat>,
    accepted: bool,
    is_ready: bool,
    gap: u32,
    answered: bool,
    pub(super) failures: Pending,
}

/// What a cycle did to the memory.
#[derive(Default)]
pub(super) struct Sampled {
    /// Must be given to `accept`.
    pub(super) address: Option<Address>,
    /// Start and length of a burst whose last beat was taken.
    pub(super) finished: Option<(u64, u64)>,
}

impl WriteChannel {
    /// `None` when the port only reads.
    pub(super) fn new(sim: &Sim, port: usize) -> Result<Option<Self>, BridgeError> {
        let name = |name: &str| format!("m{port}_axi_{name}");
        if !sim.has_port(&name("awvalid")) {
            return Ok(None);
        }
        let data = sim.bus(&name("wdata"))?;
        Ok(Some(Self {
            aw: AddressPorts::new(sim, port, Channel::Aw)?,
            valid: sim.port(&name("wvalid"))?,
            ready: sim.port(&name("wready"))?,
            last: sim.port(&name("wlast"))?,
            beat: data.len(),
            data,
            strobes: sim.bus(&name("wstrb"))?,
            b_valid: sim.port(&name("bvalid"))?,
            b_ready: sim.port(&name("bready"))?,
            b_resp: sim.port(&name("bresp"))?,
            bursts: VecDeque::with_capacity(64),
            complete: 0,
            held: None,
            accepted: false,
            is_ready: false,
            gap: 0,
            answered: false,
            failures: Pending::default(),
        }))
    }

    pub(super) fn beat(&self) -> usize {
        self.beat
    }

    pub(super) fn reset(&mut self) {
        self.aw.reset();
        self.bursts.clear();
        self.complete = 0;
        self.held = None;
        self.accepted = false;
        self.is_ready = false;
        self.gap = 0;
        self.answered = false;
        self.ready.set(0);
        self.b_valid.set(0);
        self.b_resp.set(0);
    }

    /// Before the edge in cycle `now`.
    #[inline]
    pub(super) fn sample(
        &mut self,
        now: u64,
        stats: &mut PortStats,
        pace: &mut Pace,
        gate: &mut Gate,
        ddr: &mut Ddr,
    ) -> Result<Sampled, Fault> {
        let mut sampled = Sampled::default();
        if !self.bursts.is_empty() {
            stats.write_busy += 1;
            if self.answered && self.b_ready.get() != 0 {
                self.answered = false;
                self.bursts.pop_front();
                self.complete -= 1;
            }
        }
        let valid = self.valid.get() != 0;
        if valid || self.held.is_some() {
            sampled.finished = self.sample_data(valid, now, stats, pace, gate, ddr)?;
        }
        sampled.address = self.aw.sample(&mut stats.aw_wait)?;
        self.accepted = sampled.address.is_some();
        Ok(sampled)
    }

    fn sample_data(
        &mut self,
        valid: bool,
        now: u64,
        stats: &mut PortStats,
        pace: &mut Pace,
        gate: &mut Gate,
        ddr: &mut Ddr,
    ) -> Result<Option<(u64, u64)>, Fault> {
        let beat = self.payload();
        let channel = Channel::W;
        if let Some(held) = self.held {
            let address = self.bursts.get(self.complete).map_or(0, |burst| burst.address);
            if !valid {
                return Err(Box::new((address, Rule::Withdrawn { channel })));
            }
            if held != beat {
                return Err(Box::new((address, Rule::Unstable { channel })));
            }
        }
        if !self.is_ready {
            self.held = Some(beat);
            self.gap = self.gap.saturating_sub(1);
            stats.w_wait += 1;
            return Ok(None);
        }
        self.held = None;
        self.gap = pace.gap();
        gate.charge(self.beat);
        stats.write_beats += 1;
        let width = self.beat;
        let burst = &mut self.bursts[self.complete];
        burst.take(&beat, width, ddr)?;
        if burst.taken < burst.beats {
            return Ok(None);
        }
        burst.due = now + pace.write_latency();
        self.complete += 1;
        Ok(Some((burst.address, burst.bytes)))
    }

    fn payload(&self) -> Beat {
        let mut data = [0; WIDEST];
        self.data.copy_to(&mut data[..self.beat]);
        let mut strobes = [0; 4];
        self.strobes.copy_to(&mut strobes[..self.strobes.len()]);
        Beat { data, strobes: u32::from_le_bytes(strobes), last: self.last.get() }
    }

    /// Queues a checked burst at its position in the image.
    pub(super) fn accept(&mut self, seen: &Address, at: usize) {
        self.bursts.push_back(WriteBurst {
            address: seen.address,
            bytes: seen.bytes(self.beat),
            at: at & !(self.beat - 1),
            beats: seen.beats(),
            taken: 0,
            due: u64::MAX,
            response: self.failures.next(),
        });
    }

    /// After the edge: the signals of cycle `next`.
    #[inline]
    pub(super) fn drive(&mut self, next: u64, pace: &mut Pace, gate: &Gate) {
        self.aw.drive(self.bursts.len() < pace.outstanding, self.accepted, pace);
        let ready = self.complete < self.bursts.len() && self.gap == 0 && gate.is_open();
        if ready != self.is_ready {
            self.is_ready = ready;
            self.ready.set(u8::from(ready));
        }
        if !self.answered {
            let burst = self.bursts.front().filter(|burst| burst.due <= next);
            self.answered = burst.is_some();
            self.b_valid.set(u8::from(self.answered));
            self.b_resp.set(burst.map_or(0, |burst| burst.response));
        }
    }

    /// For the watchdog: what this half waits for.
    pub(super) fn waiting(&self) -> Vec<String> {
        let mut list = Vec::new();
        if self.aw.is_waiting() {
            list.push("AWVALID waits for AWREADY".to_owned());
        }
        if self.held.is_some() {
            list.push("WVALID waits for WREADY".to_owned());
        }
        if let Some(burst) = self.bursts.get(self.complete) {
            let WriteBurst { address, beats, taken, .. } = burst;
            list.push(format!("write at {address:#x} has {taken} of {beats} beats"));
        }
        if self.answered {
            list.push("BVALID waits for BREADY".to_owned());
        }
        list
    }
}

impl WriteBurst {
    /// Takes one beat into the image.
    fn take(&mut self, beat: &Beat, width: usize, ddr: &mut Ddr) -> Result<(), Fault> {
        let Beat { data, strobes, last } = *beat;
        self.taken += 1;
        if (last != 0) != (self.taken == self.beats) {
            let (beat, beats) = (self.taken, self.beats);
            return Err(Box::new((self.address, Rule::Last { found: last, beat, beats })));
        }
        let skipped = if self.taken == 1 { self.address as usize % width } else { 0 };
        if strobes & ((1 << skipped) - 1) != 0 {
            return Err(Box::new((self.address, Rule::Strobe { strobes })));
        }
        if self.response != 0 {
            // The memory refuses it.
        } else if strobes == (1 << width) - 1 {
            ddr.put(self.at, &data[..width]);
        } else {
            for lane in (0..width).filter(|lane| strobes >> lane & 1 == 1) {
                ddr.put(self.at + lane, &data[lane..=lane]);
            }
        }
        self.at += width;
        Ok(())
    }
}
