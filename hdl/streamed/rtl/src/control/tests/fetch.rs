//! Descriptor fetch between a memory and a scheduler.

use crate::control::fetch::fetch_unit;
use crate::testing::{Random, overlay};
use sagen_lang::{Bits, Design, Sim};
use sagen_streamed_isa::DESCRIPTOR_BYTES;
use std::collections::VecDeque;

/// Descriptors that may be on their way.
const AHEAD: u64 = 8;
const BASE: u64 = 0x12_3456_7000 + 64 * 61;

struct Fetch {
    sim: Sim,
    bytes: u64,
    memory: VecDeque<(u64, bool)>,
    /// Beats asked for, and of the bursts of which address the response is bad.
    asked: u64,
    bad: Option<u64>,
    errors: u32,
}

impl Fetch {
    fn new(config: &str) -> Self {
        let overlay = overlay(config);
        let mut d = Design::new();
        let top = fetch_unit(&mut d, &overlay);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let bytes = overlay.port_bytes() as u64;
        Self { sim, bytes, memory: VecDeque::new(), asked: 0, bad: None, errors: 0 }
    }

    fn flag(&mut self, name: &str) -> bool {
        self.sim.get(name).to_u64() == 1
    }

    fn start(&mut self, length: u64) {
        self.sim.set("start", true);
        self.sim.set("address", BASE);
        self.sim.set("length", length);
        self.sim.step();
        self.sim.set("start", false);
        self.sim.set("dispatch", true);
    }

    /// A cycle; the descriptor that is handed out in it. A beat holds its own address.
    fn step(&mut self, ready: bool, random: &mut Random, pace: u64) -> Option<u64> {
        let ar_ready = random.percent(pace);
        self.sim.set("ar_ready", ar_ready);
        self.sim.set("desc_ready", ready);
        let beat = self.memory.front().copied().filter(|_| random.percent(pace));
        let (data, bad) = beat.unwrap_or_default();
        self.sim.set("r_valid", beat.is_some());
        let limbs = [data; 2];
        self.sim.set("r_data", Bits::from_limbs(&limbs[..self.bytes as usize / 8], 8 * self.bytes as u32));
        self.sim.set("r_resp", if bad { 2 } else { 0 });
        beat.iter().for_each(|_| _ = self.memory.pop_front());
        if ar_ready && self.flag("ar_valid") {
            let (at, length) = (self.sim.get("ar_addr").to_u64(), self.sim.get("ar_len").to_u64() + 1);
            assert!(at % 4096 + length * self.bytes <= 4096, "a burst crosses 4 KiB");
            let bad = self.bad.is_some_and(|bad| (at..at + length * self.bytes).contains(&bad));
            self.memory.extend((0..length).map(|i| (at + i * self.bytes, bad)));
            self.asked += length;
        }
        self.errors += u32::from(self.flag("bus_error"));
        let found = (ready && self.flag("desc_valid")).then(|| {
            let descriptor = self.sim.get("desc");
            let first = descriptor.limbs()[0];
            let expected: Vec<u64> = (0..8).map(|i| first + ((i * 8) & !(self.bytes - 1))).collect();
            assert_eq!(descriptor.limbs(), expected, "the beats of a descriptor are those of its address");
            first
        });
        self.sim.step();
        found
    }
}

fn address(index: u64) -> u64 {
    BASE + index * DESCRIPTOR_BYTES as u64
}

#[test]
fn a_program_is_handed_out_in_order_and_no_more_than_fits_is_asked_for() {
    for (config, seed) in [("d8_100mhz", 1), ("d16_100mhz_w128_p6", 2)] {
        let (mut fetch, mut random) = (Fetch::new(config), Random::new(seed));
        for length in [1, 3, 4, 5, 8, 40, 133] {
            let (before, mut found) = (fetch.asked, 0);
            fetch.start(length);
            for cycle in 0..60_000u64 {
                let ready = random.percent(if cycle < 2000 { 0 } else { 40 });
                if let Some(at) = fetch.step(ready, &mut random, 60) {
                    assert_eq!(at, address(found), "{config} {length}");
                    found += 1;
                }
                let pieces = DESCRIPTOR_BYTES as u64 / fetch.bytes;
                assert!(fetch.asked - before <= (found + AHEAD) * pieces, "{config} {length}");
                if found == length {
                    break;
                }
            }
            assert_eq!(found, length, "{config}");
            (0..50).for_each(|_| assert_eq!(fetch.step(true, &mut random, 60), None));
            // Nothing reserved is left.
            assert_eq!(fetch.sim.get("room").to_u64(), AHEAD * DESCRIPTOR_BYTES as u64 / fetch.bytes);
        }
    }
}

#[test]
fn nothing_of_a_burst_that_fails_or_after_it_is_handed_out() {
    for config in ["d8_100mhz", "d16_100mhz_w128_p6"] {
        for bad in [0, 5, 17, 39] {
            let (mut fetch, mut random) = (Fetch::new(config), Random::new(bad));
            fetch.bad = Some(address(bad));
            fetch.start(40);
            let mut found = Vec::new();
            (0..20_000).for_each(|_| found.extend(fetch.step(random.below(2) == 0, &mut random, 70)));
            assert!(fetch.errors > 0 && found.iter().all(|at| *at < address(bad)), "{config} {bad}: {found:x?}");
        }
    }
}

#[test]
fn nothing_is_handed_out_unless_a_program_runs() {
    let (mut fetch, mut random) = (Fetch::new("d8_100mhz"), Random::new(9));
    fetch.start(20);
    fetch.sim.set("dispatch", false);
    (0..3000).for_each(|_| assert_eq!(fetch.step(true, &mut random, 80), None));
}
