//! The store unit between a scratchpad and a bus, cycle by cycle.

use super::bench::Bench;
use crate::dma::store::store_unit;
use crate::testing::Random;
use sagen_lang::Bits;
use sagen_streamed_isa::{Descriptor, Loop, PAGE_BYTES, Register, Store, register};
use std::collections::VecDeque;

const ADDRESS: u64 = (1 << 40) - 1;

/// What the bus saw: address and piece, each piece named by its scratchpad byte address.
type Written = Vec<(u64, u64)>;

impl Bench {
    /// A scratchpad word whose pieces hold their own address.
    fn word(&self, word: u64) -> Bits {
        let limbs: Vec<u64> = (0..8).map(|i| (word * 64 + i * 8) & !(self.bytes - 1)).collect();
        Bits::from_limbs(&limbs, 512)
    }

    /// Runs one descriptor, granting reads and taking data in `pace` percent of the cycles; returns the writes in order
    /// and the cycles.
    fn store(&mut self, store: Store, pace: u64, random: &mut Random) -> (Written, u64) {
        self.sim.set("desc", Bits::from_limbs(&Descriptor::new(store).encode().unwrap(), 512));
        self.sim.set("desc_valid", true);
        let (mut written, mut reads) = (Written::new(), [None, None]);
        let (mut bursts, mut data, mut pieces, mut answers) = (VecDeque::new(), VecDeque::new(), Vec::new(), 0);
        let start = self.sim.cycle();
        loop {
            let index = self.sim.get("step_index").to_u64() as usize;
            self.sim.set("step_value", self.registers[index]);
            let granted = self.drive("s_ready", true, pace, start, random);
            let aw_ready = self.drive("aw_ready", true, pace, start, random);
            let w_ready = self.drive("w_ready", true, pace, start, random);
            let answer = self.drive("b_valid", answers > 0, pace, start, random);
            answers -= u64::from(answer);
            self.sim.set("s_data", reads[1].map_or(Bits::from_limbs(&[random.next(); 8], 512), |at| self.word(at)));
            reads[1] = reads[0];
            reads[0] = (self.flag("s_en") && granted).then(|| self.sim.get("s_addr").to_u64());
            if aw_ready && self.flag("aw_valid") {
                bursts.push_back((self.sim.get("aw_addr").to_u64(), self.sim.get("aw_len").to_u64() + 1));
            }
            if w_ready && self.flag("w_valid") {
                pieces.push(self.sim.get("w_data").limbs()[0]);
                if self.flag("w_last") {
                    data.push_back(std::mem::take(&mut pieces));
                }
            }
            while let (Some((at, beats)), Some(pieces)) = (bursts.front(), data.front()) {
                assert_eq!(*beats, pieces.len() as u64, "w_last");
                assert!(at % PAGE_BYTES + beats * self.bytes <= PAGE_BYTES, "a burst crosses 4 KiB");
                written.extend(pieces.iter().enumerate().map(|(i, p)| (at + i as u64 * self.bytes, *p)));
                answers += 1;
                bursts.pop_front();
                data.pop_front();
            }
            if self.step(start) {
                let cycles = self.sim.cycle() - start;
                self.rests(&[("room", 8), ("outstanding", 0), ("u_addresses.count", 0), ("u_pieces.count", 0)]);
                return (written, cycles);
            }
        }
    }

    fn expected_store(&self, o: &Store) -> Written {
        let value = |register: Register| u128::from(self.registers[register.index()]);
        let offset = value(o.register_1) * u128::from(o.register_1_stride)
            + value(o.register_2) * u128::from(o.register_2_stride);
        let base = (offset + u128::from(o.base)) as u64;
        let mut all = Written::new();
        for (ddr, scratch) in sagen_streamed_arch::hazard::runs(o) {
            let (to, from) = (base + ddr, o.from + scratch);
            all.extend((0..o.beats).map(|i| ((to + i * self.bytes) & ADDRESS, from + i * o.from_stride)));
        }
        all
    }
}

fn draw(random: &mut Random, bytes: u64, longest: u64) -> Store {
    let mut multiple = |of: u64, below: u64| of * random.below(below);
    let (base, from) = (multiple(bytes, 1 << 30), multiple(bytes, 1 << 10));
    let strides = [0; 2].map(|_: u64| multiple(bytes, 1 << 10) << 16 | multiple(bytes, 1 << 10));
    let ddr = [0; 3].map(|_: u64| multiple(bytes, 1 << 12));
    let scratch = [0; 3].map(|_: u64| multiple(bytes, 64));
    let from_stride = multiple(bytes, 9);
    let counts = [0; 3].map(|_: u64| 1 + random.below(3));
    let [register_1, register_2] = [32, 4].map(|below| Register::new(random.below(below) as usize).unwrap());
    let beats = 1 + random.below(longest);
    let [register_1_stride, register_2_stride] = strides;
    let turns = |i: usize| Loop { count: counts[i], ddr_stride: ddr[i], scratch_stride: scratch[i] };
    let (inner, middle, outer) = (turns(0), turns(1), turns(2));
    Store {
        base,
        register_1,
        register_1_stride,
        register_2,
        register_2_stride,
        from,
        beats,
        from_stride,
        inner,
        middle,
        outer,
    }
}

#[test]
fn every_run_arrives_where_its_loops_say() {
    for config in ["d16_100mhz_w128_p6", "d8_100mhz", "d16_250mhz_w128_p6"] {
        let mut random = Random::new(3);
        let mut bench = Bench::new(store_unit, config, &mut random);
        for i in 0..40u64 {
            let longest = [1, 4, 20, 700][i as usize % 4];
            let store = draw(&mut random, bench.bytes, longest);
            let pace = [100, 60][i as usize / 4 % 2];
            let held = ["s_ready", "aw_ready", "w_ready", "b_valid"][i as usize / 2 % 4];
            bench.held = (i >= 28).then_some(held);
            let (written, _) = bench.store(store, pace, &mut random);
            assert_eq!(written, bench.expected_store(&store), "{config} {store:?}");
        }
    }
}

#[test]
fn a_run_costs_three_cycles_beside_its_pieces() {
    let mut random = Random::new(4);
    let mut bench = Bench::new(store_unit, "d16_100mhz_w128_p6", &mut random);
    let one = Store {
        beats: 1,
        inner: Loop::ONCE,
        middle: Loop::ONCE,
        outer: Loop::ONCE,
        register_1: register::POSITION,
        ..Store::default()
    };
    let mut cycles = |store: Store| bench.store(store, 100, &mut random).1;
    let first = cycles(one);
    assert_eq!(first, 15, "one register");
    assert_eq!(cycles(Store { register_2: register::KV_LENGTH, ..one }), first + 3, "two registers");
    assert_eq!(cycles(Store { inner: Loop { count: 9, ..one.inner }, ..one }), first + 8 * 4, "runs");
    assert_eq!(cycles(Store { beats: 100, ..one }), first + 99, "pieces");
}
