//! AXI4-Lite, driven hard.

use super::host::{Answer, Host, Move, OKAY, SLVERR};
use crate::control::csr::{Identity, csr_block};
use crate::testing::Random;
use sagen_lang::{Design, Sim};
use sagen_streamed_isa::{COUNTERS, CSR_COUNTER_BASE, CSR_REGISTER_BASE, CSRS, Csr, REGISTERS};
use std::collections::{BTreeMap, VecDeque};

fn simulate() -> Sim {
    let mut d = Design::new();
    let top = csr_block(&mut d, Identity { build_hash: 0x1234, geometry: 7 });
    let mut sim = Sim::new(&d, top).unwrap();
    sim.reset();
    sim.set("quiet", true);
    sim
}

/// Every address of the map.
fn exists(address: u32) -> bool {
    let of = |base: u32, words: usize| (base..base + 4 * words as u32).contains(&address);
    let known = of(0, CSRS.len()) || of(CSR_REGISTER_BASE, REGISTERS) || of(CSR_COUNTER_BASE, COUNTERS.len());
    known && address.is_multiple_of(4)
}

/// Keeps what the host wrote.
fn holds(address: u32) -> bool {
    let kept = [Csr::ProgramLow, Csr::ProgramHigh, Csr::ProgramLength].map(Csr::offset);
    kept.contains(&address)
        || exists(address) && (CSR_REGISTER_BASE + 4..CSR_REGISTER_BASE + 4 * REGISTERS as u32).contains(&address)
}

#[test]
fn every_address_is_answered_by_the_one_rule() {
    let (mut sim, mut host) = (simulate(), Host::default());
    for address in (0..0x400).chain((0x400..0x1_0000).step_by(0x3ff)).chain([0xfffc, 0xffff]) {
        let expected = if exists(address) { OKAY } else { SLVERR };
        let Answer { data, response } = host.read(&mut sim, address);
        assert_eq!(response, expected, "read at {address:#x}");
        assert!(exists(address) || data == 0, "read at {address:#x}");
        if address != Csr::Control.offset() {
            assert_eq!(host.write(&mut sim, address, 0x5a5a_0000 | address), expected, "write at {address:#x}");
        }
    }
    for address in (0..0x400).filter(|a| holds(*a)) {
        assert_eq!(host.read(&mut sim, address).data, 0x5a5a_0000 | address, "{address:#x}");
    }
    assert_eq!(host.read(&mut sim, CSR_REGISTER_BASE).data, 0, "register 0 stays 0");
}

/// Values that a register may have had while a read of it was under way.
#[derive(Default)]
struct Model {
    values: BTreeMap<u32, u32>,
    /// Writes whose answer has not come: address, value, strobes.
    writes: VecDeque<(u32, u32, u32)>,
    reads: VecDeque<(u32, Vec<u32>)>,
}

impl Model {
    fn value(&self, address: u32) -> u32 {
        match address {
            0x00 => sagen_streamed_isa::CSR_ID,
            0x04 => 0x1234,
            0x08 => 7,
            _ => self.values.get(&address).copied().unwrap_or(0),
        }
    }

    /// A write shows at the latest with its answer.
    fn settle(&mut self, host: &mut Host) {
        for (address, value, strobes) in &self.writes {
            let possible = *strobes == 15 && holds(*address);
            let reads = self.reads.iter_mut().filter(|(at, _)| at == address && possible);
            reads.for_each(|(_, values)| values.push(*value));
        }
        while let Some(response) = host.written.pop_front() {
            let (address, value, strobes) = self.writes.pop_front().expect("every answer has its write");
            assert_eq!(response, if exists(address) { OKAY } else { SLVERR }, "write at {address:#x}");
            if holds(address) && strobes == 15 {
                self.values.insert(address, value);
            }
        }
        while let Some(answer) = host.read.pop_front() {
            let (address, values) = self.reads.pop_front().expect("every answer has its read");
            assert_eq!(answer.response, if exists(address) { OKAY } else { SLVERR }, "read at {address:#x}");
            assert!(values.contains(&answer.data), "read at {address:#x}: {:#x} is none of {values:x?}", answer.data);
        }
    }
}

