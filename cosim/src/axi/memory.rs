//! The memory: all master ports of a design, one DDR image, the regions they may touch.

use super::ddr::{Ddr, DdrError};
use super::failure::{Access, Failure};
use super::profile::{Conditions, Gate, Pace};
use super::read::{Address, Fault, ReadChannel};
use super::stats::PortStats;
use super::violation::{Channel, Rule, Violation};
use super::write::WriteChannel;
use crate::bridge::{BridgeError, Sim};

/// A part of the DDR that the design may touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// For messages.
    pub name: String,
    /// First address.
    pub base: u64,
    /// Bytes.
    pub len: u64,
    /// The design may read it.
    pub readable: bool,
    /// The design may write it.
    pub writable: bool,
}

/// The memory cannot be attached to the design.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A region outside the image, or empty.
    #[error("region `{name}`: {source}")]
    Region {
        /// The region.
        name: String,
        /// Where it lies.
        source: DdrError,
    },
    /// Two regions share bytes.
    #[error("regions `{first}` and `{second}` overlap at {address:#x}")]
    Overlap {
        /// The lower one.
        first: String,
        /// The upper one.
        second: String,
        /// The first shared address.
        address: u64,
    },
    /// A port that is not as `super` describes.
    #[error(transparent)]
    Port(#[from] BridgeError),
    /// A burst is outstanding.
    #[error("the image cannot change while bursts are outstanding: {waiting}")]
    Busy {
        /// What each port waits for.
        waiting: String,
    },
    /// A failure of a channel that the design does not have.
    #[error("{failure}: the design has no such channel")]
    NoChannel {
        /// What was to fail.
        failure: Failure,
    },
    /// A data width that the model does not know.
    #[error("port m{port}: {channel} data is {bits} bits wide; allowed: 32, 64, 128")]
    Width {
        /// The port.
        port: usize,
        /// R or W.
        channel: Channel,
        /// Found.
        bits: usize,
    },
}

struct AxiPort {
    read: ReadChannel,
    write: Option<WriteChannel>,
    pace: Pace,
    stats: PortStats,
}

/// Bytes that the design wrote: port, address, length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Which master port.
    pub port: usize,
    /// First address.
    pub address: u64,
    /// Bytes, those that strobes left out included.
    pub bytes: u64,
}

/// The memory behind a design.
pub struct Memory {
    ddr: Ddr,
    regions: Vec<Region>,
    ports: Vec<AxiPort>,
    gate: Gate,
    now: u64,
    log: Option<Vec<Written>>,
}

impl Memory {
    /// Attaches to all ports `m0_axi_*`, `m1_axi_*`, … of the design.
    pub fn attach(sim: &Sim, ddr: Ddr, mut regions: Vec<Region>, conditions: Conditions) -> Result<Self, MemoryError> {
        regions.sort_by_key(|region| region.base);
        check_regions(&ddr, &regions)?;
        let mut ports = Vec::new();
        while sim.has_port(&format!("m{}_axi_arvalid", ports.len())) {
            let number = ports.len();
            let read = ReadChannel::new(sim, number)?;
            let write = WriteChannel::new(sim, number)?;
            check_width(number, Channel::R, read.beat())?;
            write.iter().try_for_each(|write| check_width(number, Channel::W, write.beat()))?;
            let pace = conditions.pace(number);
            ports.push(AxiPort { read, write, pace, stats: PortStats::default() });
        }
        let gate = conditions.gate();
        let mut memory = Self { ddr, regions, ports, gate, now: 0, log: None };
        memory.reset();
        Ok(memory)
    }

    /// Lowers every signal.
    fn reset(&mut self) {
        for port in &mut self.ports {
            port.read.reset();
            port.write.iter_mut().for_each(WriteChannel::reset);
        }
    }

    /// Between `Sim::settle` and `Sim::edge`: samples the design in cycle `now`.
    #[inline]
    pub fn before_edge(&mut self, now: u64) -> Result<(), Box<Violation>> {
        self.now = now;
        self.gate.tick(now);
        for number in 0..self.ports.len() {
            self.sample(number).map_err(|fault| self.violation(number, *fault))?;
        }
        Ok(())
    }

