//! Memories, stream and scheduler around the engine, cycle by cycle.

use super::work::{Job, Work};
use crate::testing::Random;
use sagen_lang::{Bits, Design, ModuleId, Sim};
use sagen_streamed_golden::machine::{Write, canonical};
use sagen_streamed_isa::Descriptor;
use std::collections::VecDeque;

/// Chance in percent per cycle that a beat is there, a write is accepted, a descriptor is offered.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    pub(crate) beat: u64,
    pub(crate) write: u64,
    pub(crate) descriptor: u64,
}

impl Pace {
    pub(crate) const FULL: Pace = Pace { beat: 100, write: 100, descriptor: 100 };
}

/// When things happened, by descriptor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    pub(crate) accepted: Vec<u64>,
    pub(crate) first_beat: Vec<u64>,
    pub(crate) last_beat: Vec<u64>,
    pub(crate) done: Vec<u64>,
}

pub(crate) struct Bench {
    sim: Sim,
    /// Path of a register that counts credits, and its value after the reset.
    credits: Option<(&'static str, u64)>,
    /// What stays low in the first 2,000 cycles of a job.
    pub(crate) held: Option<Held>,
}

/// What the world around the unit may withhold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    Descriptor,
    Beat,
    Write,
}

/// What is on its way.
#[derive(Default)]
struct State {
    beats: usize,
    /// Descriptor and beat within it.
    at: (usize, usize),
    writes: Vec<Write>,
    /// Results of argmaxes: one may come before the last word of the descriptor before its own.
    results: VecDeque<Write>,
    /// Code words read one and two cycles ago.
    codes: [Option<u64>; 2],
    scale: Option<u64>,
    times: Times,
}

/// Driven at random.
#[derive(Clone, Copy)]
struct Valid {
    descriptor: bool,
    beat: bool,
    write: bool,
}

impl Bench {
    pub(crate) fn new(build: impl FnOnce(&mut Design) -> ModuleId) -> Self {
        let mut d = Design::new();
        let top = build(&mut d);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        Self { sim, credits: None, held: None }
    }

    /// From now on every job must give all credits back.
    pub(crate) fn watch(&mut self, credits: &'static str) {
        self.credits = Some((credits, self.sim.peek(credits).to_u64()));
    }

    /// Executes the job and checks everything written.
    pub(crate) fn run(&mut self, job: &Job, pace: Pace, random: &mut Random) -> Times {
        let mut s = State::default();
        let mut offered = false;
        let (start, beats) = (self.sim.cycle(), job.work.iter().map(|w| w.beats.len()).sum::<usize>());
        while s.times.done.len() < job.work.len() {
            let accepted = s.times.accepted.len();
            let held = self.held.filter(|_| self.sim.cycle() - start < 2000);
            let percent = |random: &mut Random, what: Held, pace: u64| random.percent(pace) && held != Some(what);
            offered = accepted < job.work.len() && (offered || percent(random, Held::Descriptor, pace.descriptor));
            let valid = Valid {
                descriptor: offered,
                beat: s.at.0 < job.work.len() && percent(random, Held::Beat, pace.beat),
                write: percent(random, Held::Write, pace.write),
            };
            self.drive(job, &s, valid, random);
            self.observe(job, &mut s, valid);
            offered &= !self.flag("desc_ready");
            self.sim.step();
            let spent = self.sim.cycle() - start;
            assert!(spent < 60 * (beats as u64 + 500), "no progress: {:?}", s.times);
        }
        assert_eq!((s.beats, s.results.len(), s.writes.len()), (beats, 0, 0), "beats taken, writes of nobody");
        assert!(!self.flag("busy"), "busy after the last done");
        self.sim.set("desc_valid", false);
        self.sim.set("beat_valid", false);
        (0..40).for_each(|_| self.sim.step());
        if let Some((path, rest)) = self.credits {
            assert_eq!(self.sim.peek(path).to_u64(), rest, "{path}");
        }
        s.times
    }

    fn flag(&mut self, name: &str) -> bool {
        self.sim.get(name).to_u64() == 1
    }

