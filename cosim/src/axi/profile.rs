//! How fast the memory answers.
//!
//! `board` takes the timing in the board's file. The KV260's is calibrated on measured reads of a 64-bit port: 794 MB/s at
//! 100 MHz and 397 MB/s at 50 MHz, 99.2 % of the port in both. A loss that is the same share at both clocks is a loss in
//! time, so it is modelled as the visible part of each DDR refresh.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sagen_config::ddr::DdrTiming;
use std::fmt;
use std::str::FromStr;

/// How the memory behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Data two cycles after the address, never busy.
    Ideal,
    /// The DDR of the overlay's board.
    Board,
    /// Random gaps and latencies, the same for the same seed.
    Random(u64),
}

/// Not a profile.
#[derive(Debug, thiserror::Error)]
#[error("memory profile `{found}`; allowed: ideal, board, random:SEED")]
pub struct ProfileError {
    found: String,
}

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(s: &str) -> Result<Self, ProfileError> {
        let seed = || s.strip_prefix("random:").and_then(|seed| seed.parse().ok());
        match s {
            "ideal" => Ok(Self::Ideal),
            "board" => Ok(Self::Board),
            _ => seed().map(Self::Random).ok_or_else(|| ProfileError { found: s.to_owned() }),
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ideal => f.write_str("ideal"),
            Self::Board => f.write_str("board"),
            Self::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

/// What decides how fast the memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conditions {
    /// Kind of behaviour.
    pub profile: Profile,
    /// Timing of the board's DDR.
    pub ddr: DdrTiming,
    /// Clock of the design.
    pub clock_hz: u64,
}

impl Conditions {
    /// Behaviour of one port.
    pub(super) fn pace(&self, port: usize) -> Pace {
        let cycles = |ns: u64| (ns * self.clock_hz).div_ceil(1_000_000_000);
        match self.profile {
            Profile::Ideal => Pace { read_latency: 2, write_latency: 1, outstanding: 64, jitter: None },
            Profile::Board => Pace {
                read_latency: cycles(self.ddr.read_latency_ns),
                write_latency: cycles(self.ddr.write_latency_ns),
                outstanding: self.ddr.outstanding,
                jitter: None,
            },
            Profile::Random(seed) => Pace::random(seed, port),
        }
    }

    /// What all ports share.
    pub(super) fn gate(&self) -> Gate {
        match self.profile {
            Profile::Ideal | Profile::Random(_) => Gate::open(),
            Profile::Board => Gate::new(self.ddr, self.clock_hz),
        }
    }
}

/// Latencies of one port, and its random gaps.
pub(super) struct Pace {
    read_latency: u64,
    write_latency: u64,
    pub(super) outstanding: usize,
    jitter: Option<Box<Jitter>>,
}

/// Every port has its own generator, so that what one port does never changes the luck of another.
struct Jitter {
    rng: ChaCha8Rng,
    /// Out of 256: how often READY, or a data beat, is late.
    busy: u32,
    /// How late at most.
    longest: u32,
}

impl Pace {
    fn random(seed: u64, port: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(port as u64);
        let mut choose = |choices: &[u32]| choices[rng.next_u32() as usize % choices.len()];
        let read_latency = u64::from(choose(&[1, 8, 60, 300]));
        let write_latency = u64::from(choose(&[1, 8, 60, 300]));
        let outstanding = choose(&[1, 2, 5, 16]) as usize;
        let (busy, longest) = (choose(&[0, 16, 64, 160]), choose(&[1, 4, 40]));
        let jitter = Some(Box::new(Jitter { rng, busy, longest }));
        Self { read_latency, write_latency, outstanding, jitter }
    }

    /// Cycles from the address to the first read beat.
    pub(super) fn read_latency(&mut self) -> u64 {
        self.spread(self.read_latency)
    }

    /// Cycles from the last write beat to the response.
    pub(super) fn write_latency(&mut self) -> u64 {
        self.spread(self.write_latency)
    }

    fn spread(&mut self, latency: u64) -> u64 {
        match &mut self.jitter {
            None => latency,
            Some(jitter) => 1 + u64::from(jitter.rng.next_u32()) % latency,
        }
    }

    /// Cycles to wait before the next transfer on a channel.
    #[inline]
    pub(super) fn gap(&mut self) -> u32 {
        match &mut self.jitter {
            None => 0,
            Some(jitter) => {
                let draw = jitter.rng.next_u32();
                if draw & 0xff < jitter.busy { 1 + (draw >> 8) % jitter.longest } else { 0 }
            }
        }
    }
}

/// The data bus that all ports share: closed during refreshes, and no faster than the DDR.
pub(super) struct Gate {
    limits: Option<Limits>,
    credit: i64,
    closed: bool,
}

struct Limits {
    ddr: DdrTiming,
    clock_hz: u64,
    /// Credit is counted in 1/2^16 byte.
    per_cycle: i64,
    refreshes: u64,
    next: u64,
    until: u64,
}

/// Bytes a queue may lend for a short peak.
const BURST_CREDIT: i64 = 512 << 16;

impl Gate {
    fn open() -> Self {
        Self { limits: None, credit: 0, closed: false }
    }

    fn new(ddr: DdrTiming, clock_hz: u64) -> Self {
        let per_cycle = (u128::from(1_000_000 * ddr.mb_per_s) << 16) / u128::from(clock_hz);
        let per_cycle = i64::try_from(per_cycle).expect("bytes per cycle fit 47 bits");
        let mut limits = Limits { ddr, clock_hz, per_cycle, refreshes: 0, next: 0, until: 0 };
        limits.schedule();
        Self { limits: Some(limits), credit: BURST_CREDIT, closed: false }
    }

    /// Once per cycle, before the ports.
    #[inline]
    pub(super) fn tick(&mut self, now: u64) {
        if let Some(limits) = &mut self.limits {
            self.credit = (self.credit + limits.per_cycle).min(BURST_CREDIT.max(limits.per_cycle));
            while now >= limits.until {
                limits.schedule();
            }
            self.closed = now >= limits.next;
        }
    }

    /// True when a beat may move in this cycle.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.limits.is_none() || (!self.closed && self.credit > 0)
    }

    /// Accounts for a beat that moves.
    #[inline]
    pub(super) fn charge(&mut self, bytes: usize) {
        if self.limits.is_some() {
            self.credit -= (bytes as i64) << 16;
        }
    }
}

