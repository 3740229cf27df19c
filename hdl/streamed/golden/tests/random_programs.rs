//! Random programs on the golden machine: they run, repeat, and do not depend on the order in which units
//! execute, as long as waits are respected.

mod rig;

use rig::{machine, overlays};
use sagen_arith::draw::Draw;
use sagen_streamed_arch::{Device, Instruction, Program, StreamedConfig};
use sagen_streamed_fuzz::program::{RandomProgram, random_program};
use sagen_streamed_golden::{Machine, Write};
use sagen_streamed_isa::{LAYOUTS, Register, UNITS, Unit};
use std::collections::BTreeMap;

fn start(overlay: &StreamedConfig, random: &RandomProgram) -> Machine {
    machine(overlay, &random.program, &random.registers)
}

/// All state that a program leaves.
fn state(overlay: &StreamedConfig, program: &Program, machine: &mut Machine) -> State {
    let mut ddr = Vec::new();
    for region in &program.regions {
        let mut bytes = vec![0; region.bytes as usize];
        machine.read_ddr(region.base, &mut bytes).unwrap();
        ddr.push((region.base, bytes));
    }
    let code = |word| {
        let (codes, shift) = machine.code_word(word);
        (*codes, shift)
    };
    let scale = |entry| machine.scale(entry).to_word();
    State {
        ddr,
        scratch: (0..overlay.scratch_words()).flat_map(|w| machine.scratch_word(w).to_vec()).collect(),
        codes: (0..overlay.code_words()).map(code).collect(),
        scales: (0..sagen_streamed_isa::SCALES).map(scale).collect(),
        registers: Register::all().map(|r| machine.register(r).unwrap()).collect(),
    }
}

/// State of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    ddr: Vec<(u64, Vec<u8>)>,
    scratch: Vec<i32>,
    codes: Vec<([i8; 64], u8)>,
    scales: Vec<u32>,
    registers: Vec<u32>,
}

fn in_order(overlay: &StreamedConfig, random: &RandomProgram) -> State {
    let mut machine = start(overlay, random);
    machine.run(&random.routine).unwrap();
    state(overlay, &random.program, &mut machine)
}

/// Execute with units running ahead of each other at random; `None` where nothing could go on.
fn in_random_order(overlay: &StreamedConfig, random: &RandomProgram, seed: u64) -> Option<State> {
    let mut draw = Draw::new(seed);
    let mut machine = start(overlay, random);
    machine.begin();
    let steps = &random.routine.steps;
    let queue = |unit: Unit| steps.iter().filter(move |s| s.descriptor.unit() == unit).collect::<Vec<&Instruction>>();
    let queues = UNITS.map(queue);
    let mut done = [0usize; UNITS.len()];
    // Some seeds prefer one unit, so that it runs as far ahead as it may.
    let favourite = draw.below(2 * UNITS.len() as u64) as usize;
    for _ in 0..steps.len() {
        let ready = |unit: &usize| {
            let Some(step) = queues[*unit].get(done[*unit]) else { return false };
            let waits = step.descriptor.waits.iter().zip(done).all(|(wait, done)| usize::from(*wait) <= done);
            waits && machine.beats_taken(&step.descriptor.operation) <= machine.waiting_beats()
        };
        let ready: Vec<usize> = (0..UNITS.len()).filter(ready).collect();
        let unit = match ready.contains(&favourite) {
            true => favourite,
            false if ready.is_empty() => return None,
            false => draw.pick(&ready),
        };
        machine.step(done[unit], queues[unit][done[unit]]).unwrap();
        done[unit] += 1;
    }
    machine.finish().unwrap();
    Some(state(overlay, &random.program, &mut machine))
}

#[test]
fn a_thousand_programs_run_and_repeat() {
    let overlays = overlays();
    for seed in 0..1000 {
        let overlay = &overlays[seed as usize % overlays.len()];
        let random = random_program(overlay, seed, 12);
        let end = in_order(overlay, &random);
        if seed % 10 == 0 {
            assert_eq!(random.program, random_program(overlay, seed, 12).program, "seed {seed}");
            assert!(end == in_order(overlay, &random), "seed {seed}");
        }
    }
}

