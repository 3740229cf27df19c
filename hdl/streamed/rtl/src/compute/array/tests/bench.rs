//! Memories, stream and scheduler around the engine, cycle by cycle.

use super::Geometry;
use super::work::{Memories, Work};
use crate::testing::Random;
use sagen_lang::{Bits, Design, sim::Sim};
use sagen_streamed_isa::Descriptor;

/// Chance in percent per cycle that a beat is there, a write is accepted, a descriptor is offered.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    pub(super) beat: u64,
    pub(super) write: u64,
    pub(super) descriptor: u64,
}

impl Pace {
    pub(super) const FULL: Pace = Pace { beat: 100, write: 100, descriptor: 100 };
}

/// How long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    /// From the first descriptor's acceptance to the last `done`.
    pub(super) cycles: u64,
    /// In which activation rows were issued.
    pub(super) active: u64,
    /// From the first issued row to the last.
    pub(super) span: u64,
    /// In which the arrays waited for weights.
    pub(super) starved: u64,
}

pub(super) struct Bench {
    sim: Sim,
    memories: Memories,
}

/// What is on its way.
#[derive(Default)]
struct State {
    accepted: usize,
    done: usize,
    beats: usize,
    written: usize,
    /// Code words read one and two cycles ago.
    codes: [Option<u64>; 2],
    scale: Option<u64>,
    run: Run,
    first: u64,
    active_first: Option<u64>,
}

impl Bench {
    pub(super) fn new(g: Geometry, memories: Memories) -> Self {
        let mut d = Design::new();
        let top = super::super::engine(&mut d, g);
        d.finish().unwrap();
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        Self { sim, memories }
    }

    /// Executes the list and checks every word written.
    pub(super) fn run(&mut self, list: &[Work], pace: Pace, random: &mut Random) -> Run {
        let beats: Vec<&Vec<u8>> = list.iter().flat_map(|w| &w.beats).collect();
        let mut s = State::default();
        let mut offered = false;
        while s.done < list.len() {
            offered = s.accepted < list.len() && (offered || random.percent(pace.descriptor));
            let beat_valid = s.beats < beats.len() && random.percent(pace.beat);
            let w_ready = random.percent(pace.write);
            self.drive(list, &beats, &s, [offered, beat_valid, w_ready], random);
            self.observe(list, &mut s, [offered, beat_valid, w_ready]);
            offered &= !self.flag("desc_ready");
            self.sim.step();
            let limit = 100 * (beats.len() as u64 * 64 + 1000);
            assert!(self.sim.cycle() < limit, "no progress: {} of {} done", s.done, list.len());
        }
        assert_eq!(s.beats, beats.len(), "beats taken");
        assert!(!self.flag("busy"), "busy after the last done");
        s.run
    }

    fn flag(&mut self, name: &str) -> bool {
        self.sim.get(name).to_u64() == 1
    }

    fn drive(&mut self, list: &[Work], beats: &[&Vec<u8>], s: &State, flags: [bool; 3], random: &mut Random) {
        let [desc_valid, beat_valid, w_ready] = flags;
        let desc = list.get(s.accepted).map(|w| Descriptor::new(w.matmul).encode().unwrap());
        self.sim.set("desc", Bits::from_limbs(&desc.unwrap_or_default(), 512));
        self.sim.set("desc_valid", desc_valid);
        let noise: Vec<u8> = (0..64).map(|_| random.next() as u8).collect();
        let width = beats[0].len();
        let beat = if beat_valid { beats[s.beats] } else { &noise[..width] };
        self.sim.set("beat", bits(beat));
        self.sim.set("beat_valid", beat_valid);
        self.sim.set("w_ready", w_ready);
        let codes = s.codes[1].map(|at| self.memories.codes[at as usize]);
        let bytes = codes.map_or(noise, |(codes, _)| codes.iter().map(|c| *c as u8).collect());
        self.sim.set("code_data", bits(&bytes));
        self.sim.set("code_shift", codes.map_or(random.below(4), |(_, shift)| u64::from(shift)));
        let scale = s.scale.map(|at| self.memories.scales[at as usize]);
        let word = scale.map_or(random.below(1 << 24), |s| u64::from(s.mantissa) | u64::from(s.exponent as u8) << 16);
        self.sim.set("scale_data", word);
    }

    fn observe(&mut self, list: &[Work], s: &mut State, [desc_valid, beat_valid, w_ready]: [bool; 3]) {
        let cycle = self.sim.cycle();
        if self.flag("done") {
            assert_eq!(s.written, list[s.done].expected.len(), "words written by descriptor {}", s.done);
            (s.done, s.written) = (s.done + 1, 0);
            s.run.cycles = cycle - s.first;
        }
        if desc_valid && self.flag("desc_ready") {
            s.first = if s.accepted == 0 { cycle } else { s.first };
            s.accepted += 1;
        }
        s.beats += usize::from(beat_valid && self.flag("beat_ready"));
        if w_ready && self.flag("w_valid") {
            self.check_word(&list[s.done], s.done);
            s.written += 1;
        }
        let code_read = self.flag("code_en").then(|| self.sim.get("code_addr").to_u64());
        s.codes = [code_read, s.codes[0]];
        s.scale = self.flag("scale_en").then(|| self.sim.get("scale_addr").to_u64());
        s.run.starved += u64::from(self.flag("event_starved"));
        self.count_active(s, cycle);
    }

    fn count_active(&mut self, s: &mut State, cycle: u64) {
        if self.sim.peek("u_issue.active").to_u64() == 1 {
            s.active_first.get_or_insert(cycle);
            s.run.active += 1;
            s.run.span = cycle + 1 - s.active_first.unwrap_or(cycle);
        }
    }

    fn check_word(&mut self, work: &Work, index: usize) {
        let (address, data) = (self.sim.get("w_addr").to_u64(), self.sim.get("w_data"));
        let word: [i32; 16] = std::array::from_fn(|i| data.lane(i as u32, 32).to_u64() as i32);
        assert_eq!(self.sim.get("w_mask").to_u64(), u64::MAX);
        let expected = work.expected.get(&address);
        assert_eq!(Some(&word), expected, "descriptor {index}, {:?}, word {address}", work.matmul);
    }
}

fn bits(bytes: &[u8]) -> Bits {
    let limbs: Vec<u64> = bytes.chunks(8).map(|c| c.iter().rev().fold(0, |x, b| x << 8 | u64::from(*b))).collect();
    Bits::from_limbs(&limbs, 8 * bytes.len() as u32)
}