    fn drive(&mut self, job: &Job, s: &State, valid: Valid, random: &mut Random) {
        let next = job.work.get(s.times.accepted.len()).filter(|_| valid.descriptor);
        let desc = next.map(|w| Descriptor::new(w.operation).encode().unwrap());
        self.sim.set("desc", Bits::from_limbs(&desc.unwrap_or([random.next(); 8]), 512));
        self.sim.set("desc_valid", valid.descriptor);
        for reader in ["limit", "count"] {
            let index = self.sim.get(&format!("{reader}_index")).to_u64();
            self.sim.set(&format!("{reader}_value"), job.registers[index as usize]);
        }
        let noise: Vec<u8> = (0..64).map(|_| random.next() as u8).collect();
        let width = job.work[0].beats[0].len();
        let beat = if valid.beat { &job.work[s.at.0].beats[s.at.1] } else { &noise[..width] };
        self.sim.set("beat", bits(beat));
        self.sim.set("beat_valid", valid.beat);
        self.sim.set("w_ready", valid.write);
        let codes = s.codes[1].map(|at| job.codes[at as usize]);
        let bytes = codes.map_or(noise, |(codes, _)| codes.iter().map(|c| *c as u8).collect());
        self.sim.set("code_data", bits(&bytes));
        self.sim.set("code_shift", codes.map_or(random.below(4), |(_, shift)| u64::from(shift)));
        let scale = s.scale.map(|at| job.scales[at as usize]);
        let word = scale.map_or(random.below(1 << 24), |s| u64::from(s.mantissa) | u64::from(s.exponent as u8) << 16);
        self.sim.set("scale_data", word);
    }

    fn observe(&mut self, job: &Job, s: &mut State, valid: Valid) {
        let cycle = self.sim.cycle();
        if valid.write && self.flag("w_valid") {
            s.writes.push(self.word());
        }
        if self.flag("reg_write") {
            let (index, value) = (self.sim.get("reg_index").to_u64(), self.sim.get("reg_data").to_u64());
            s.results.push_back(Write::Register { index: index as u32, value: value as u32 });
        }
        if self.flag("done") {
            let index = s.times.done.len();
            // After a long refusal the next descriptor's first word may be written in the cycle before `done`.
            let mine = |write: &Write| job.work[index].writes.iter().any(|expected| same_word(expected, write));
            let (mut writes, later) = std::mem::take(&mut s.writes).into_iter().partition(mine);
            s.writes = later;
            if job.work[index].writes.iter().any(|write| matches!(write, Write::Register { .. })) {
                writes.extend(s.results.pop_front());
            }
            check(&job.work[index], index, canonical(writes));
            s.times.done.push(cycle);
        }
        if valid.descriptor && self.flag("desc_ready") {
            s.times.accepted.push(cycle);
        }
        if valid.beat && self.flag("beat_ready") {
            take_beat(job, s, cycle);
        }
        let code_read = self.flag("code_en").then(|| self.sim.get("code_addr").to_u64());
        s.codes = [code_read, s.codes[0]];
        s.scale = self.flag("scale_en").then(|| self.sim.get("scale_addr").to_u64());
    }

    fn word(&mut self) -> Write {
        let (word, data) = (self.sim.get("w_addr").to_u64() as u32, self.sim.get("w_data"));
        let mask = self.sim.get("w_mask").to_u64();
        let byte = |i: usize| if mask >> i & 1 == 1 { data.lane(i as u32, 8).to_u64() as u8 } else { 0 };
        Write::Scratch { word, mask, bytes: std::array::from_fn(byte) }
    }
}

fn same_word(a: &Write, b: &Write) -> bool {
    matches!((a, b), (Write::Scratch { word: a, .. }, Write::Scratch { word: b, .. }) if a == b)
}

fn take_beat(job: &Job, s: &mut State, cycle: u64) {
    let (work, beat) = s.at;
    assert!(work < s.times.accepted.len(), "a beat of descriptor {work} is taken before the descriptor");
    if beat == 0 {
        s.times.first_beat.push(cycle);
    }
    s.beats += 1;
    s.at.1 += 1;
    if s.at.1 == job.work[work].beats.len() {
        s.times.last_beat.push(cycle);
        s.at = (work + 1, 0);
    }
}

fn check(work: &Work, index: usize, found: Vec<Write>) {
    for (found, expected) in found.iter().zip(&work.writes) {
        assert_eq!(found, expected, "descriptor {index}, {:?}", work.operation);
    }
    assert_eq!(found.len(), work.writes.len(), "writes of descriptor {index}, {:?}", work.operation);
}

fn bits(bytes: &[u8]) -> Bits {
    let limbs: Vec<u64> = bytes.chunks(8).map(|c| c.iter().rev().fold(0, |x, b| x << 8 | u64::from(*b))).collect();
    Bits::from_limbs(&limbs, 8 * bytes.len() as u32)
}
