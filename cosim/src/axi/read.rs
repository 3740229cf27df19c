//! The AR and R channels of one port.

use super::ddr::Ddr;
use super::failure::Pending;
use super::profile::{Gate, Pace};
use super::stats::PortStats;
use super::violation::{Channel, Rule};
use crate::bridge::{BridgeError, Bus, Port, Sim};
use std::collections::VecDeque;

/// A broken rule and the address concerned; the memory adds port and cycle.
pub(super) type Fault = Box<(u64, Rule)>;

/// The payload of AR or AW.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) address: u64,
    pub(super) len: u8,
    pub(super) size: u8,
    pub(super) burst: u8,
}

impl Address {
    /// The bytes from the start address to the end of the last beat of `beat` bytes.
    pub(super) fn bytes(&self, beat: usize) -> u64 {
        let aligned = self.address & !(beat as u64 - 1);
        aligned + self.beats() * beat as u64 - self.address
    }

    pub(super) fn beats(&self) -> u64 {
        u64::from(self.len) + 1
    }

    /// What the rules of the protocol alone say of it.
    pub(super) fn check(&self, channel: Channel, beat: usize) -> Result<(), Fault> {
        let allowed = beat.trailing_zeros() as u8;
        let bytes = self.bytes(beat);
        let rule = if self.burst != 1 || self.size != allowed {
            Rule::Shape { channel, burst: self.burst, size: self.size, allowed }
        } else if (self.address & 0xfff) + bytes > 0x1000 {
            Rule::Crosses4K { channel, bytes }
        } else {
            return Ok(());
        };
        Err(Box::new((self.address, rule)))
    }
}

/// The ports of an address channel, the same for AR and AW.
pub(super) struct AddressPorts {
    channel: Channel,
    valid: Port<u8>,
    ready: Port<u8>,
    address: Port<u64>,
    len: Port<u8>,
    size: Port<u8>,
    burst: Port<u8>,
    /// Seen with VALID high and READY low: must be seen again.
    held: Option<Address>,
    is_ready: bool,
    gap: u32,
}

impl AddressPorts {
    pub(super) fn new(sim: &Sim, port: usize, channel: Channel) -> Result<Self, BridgeError> {
        let prefix = format!("m{port}_axi_{}", channel.to_string().to_lowercase());
        let bits = |name: &str| sim.port::<u8>(&format!("{prefix}{name}"));
        Ok(Self {
            channel,
            valid: bits("valid")?,
            ready: bits("ready")?,
            address: sim.port(&format!("{prefix}addr"))?,
            len: bits("len")?,
            size: bits("size")?,
            burst: bits("burst")?,
            held: None,
            is_ready: false,
            gap: 0,
        })
    }

    pub(super) fn reset(&mut self) {
        self.held = None;
        self.is_ready = false;
        self.gap = 0;
        self.ready.set(0);
    }

    /// The address that is accepted at the coming edge.
    #[inline]
    pub(super) fn sample(&mut self, wait: &mut u64) -> Result<Option<Address>, Fault> {
        let valid = self.valid.get() != 0;
        if valid || self.held.is_some() { self.sample_busy(valid, wait) } else { Ok(None) }
    }

    fn sample_busy(&mut self, valid: bool, wait: &mut u64) -> Result<Option<Address>, Fault> {
        let channel = self.channel;
        let seen = Address {
            address: self.address.get(),
            len: self.len.get(),
            size: self.size.get(),
            burst: self.burst.get(),
        };
        if let Some(held) = self.held {
            if !valid {
                return Err(Box::new((held.address, Rule::Withdrawn { channel })));
            }
            if held != seen {
                return Err(Box::new((held.address, Rule::Unstable { channel })));
            }
        }
        if self.is_ready {
            self.held = None;
            return Ok(Some(seen));
        }
        self.held = Some(seen);
        self.gap = self.gap.saturating_sub(1);
        *wait += 1;
        Ok(None)
    }