    /// After `Sim::edge`: drives the next cycle.
    #[inline]
    pub fn after_edge(&mut self) {
        let next = self.now + 1;
        let count = self.ports.len();
        // The first to be served changes from cycle to cycle, so that no port starves when the DDR is the limit.
        let first = if count == 0 { 0 } else { self.now as usize % count };
        let (low, high) = self.ports.split_at_mut(first);
        for port in high.iter_mut().chain(low) {
            port.read.drive(next, &mut port.pace, &mut self.gate, &self.ddr);
            if let Some(write) = &mut port.write {
                write.drive(next, &mut port.pace, &self.gate);
            }
        }
    }

    /// Another image and its regions, while no burst is outstanding.
    pub fn replace(&mut self, ddr: Ddr, mut regions: Vec<Region>) -> Result<(), MemoryError> {
        if !self.is_idle() {
            return Err(MemoryError::Busy { waiting: self.waiting().join("; ") });
        }
        regions.sort_by_key(|region| region.base);
        check_regions(&ddr, &regions)?;
        (self.ddr, self.regions) = (ddr, regions);
        Ok(())
    }

    /// Makes a burst fail, counted from now on.
    pub fn fail(&mut self, failure: Failure) -> Result<(), MemoryError> {
        let Failure { port, access, after, response } = failure;
        let missing = || MemoryError::NoChannel { failure };
        let found = self.ports.get_mut(port).ok_or_else(missing)?;
        match access {
            Access::Read => found.read.failures.add(after, response),
            Access::Write => found.write.as_mut().ok_or_else(missing)?.failures.add(after, response),
        }
        Ok(())
    }

    /// No burst fails any more; returns whether all that were to fail have.
    pub fn end_failures(&mut self) -> bool {
        let mut all = true;
        for port in &mut self.ports {
            let write = port.write.as_mut().map(|write| &mut write.failures);
            for failures in write.into_iter().chain([&mut port.read.failures]) {
                all &= failures.is_empty();
                failures.clear();
            }
        }
        all
    }

    /// The image.
    pub fn ddr(&self) -> &Ddr {
        &self.ddr
    }

    /// The image, for the back door.
    pub fn ddr_mut(&mut self) -> &mut Ddr {
        &mut self.ddr
    }

    /// Counters of every port.
    pub fn stats(&self) -> Vec<PortStats> {
        self.ports.iter().map(|port| port.stats).collect()
    }

    /// Starts or stops keeping a list of what the design writes.
    pub fn log_writes(&mut self, on: bool) {
        self.log = on.then(Vec::new);
    }