#[test]
fn a_host_in_any_order_reads_what_it_wrote() {
    let addresses = [0x00, 0x04, 0x10, 0x18, 0x1c, 0x20, 0x24, 0x40, 0x100, 0x104, 0x17c, 0x180, 0x202, 0x1a];
    for seed in 0..6 {
        let (mut sim, mut host, mut model) = (simulate(), Host::default(), Model::default());
        let mut random = Random::new(seed);
        // How eager the host is on each channel.
        let eager: Vec<u64> = (0..5).map(|_| [5, 40, 100][random.below(3) as usize]).collect();
        // Writes whose address, and whose data, has been offered.
        let (mut next, mut counts, mut total) = (Vec::<(u32, u32, u32)>::new(), [0, 0], 0);
        for _ in 0..6000 {
            let [aw, w, ar] = host.offers();
            let mut it =
                Move { b_ready: random.percent(eager[3]), r_ready: random.percent(eager[4]), ..Move::default() };
            let address = addresses[random.below(addresses.len() as u64) as usize];
            while next.len() <= counts[0].max(counts[1]) {
                let strobes = if random.percent(80) { 15 } else { random.below(15) as u32 };
                next.push((addresses[random.below(addresses.len() as u64) as usize], random.next() as u32, strobes));
            }
            if !aw && random.percent(eager[0]) {
                it.aw = Some(next[counts[0]].0);
                counts[0] += 1;
            }
            if !w && random.percent(eager[1]) {
                it.w = Some((next[counts[1]].1, next[counts[1]].2));
                counts[1] += 1;
            }
            while model.writes.len() + total < counts[0].min(counts[1]) {
                model.writes.push_back(next[model.writes.len() + total]);
            }
            if !ar && random.percent(eager[2]) {
                it.ar = Some(address);
                let value = model.value(address);
                model.reads.push_back((address, vec![value]));
            }
            host.step(&mut sim, it);
            total += host.written.len();
            model.settle(&mut host);
        }
        assert!(total > 60, "seed {seed}: {total} writes");
    }
}

#[test]
fn nothing_is_taken_during_a_reset_and_what_is_offered_then_is_answered_after_it() {
    let mut sim = simulate();
    for _ in 0..3 {
        let mut host = Host::default();
        sim.set("rst", true);
        sim.step();
        for channel in ["aw", "w", "ar"] {
            sim.set(&format!("s_axi_{channel}valid"), true);
            assert_eq!(sim.get(&format!("s_axi_{channel}ready")).to_u64(), 0, "{channel}");
        }
        sim.step();
        sim.set("rst", false);
        assert_eq!(host.read(&mut sim, 4), Answer { data: 0x1234, response: OKAY });
        assert_eq!(host.write(&mut sim, 0x18, 77), OKAY);
        assert_eq!(host.read(&mut sim, 0x18).data, 77);
    }
}

#[test]
fn ready_does_not_follow_valid_within_a_cycle() {
    let mut sim = simulate();
    for _ in 0..40 {
        for channel in ["aw", "w", "ar"] {
            let (valid, ready) = (format!("s_axi_{channel}valid"), format!("s_axi_{channel}ready"));
            let seen = [false, true].map(|v| {
                sim.set(&valid, v);
                sim.get(&ready).to_u64()
            });
            assert_eq!(seen[0], seen[1], "{channel}");
        }
        sim.set("s_axi_bready", true);
        sim.set("s_axi_rready", true);
        sim.step();
    }
}

#[test]
fn a_polite_host_writes_every_other_cycle() {
    let (mut sim, mut host) = (simulate(), Host::default());
    host.write(&mut sim, 0x18, 0);
    let polite = Move { aw: Some(0x18), w: Some((1, 15)), ar: Some(0x1c), b_ready: true, r_ready: true };
    (0..100).for_each(|_| host.step(&mut sim, polite));
    assert!(host.written.len() >= 48 && host.read.len() >= 48, "{} {}", host.written.len(), host.read.len());
}