    /// READY for the next cycle, given that there is `room`; `accepted` tells of the cycle that ended.
    #[inline]
    pub(super) fn drive(&mut self, room: bool, accepted: bool, pace: &mut Pace) {
        if accepted {
            self.gap = pace.gap();
        }
        let ready = room && self.gap == 0;
        if ready != self.is_ready {
            self.is_ready = ready;
            self.ready.set(u8::from(ready));
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.held.is_some()
    }
}

/// What a failing burst delivers.
const NOTHING: [u8; 16] = [0; 16];

/// A read burst that was accepted and has not ended.
pub(super) struct ReadBurst {
    /// Start address and length in bytes, for the race check.
    pub(super) address: u64,
    pub(super) bytes: u64,
    /// Position in the image of the next beat.
    at: usize,
    left: u64,
    due: u64,
    /// RRESP of every beat.
    response: u8,
}

/// The read half of a port.
pub(super) struct ReadChannel {
    ar: AddressPorts,
    valid: Port<u8>,
    ready: Port<u8>,
    last: Port<u8>,
    resp: Port<u8>,
    data: Bus,
    beat: usize,
    pub(super) bursts: VecDeque<ReadBurst>,
    accepted: bool,
    offered: bool,
    gap: u32,
    pub(super) failures: Pending,
}

impl ReadChannel {
    pub(super) fn new(sim: &Sim, port: usize) -> Result<Self, BridgeError> {
        let bits = |name: &str| sim.port::<u8>(&format!("m{port}_axi_{name}"));
        let data = sim.bus(&format!("m{port}_axi_rdata"))?;
        Ok(Self {
            ar: AddressPorts::new(sim, port, Channel::Ar)?,
            valid: bits("rvalid")?,
            ready: bits("rready")?,
            last: bits("rlast")?,
            resp: bits("rresp")?,
            beat: data.len(),
            data,
            bursts: VecDeque::with_capacity(64),
            accepted: false,
            offered: false,
            gap: 0,
            failures: Pending::default(),
        })
    }

    /// Bytes of a beat.
    pub(super) fn beat(&self) -> usize {
        self.beat
    }

    pub(super) fn reset(&mut self) {
        self.ar.reset();
        self.bursts.clear();
        self.accepted = false;
        self.offered = false;
        self.gap = 0;
        self.valid.set(0);
        self.last.set(0);
        self.resp.set(0);
    }

    /// Before the edge. An address that comes back must be given to `accept`.
    #[inline]
    pub(super) fn sample(&mut self, stats: &mut PortStats, pace: &mut Pace) -> Result<Option<Address>, Fault> {
        if !self.bursts.is_empty() {
            stats.read_busy += 1;
            if self.offered {
                self.sample_data(stats, pace);
            }
        }
        let seen = self.ar.sample(&mut stats.ar_wait)?;
        self.accepted = seen.is_some();
        Ok(seen)
    }

    #[inline]
    fn sample_data(&mut self, stats: &mut PortStats, pace: &mut Pace) {
        if self.ready.get() == 0 {
            stats.r_stall += 1;
            return;
        }
        stats.read_beats += 1;
        self.offered = false;
        self.gap = pace.gap();
        let burst = self.bursts.front_mut().expect("a beat belongs to a burst");
        burst.at += self.beat;
        burst.left -= 1;
        if burst.left == 0 {
            self.bursts.pop_front();
        }
    }

    /// Queues a checked burst; `at` is its position in the image, `due` the cycle of its first beat.
    pub(super) fn accept(&mut self, seen: &Address, at: usize, due: u64) {
        self.bursts.push_back(ReadBurst {
            address: seen.address,
            bytes: seen.bytes(self.beat),
            at: at & !(self.beat - 1),
            left: seen.beats(),
            due,
            response: self.failures.next(),
        });
    }

    /// After the edge: the signals of cycle `next`.
    #[inline]
    pub(super) fn drive(&mut self, next: u64, pace: &mut Pace, gate: &mut Gate, ddr: &Ddr) {
        self.ar.drive(self.bursts.len() < pace.outstanding, self.accepted, pace);
        if self.offered {
            return;
        }
        let beat = self.bursts.front().filter(|burst| burst.due <= next);
        match beat {
            Some(burst) if self.gap == 0 && gate.is_open() => {
                gate.charge(self.beat);
                let data = if burst.response == 0 { ddr.at(burst.at, self.beat) } else { &NOTHING[..self.beat] };
                self.data.set(data);
                self.resp.set(burst.response);
                self.last.set(u8::from(burst.left == 1));
                self.valid.set(1);
                self.offered = true;
            }
            Some(_) | None => {
                self.gap = self.gap.saturating_sub(1);
                self.valid.set(0);
            }
        }
    }

    /// For the watchdog: what this half waits for.
    pub(super) fn waiting(&self) -> Vec<String> {
        let mut list = Vec::new();
        if self.ar.is_waiting() {
            list.push("ARVALID waits for ARREADY".to_owned());
        }
        if let Some(burst) = self.bursts.front() {
            let (count, address, left) = (self.bursts.len(), burst.address, burst.left);
            let state = if self.offered { "RVALID waits for RREADY" } else { "data not due yet" };
            list.push(format!("{count} reads outstanding, first at {address:#x}, {left} beats left, {state}"));
        }
        list
    }
}