    /// What the design wrote since the last call, burst by burst, in the order of their last beats.
    pub fn take_writes(&mut self) -> Vec<Written> {
        self.log.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// True when no burst is outstanding on any port.
    pub fn is_idle(&self) -> bool {
        self.ports
            .iter()
            .all(|port| port.read.bursts.is_empty() && port.write.as_ref().is_none_or(|w| w.bursts.is_empty()))
    }

    /// For a hung design: what every port waits for.
    pub fn waiting(&self) -> Vec<String> {
        let mut list = Vec::new();
        for (number, port) in self.ports.iter().enumerate() {
            let write = port.write.as_ref().map(WriteChannel::waiting).unwrap_or_default();
            let all = port.read.waiting().into_iter().chain(write);
            list.extend(all.map(|what| format!("port m{number}: {what}")));
        }
        list
    }

    #[inline]
    fn sample(&mut self, number: usize) -> Result<(), Fault> {
        let port = &mut self.ports[number];
        if let Some(seen) = port.read.sample(&mut port.stats, &mut port.pace)? {
            self.accept_read(number, &seen)?;
        }
        let port = &mut self.ports[number];
        let Some(write) = &mut port.write else {
            return Ok(());
        };
        let (stats, pace, gate) = (&mut port.stats, &mut port.pace, &mut self.gate);
        let sampled = write.sample(self.now, stats, pace, gate, &mut self.ddr)?;
        if let (Some(log), Some((address, bytes))) = (&mut self.log, sampled.finished) {
            log.push(Written { port: number, address, bytes });
        }
        if let Some(seen) = sampled.address {
            self.accept_write(number, &seen)?;
        }
        Ok(())
    }

    fn accept_read(&mut self, number: usize, seen: &Address) -> Result<(), Fault> {
        let beat = self.ports[number].read.beat();
        let (at, region) = self.check_address(Channel::Ar, seen, beat)?;
        let bytes = seen.bytes(beat);
        if let Some(hit) = self.ddr.unwritten(at, bytes as usize) {
            let address = seen.address + (hit - at) as u64;
            let region = self.regions[region].name.clone();
            return Err(Box::new((address, Rule::NeverWritten { bytes, region })));
        }
        for (other, port) in self.ports.iter().enumerate() {
            for burst in port.write.iter().flat_map(|write| &write.bursts) {
                check_race(Channel::Ar, seen.address, bytes, (other, burst.address, burst.bytes))?;
            }
        }
        let port = &mut self.ports[number];
        port.stats.read_bursts += 1;
        let due = self.now + port.pace.read_latency();
        port.read.accept(seen, at, due);
        Ok(())
    }

    fn accept_write(&mut self, number: usize, seen: &Address) -> Result<(), Fault> {
        let write = self.ports[number].write.as_ref().expect("the address came from it");
        let beat = write.beat();
        let (at, _) = self.check_address(Channel::Aw, seen, beat)?;
        let bytes = seen.bytes(beat);
        for (other, port) in self.ports.iter().enumerate() {
            for burst in &port.read.bursts {
                check_race(Channel::Aw, seen.address, bytes, (other, burst.address, burst.bytes))?;
            }
            let foreign = port.write.iter().filter(|_| other != number);
            for burst in foreign.flat_map(|write| &write.bursts) {
                check_race(Channel::Aw, seen.address, bytes, (other, burst.address, burst.bytes))?;
            }
        }
        let port = &mut self.ports[number];
        port.stats.write_bursts += 1;
        port.write.as_mut().expect("as above").accept(seen, at);
        Ok(())
    }

    /// The position in the image and the region of a burst that may be accepted.
    fn check_address(&self, channel: Channel, seen: &Address, beat: usize) -> Result<(usize, usize), Fault> {
        seen.check(channel, beat)?;
        let bytes = seen.bytes(beat);
        let above = self.regions.partition_point(|region| region.base <= seen.address);
        let Some(found) = above.checked_sub(1) else {
            let nearest = "no region lies at or below it".to_owned();
            return Err(Box::new((seen.address, Rule::OutsideRegions { channel, bytes, nearest })));
        };
        let region = &self.regions[found];
        if seen.address + bytes > region.base + region.len {
            let Region { name, base, len, .. } = region;
            let nearest = format!("region `{name}` is {base:#x}..{:#x}", base + len);
            return Err(Box::new((seen.address, Rule::OutsideRegions { channel, bytes, nearest })));
        }
        let (allowed, needed) = match channel {
            Channel::Ar | Channel::R => (region.readable, "readable"),
            Channel::Aw | Channel::W | Channel::B => (region.writable, "writable"),
        };
        if !allowed {
            let region = region.name.clone();
            return Err(Box::new((seen.address, Rule::Access { channel, bytes, region, needed })));
        }
        let at = self.ddr.index(seen.address, bytes).expect("regions lie inside the image");
        Ok((at, found))
    }

    #[cold]
    fn violation(&self, port: usize, (address, rule): (u64, Rule)) -> Box<Violation> {
        Box::new(Violation { port, cycle: self.now, address, rule })
    }
}

fn check_race(
    channel: Channel,
    address: u64,
    bytes: u64,
    (other, other_address, other_bytes): (usize, u64, u64),
) -> Result<(), Fault> {
    if address < other_address + other_bytes && other_address < address + bytes {
        return Err(Box::new((address, Rule::Race { channel, bytes, other, other_address })));
    }
    Ok(())
}

fn check_regions(ddr: &Ddr, regions: &[Region]) -> Result<(), MemoryError> {
    for Region { name, base, len, .. } in regions {
        ddr.index(*base, *len).map_err(|source| MemoryError::Region { name: name.clone(), source })?;
    }
    for pair in regions.windows(2) {
        if pair[0].base + pair[0].len > pair[1].base {
            let (first, second) = (pair[0].name.clone(), pair[1].name.clone());
            return Err(MemoryError::Overlap { first, second, address: pair[1].base });
        }
    }
    Ok(())
}

fn check_width(port: usize, channel: Channel, bytes: usize) -> Result<(), MemoryError> {
    match bytes {
        4 | 8 | 16 => Ok(()),
        _ => Err(MemoryError::Width { port, channel, bits: bytes * 8 }),
    }
}
