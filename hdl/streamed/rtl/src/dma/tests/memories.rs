//! Scratchpad and code memory, every port at once.

use crate::memory::code_memory::code_memory;
use crate::memory::scratchpad::scratchpad;
use crate::testing::{Random, overlay};
use sagen_lang::{Bits, Design, Sim};
use std::collections::BTreeMap;

const WORDS: u64 = 24;

fn word(random: &mut Random) -> Bits {
    Bits::from_limbs(&std::array::from_fn::<u64, 8, _>(|_| random.next()), 512)
}

/// `from` where the mask of lanes of so many bits is set, else `to`.
fn merge(to: &mut Bits, from: &Bits, mask: u64, lane: u32) {
    let limb = |i: usize| {
        let bit = |b: usize| mask >> ((64 * i + b) as u32 / lane) & 1;
        let keep = (0..64).fold(0u64, |all, b| all | bit(b) << b);
        to.limbs()[i] & !keep | from.limbs()[i] & keep
    };
    *to = Bits::from_limbs(&std::array::from_fn::<u64, 8, _>(limb), 512);
}

#[test]
fn the_scratchpad_serves_writers_by_priority_and_the_store_unit_where_the_vector_unit_leaves_port_b() {
    let overlay = overlay("d8_100mhz");
    let mut d = Design::new();
    let top = scratchpad(&mut d, &overlay);
    let (mut sim, mut random) = (Sim::new(&d, top).unwrap(), Random::new(1));
    sim.reset();
    let mut words: BTreeMap<u64, Bits> = BTreeMap::new();
    // What ports a and b read one and two cycles ago.
    let mut asked: [[Option<Bits>; 2]; 2] = Default::default();
    let mut grants = [0; 4];
    let zero = || Bits::from_limbs(&[0; 8], 512);
    for cycle in 0..6000 {
        let mut first = None;
        for (i, writer) in ["vector", "compute", "load"].into_iter().enumerate() {
            let (valid, at, data) = (random.percent(35), random.below(WORDS), word(&mut random));
            // Writers write multiples of 16 bytes.
            let lanes = random.below(16);
            let mask = (0..4).fold(0u64, |all, lane| all | ((lanes >> lane & 1) * 0xffff) << (16 * lane));
            sim.set(&format!("{writer}_valid"), valid);
            sim.set(&format!("{writer}_addr"), at);
            sim.set(&format!("{writer}_mask"), mask);
            sim.set(&format!("{writer}_data"), data.clone());
            if valid && first.is_none() {
                first = Some((i, at, data, mask));
            }
        }
        let [a, b, s] = ["a", "b", "s"].map(|port| {
            let read = random.percent(50).then(|| random.below(WORDS));
            sim.set(&format!("{port}_en"), read.is_some());
            sim.set(&format!("{port}_addr"), read.unwrap_or(0));
            read
        });
        let winner = first.as_ref().map(|f| f.0);
        let ready = |port: &str, sim: &mut Sim| sim.get(port).to_u64() == 1;
        assert_eq!(ready("compute_ready", &mut sim), winner != Some(0), "cycle {cycle}");
        assert!(winner != Some(2) || ready("load_ready", &mut sim), "cycle {cycle}");
        assert!(!matches!(winner, Some(0 | 1)) || !ready("load_ready", &mut sim), "cycle {cycle}");
        assert_eq!(ready("s_ready", &mut sim), b.is_none(), "cycle {cycle}");
        for (port, old) in ["a_data", "b_data"].iter().zip(&asked) {
            if let Some(expected) = &old[1] {
                assert_eq!(sim.get(port), *expected, "{port}, cycle {cycle}");
            }
        }
        // A read meets the word as it was before the write of its own cycle.
        for (old, at) in asked.iter_mut().zip([a, b.or(s)]) {
            let now = at.map(|at| words.get(&at).cloned().unwrap_or_else(zero));
            // The output stays where nothing is read.
            old[1] = old[0].take();
            old[0] = now;
        }
        if let Some((i, at, data, mask)) = first {
            merge(words.entry(at).or_insert_with(zero), &data, mask, 8);
            grants[i] += 1;
        }
        grants[3] += u32::from(s.is_some() && b.is_none());
        sim.step();
    }
    assert!(grants.iter().all(|n| *n > 500), "{grants:?}");
}

#[test]
fn the_code_memory_is_written_in_quarters_with_the_shift_of_the_whole_word() {
    let overlay = overlay("d8_100mhz");
    let mut d = Design::new();
    let top = code_memory(&mut d, &overlay);
    let (mut sim, mut random) = (Sim::new(&d, top).unwrap(), Random::new(2));
    sim.reset();
    let zero = || (Bits::from_limbs(&[0; 8], 512), 0);
    let mut words: BTreeMap<u64, (Bits, u64)> = BTreeMap::new();
    let mut asked: [Option<(Bits, u64)>; 2] = Default::default();
    for cycle in 0..4000 {
        let (valid, at, data) = (random.percent(50), random.below(WORDS), word(&mut random));
        let (mask, shift) = (random.below(16), random.below(4));
        sim.set("c_valid", valid);
        sim.set("c_addr", at);
        sim.set("c_data", data.clone());
        sim.set("c_mask", mask);
        sim.set("c_shift", shift);
        let read = random.percent(60).then(|| random.below(WORDS));
        sim.set("r_en", read.is_some());
        sim.set("r_addr", read.unwrap_or(0));
        if let Some((codes, shift)) = &asked[1] {
            assert_eq!((sim.get("r_data"), sim.get("r_shift").to_u64()), (codes.clone(), *shift), "cycle {cycle}");
        }
        asked[1] = asked[0].take();
        asked[0] = read.map(|at| words.get(&at).cloned().unwrap_or_else(zero));
        if valid {
            let entry = words.entry(at).or_insert_with(zero);
            merge(&mut entry.0, &data, mask, 128);
            entry.1 = shift;
        }
        sim.step();
    }
}