#[test]
fn any_order_that_respects_waits_leaves_the_same_state() {
    for (n, overlay) in overlays().iter().enumerate() {
        for seed in 0..60 {
            let random = random_program(overlay, 7000 + seed, 24);
            let expected = in_order(overlay, &random);
            for order in 0..6 {
                let found = in_random_order(overlay, &random, order).expect("waits never block all units");
                assert!(found == expected, "overlay {n}, seed {seed}, order {order}");
            }
        }
    }
}

#[test]
fn without_waits_the_order_matters() {
    let overlay = &overlays()[0];
    let differs = |seed: &u64| {
        let mut random = random_program(overlay, *seed, 24);
        let expected = in_order(overlay, &random);
        random.routine.steps.iter_mut().for_each(|s| s.descriptor.waits = [0; UNITS.len()]);
        in_random_order(overlay, &random, *seed).is_some_and(|found| found != expected)
    };
    let count = (0..20).filter(differs).count();
    assert!(count >= 15, "only {count} of 20 programs need their waits");
}

/// Change a state as a write says.
fn apply(state: &mut State, write: Write) {
    match write {
        Write::Ddr { address, bytes } => {
            let (base, all) = state.ddr.iter_mut().rev().find(|(base, _)| *base <= address).unwrap();
            all[(address - *base) as usize..][..bytes.len()].copy_from_slice(&bytes);
        }
        Write::Scratch { word, mask, bytes } => {
            for (i, byte) in bytes.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1) {
                let lane = &mut state.scratch[word as usize * 16 + i / 4];
                *lane = *lane & !(0xff << (8 * (i % 4))) | i32::from(*byte) << (8 * (i % 4));
            }
        }
        Write::Code { word, codes, shift } => state.codes[word as usize] = (codes, shift),
        Write::Scale { entry, value } => state.scales[entry as usize] = value,
        Write::Register { index, value } => state.registers[index as usize] = value,
    }
}

#[test]
fn the_writes_of_every_step_account_for_the_whole_state() {
    for overlay in overlays() {
        for seed in 100..115 {
            let random = random_program(&overlay, seed, 24);
            let mut machine = start(&overlay, &random);
            let mut shadow = state(&overlay, &random.program, &mut machine);
            machine
                .run_logged(&random.routine, |_, writes| writes.into_iter().for_each(|w| apply(&mut shadow, w)))
                .unwrap();
            assert!(shadow == state(&overlay, &random.program, &mut machine), "seed {seed}");
        }
    }
}

#[test]
fn programs_use_every_descriptor_and_rarely_saturate() {
    let overlay = &overlays()[0];
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut lanes, mut extreme) = (0, 0);
    for seed in 0..40 {
        let random = random_program(overlay, seed, 40);
        let mut machine = start(overlay, &random);
        machine.begin();
        for (index, step) in random.routine.steps.iter().enumerate() {
            *used.entry(step.descriptor.operation.layout().name).or_default() += 1;
            for write in machine.step_logged(index, step).unwrap() {
                if let Write::Scratch { bytes, .. } = write {
                    let values = bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b));
                    lanes += 16;
                    extreme += values.filter(|x| [0, i32::MIN, i32::MAX].contains(x)).count();
                }
            }
        }
    }
    assert!(LAYOUTS.iter().all(|l| used.get(l.name).is_some_and(|n| *n >= 20)), "{used:?}");
    assert!(extreme * 3 < lanes, "{extreme} of {lanes} lanes are zero or saturated");
}

#[test]
fn shrinking_keeps_what_the_failure_needs() {
    let overlay = &overlays()[0];
    let random = random_program(overlay, 5, 30);
    let ropes =
        |r: &RandomProgram| r.routine.steps.iter().filter(|s| s.descriptor.operation.layout().name == "Rope").count();
    let least = ropes(&random).min(2);
    assert!(least > 0);
    let small = random.shrink(|r| {
        in_order(overlay, r);
        ropes(r) >= least
    });
    assert_eq!((ropes(&small), small.actions()), (least, least));
}
