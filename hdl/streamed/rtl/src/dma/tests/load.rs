//! The load unit between a bus and a scratchpad, cycle by cycle.

use super::bench::Bench;
use crate::dma::load::load_unit;
use crate::testing::Random;
use sagen_lang::Bits;
use sagen_streamed_isa::{Descriptor, Load, PAGE_BYTES, Register, Rows, register};
use std::collections::VecDeque;

/// Scratchpad word and the DDR address of the data written to it.
type Written = Vec<(u64, u64)>;

impl Bench {
    /// Runs one descriptor on a bus that answers in `pace` percent of the cycles; data is its own address.
    fn load(&mut self, load: Load, pace: u64, random: &mut Random) -> (Written, u64) {
        self.sim.set("desc", Bits::from_limbs(&Descriptor::new(load).encode().unwrap(), 512));
        self.sim.set("desc_valid", true);
        let (mut written, mut beats) = (Written::new(), VecDeque::new());
        let start = self.sim.cycle();
        loop {
            let index = self.sim.get("step_index").to_u64() as usize;
            self.sim.set("step_value", self.registers[index]);
            let ar_ready = self.drive("ar_ready", true, pace, start, random);
            let w_ready = self.drive("w_ready", true, pace, start, random);
            let r_valid = self.drive("r_valid", !beats.is_empty(), pace, start, random);
            let limbs = [beats.front().copied().unwrap_or(0); 2];
            self.sim.set("r_data", Bits::from_limbs(&limbs[..self.bytes.div_ceil(8) as usize], self.bytes as u32 * 8));
            if r_valid && self.flag("r_ready") {
                beats.pop_front();
            }
            if ar_ready && self.flag("ar_valid") {
                let (at, len) = (self.sim.get("ar_addr").to_u64(), self.sim.get("ar_len").to_u64() + 1);
                assert!(at % PAGE_BYTES + len * self.bytes <= PAGE_BYTES, "a burst crosses 4 KiB");
                beats.extend((0..len).map(|i| at + i * self.bytes));
            }
            if w_ready && self.flag("w_valid") {
                let (at, data) = (self.sim.get("w_addr").to_u64(), self.sim.get("w_data"));
                let address = data.limbs()[0];
                let expected: Vec<u64> = (0..8).map(|i| address + ((i * 8) & !(self.bytes - 1))).collect();
                assert_eq!(data.limbs(), expected, "a word is one run of beats");
                written.push((at, address));
            }
            if self.step(start) {
                let cycles = self.sim.cycle() - start;
                self.rests(&[("u_bursts.left", 0), ("u_bursts.valid", 0), ("full", 0), ("piece", 0), ("active", 0)]);
                return (written, cycles);
            }
        }
    }

    fn expected_load(&self, o: &Load) -> Written {
        let row = |i: u64| {
            let value = self.registers[(o.register.index() + if o.gather { i as usize } else { 0 }) % 32];
            let at = o.base + u64::from(value) * o.register_stride + i * o.ddr_stride;
            (0..o.row_words).map(move |word| (o.to.row(i) + word, (at + 64 * word) & ((1 << 40) - 1)))
        };
        (0..o.rows).flat_map(row).collect()
    }
}

#[test]
fn every_row_arrives_where_it_belongs() {
    for config in ["d16_100mhz_w128_p6", "d8_100mhz", "d16_250mhz_w128_p6"] {
        let mut random = Random::new(5);
        let mut bench = Bench::new(load_unit, config, &mut random);
        for i in 0..60 {
            let load = Load {
                base: 64 * random.below(1 << 30),
                register: Register::new(random.below(28) as usize).unwrap(),
                register_stride: 64 * random.below(1 << 10),
                gather: i & 1 == 1,
                rows: 1 + random.below(8),
                row_words: 1 + random.below(if i % 5 == 0 { 70 } else { 5 }),
                ddr_stride: 64 * random.below(1 << 20),
                to: Rows { base: random.below(1000), stride: random.below(100) },
            };
            bench.held = (i >= 48).then_some(["ar_ready", "w_ready", "r_valid"][i as usize % 3]);
            let (written, _) = bench.load(load, [100, 60][i as usize / 2 % 2], &mut random);
            assert_eq!(written, bench.expected_load(&load), "{config} {load:?}");
        }
    }
}

#[test]
fn addresses_of_rows_are_hidden_by_their_data() {
    let mut random = Random::new(6);
    let mut bench = Bench::new(load_unit, "d16_100mhz_w128_p6", &mut random);
    let mut cycles = |row_words: u64, rows: u64, gather: bool| {
        let load = Load {
            register: register::POSITION,
            gather,
            rows,
            row_words,
            ddr_stride: 64,
            to: Rows::spaced(1),
            ..Load::default()
        };
        bench.load(load, 100, &mut random).1
    };
    let (one, gather) = (cycles(1, 1, false), cycles(2, 1, true));
    assert_eq!(cycles(1, 11, false) - one, 10 * 4, "rows of four beats");
    assert_eq!(cycles(2, 11, true) - gather, 10 * 8, "rows of eight beats, each with a register");
}
