//! A bench around the vector unit in the interpreter: memories, descriptors with gaps, writes by descriptor.

use crate::testing::overlay;
use crate::vector::vector_unit;
use sagen_arith::draw::Draw;
use sagen_lang::{Bits, Design, Sim};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_golden::Write;
use sagen_streamed_isa::{Descriptor, Operation, REGISTERS, SCALES};
use std::collections::{BTreeMap, BTreeSet};

const WORD_BITS: u32 = 512;

/// Lanes and clock of a unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) lanes: u32,
    pub(super) clock_mhz: u32,
}

/// Every number of lanes, at a slow and at a fast clock.
pub(super) const FORMS: [Form; 6] = [
    Form { lanes: 16, clock_mhz: 100 },
    Form { lanes: 8, clock_mhz: 100 },
    Form { lanes: 4, clock_mhz: 100 },
    Form { lanes: 16, clock_mhz: 250 },
    Form { lanes: 8, clock_mhz: 250 },
    Form { lanes: 4, clock_mhz: 250 },
];

/// Each number of lanes and both clocks, for tests of many cases.
pub(super) const SPREAD: [Form; 3] = [FORMS[0], FORMS[4], FORMS[2]];

impl Form {
    /// An overlay with such a unit, for the rest like `base`.
    pub(super) fn of(self, base: &StreamedConfig) -> StreamedConfig {
        let mut file = base.file().clone();
        let [from, to] = [file.clock_mhz, self.clock_mhz].map(|mhz| format!("{mhz}mhz"));
        file.name = file.name.replace(&from, &to);
        (file.clock_mhz, file.vector_lanes) = (self.clock_mhz, self.lanes);
        StreamedConfig::new(file, base.board().clone()).unwrap()
    }

    /// Cycles that a word takes.
    pub(super) fn parts(self) -> u64 {
        16 / u64::from(self.lanes)
    }
}

/// A write that waits for the reads of its cycle.
type Effect = Box<dyn FnOnce(&mut Bench)>;

/// One finished descriptor.
#[derive(Debug, Default)]
pub(super) struct Finished {
    /// Cycle in which it was accepted, and cycle of its `done`.
    pub(super) accepted: u64,
    pub(super) done: u64,
    /// What it left behind, in the golden machine's form.
    pub(super) writes: Vec<Write>,
}

#[derive(Default)]
struct Touched {
    scratch: BTreeMap<usize, u64>,
    code: BTreeSet<usize>,
    scale: BTreeSet<usize>,
}

pub(super) struct Bench {
    pub(super) sim: Sim,
    pub(super) draw: Draw,
    pub(super) scratch: Vec<Bits>,
    codes: Vec<(Bits, u8)>,
    scales: Vec<u32>,
    registers: [u32; REGISTERS],
    /// What ports a and b were asked for in the cycle before.
    asked: [Option<Bits>; 2],
    touched: Touched,
    /// Most idle cycles before a descriptor is offered.
    pub(super) gaps: u64,
}

impl Bench {
    pub(super) fn new(form: Form, seed: u64) -> Self {
        let overlay = form.of(&overlay("d16_100mhz_w128_p6"));
        let mut d = Design::new();
        let top = vector_unit(&mut d, &overlay);
        d.finish().unwrap_or_else(|e| panic!("{e}"));
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let zero = Bits::from_limbs(&[], WORD_BITS);
        Self {
            sim,
            draw: Draw::new(seed),
            scratch: vec![zero.clone(); overlay.scratch_words()],
            codes: vec![(zero, 0); overlay.code_words()],
            scales: vec![0; SCALES],
            registers: [0; REGISTERS],
            asked: Default::default(),
            touched: Touched::default(),
            gaps: 0,
        }
    }

    pub(super) fn set_register(&mut self, index: usize, value: u32) {
        self.registers[index] = value;
    }

    /// Lanes of a scratchpad word.
    pub(super) fn put(&mut self, word: usize, lanes: [i32; 16]) {
        let bytes: Vec<u8> = lanes.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.scratch[word] = from_bytes(&bytes);
    }

    /// A write of another unit.
    pub(super) fn apply(&mut self, write: &Write) {
        match write {
            Write::Scratch { word, mask, bytes } => self.merge(*word as usize, *mask, &from_bytes(bytes)),
            Write::Register { index, value } => self.set_register(*index as usize, *value),
            Write::Code { word, codes, shift } => {
                self.codes[*word as usize] = (from_bytes(&codes.map(|c| c as u8)), *shift);
            }
            Write::Scale { entry, value } => self.scales[*entry as usize] = *value,
            Write::Ddr { .. } => {}
        }
    }

    fn merge(&mut self, word: usize, mask: u64, data: &Bits) {
        let (old, new) = (to_bytes(&self.scratch[word]), to_bytes(data));
        let bytes: Vec<u8> = (0..64).map(|i| if mask >> i & 1 == 1 { new[i] } else { old[i] }).collect();
        self.scratch[word] = from_bytes(&bytes);
    }