impl Limits {
    /// Sets `next..until`, the cycles of the following refresh.
    fn schedule(&mut self) {
        self.refreshes += 1;
        let start = self.refreshes * self.ddr.refresh_period_ns;
        self.next = self.cycle_of(start);
        self.until = self.cycle_of(start + self.ddr.refresh_stall_ns);
    }

    fn cycle_of(&self, nanoseconds: u64) -> u64 {
        let cycles = u128::from(nanoseconds) * u128::from(self.clock_hz) / 1_000_000_000;
        u64::try_from(cycles).expect("2^64 cycles are never simulated")
    }
}

#[cfg(test)]
mod tests {
    use super::{Conditions, DdrTiming, Profile};

    fn at_100_mhz(profile: Profile) -> Conditions {
        let (read_latency_ns, write_latency_ns, outstanding) = (250, 150, 16);
        let (mb_per_s, refresh_period_ns, refresh_stall_ns) = (19_200, 7_800, 60);
        let ddr =
            DdrTiming { mb_per_s, read_latency_ns, write_latency_ns, outstanding, refresh_period_ns, refresh_stall_ns };
        Conditions { profile, ddr, clock_hz: 100_000_000 }
    }

    #[test]
    fn a_profile_prints_as_it_is_written() {
        for text in ["ideal", "board", "random:7"] {
            assert_eq!(text.parse::<Profile>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn an_unknown_profile_lists_the_known() {
        let e = "random:x".parse::<Profile>().unwrap_err();
        assert_eq!(e.to_string(), "memory profile `random:x`; allowed: ideal, board, random:SEED");
    }

    #[test]
    fn a_hundred_refreshes_close_the_bus_for_their_share_of_the_time() {
        let mut gate = at_100_mhz(Profile::Board).gate();
        let mut closed = 0;
        for cycle in 0..78_000 {
            gate.tick(cycle);
            closed += u32::from(gate.closed);
        }
        assert_eq!(closed, 99 * 6);
    }

    #[test]
    fn ports_of_one_seed_have_different_luck() {
        // A few seeds choose a port without any gap or latency, and two such ports are alike.
        let differs = |seed: &u64| {
            let draw = |port| {
                let mut pace = at_100_mhz(Profile::Random(*seed)).pace(port);
                (0..200).map(|_| (pace.gap(), pace.read_latency())).collect::<Vec<_>>()
            };
            assert_eq!(draw(0), draw(0), "seed {seed}");
            draw(0) != draw(1)
        };
        assert!((0..20).filter(differs).count() >= 15);
    }
}