    /// Run descriptors one after another, each offered as soon as the unit takes it or a few cycles later.
    pub(super) fn run(&mut self, operations: &[Operation]) -> Vec<Finished> {
        let mut finished: Vec<Finished> = Vec::new();
        let mut accepted: Vec<u64> = Vec::new();
        let mut gap = 0;
        let limit = self.sim.cycle() + 500 + operations.len() as u64 * 48_000;
        while finished.len() < operations.len() {
            assert!(self.sim.cycle() < limit, "descriptor {} hangs: {:?}", finished.len(), operations[finished.len()]);
            let offered = accepted.len() < operations.len() && gap == 0;
            if offered {
                let words = Descriptor::new(operations[accepted.len()]).encode().unwrap();
                self.sim.set("desc", Bits::from_limbs(&words, WORD_BITS));
            }
            self.sim.set("desc_valid", offered);
            let index = self.sim.get("step_index").to_u64();
            self.sim.set("step_value", self.registers[index as usize]);
            let busy = accepted.len() > finished.len();
            assert_eq!(self.high("busy"), busy, "{} accepted, {} finished", accepted.len(), finished.len());
            if offered && self.high("desc_ready") {
                accepted.push(self.sim.cycle());
                gap = if self.gaps == 0 { 0 } else { self.draw.below(self.gaps + 1) };
            } else {
                gap = gap.saturating_sub(1);
            }
            let done = self.high("done");
            let now = self.sim.cycle();
            self.cycle();
            if done {
                let accepted = accepted[finished.len()];
                finished.push(Finished { accepted, done: now, writes: self.collect() });
            }
        }
        self.sim.set("desc_valid", false);
        finished
    }

    fn high(&mut self, port: &str) -> bool {
        self.sim.get(port).bit(0)
    }
    fn number(&mut self, port: &str) -> usize {
        self.sim.get(port).to_u64() as usize
    }

    /// One clock edge of unit and memories.
    pub(super) fn cycle(&mut self) {
        let asked = ["a", "b"].map(|p| {
            let addr = self.number(&format!("{p}_addr"));
            self.high(&format!("{p}_en")).then(|| self.scratch[addr].clone())
        });
        let writes = self.writes();
        self.sim.step();
        let [a, b] = std::mem::replace(&mut self.asked, asked);
        if let Some(word) = a {
            self.sim.set("a_data", word);
        }
        // The store unit reads through port b when it can.
        let other = self.draw.below(64) as usize;
        self.sim.set("b_data", b.unwrap_or_else(|| self.scratch[other].clone()));
        writes.into_iter().for_each(|w| w(self));
    }

    /// The writes of this cycle, to be done after its reads.
    fn writes(&mut self) -> Vec<Effect> {
        let mut all: Vec<Effect> = Vec::new();
        if self.high("w_valid") {
            let (addr, mask, data) = (self.number("w_addr"), self.sim.get("w_mask").to_u64(), self.sim.get("w_data"));
            all.push(Box::new(move |b| {
                b.merge(addr, mask, &data);
                *b.touched.scratch.entry(addr).or_default() |= mask;
            }));
        }
        if self.high("c_valid") {
            let (addr, mask, data) = (self.number("c_addr"), self.number("c_mask"), self.sim.get("c_data"));
            let shift = self.number("c_shift") as u8;
            all.push(Box::new(move |b| {
                let quarter =
                    |i: u32| if mask >> i & 1 == 1 { data.lane(i, 128) } else { b.codes[addr].0.lane(i, 128) };
                b.codes[addr] = (Bits::pack(&[0, 1, 2, 3].map(quarter)).unwrap(), shift);
                b.touched.code.insert(addr);
            }));
        }
        if self.high("f_valid") {
            let (addr, data) = (self.number("f_addr"), self.number("f_data") as u32);
            all.push(Box::new(move |b| {
                b.scales[addr] = data;
                b.touched.scale.insert(addr);
            }));
        }
        all
    }

    fn collect(&mut self) -> Vec<Write> {
        let touched = std::mem::take(&mut self.touched);
        let scratch = touched.scratch.iter().map(|(&word, &mask)| {
            let bytes = to_bytes(&self.scratch[word]);
            let bytes = std::array::from_fn(|i| if mask >> i & 1 == 1 { bytes[i] } else { 0 });
            Write::Scratch { word: word as u32, mask, bytes }
        });
        let code = touched.code.iter().map(|&word| {
            let codes = to_bytes(&self.codes[word].0).map(|b| b as i8);
            Write::Code { word: word as u32, codes, shift: self.codes[word].1 }
        });
        let scale = touched.scale.iter().map(|&entry| Write::Scale { entry: entry as u32, value: self.scales[entry] });
        sagen_streamed_golden::machine::canonical(scratch.chain(code).chain(scale))
    }
}

fn from_bytes(bytes: &[u8]) -> Bits {
    let limbs: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    Bits::from_limbs(&limbs, WORD_BITS)
}

fn to_bytes(word: &Bits) -> [u8; 64] {
    std::array::from_fn(|i| (word.limbs()[i / 8] >> (8 * (i % 8))) as u8)
}
