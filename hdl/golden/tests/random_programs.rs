//! Random programs on the golden machine: they run, repeat, and do not depend on the order in which units
//! execute, as long as waits are respected.

use sagen_arch::{Board, Device, Overlay, Step, config};
use sagen_golden::Machine;
use sagen_golden::draw::Draw;
use sagen_golden::program_gen::{RandomProgram, random_program};
use sagen_isa::{LAYOUTS, UNITS, Unit};
use std::collections::BTreeMap;
use std::path::Path;

/// Beats of 64, 8, 32, 16 and 8 bytes.
const EXTRA: [&str; 3] = [
    "name: d8_100mhz_w64_p6\nports: { width: 64, total: 6, stream: 4 }",
    "name: d8_100mhz_w128_p3\nports: { width: 128, total: 3, stream: 1 }",
    "name: d8_100mhz_w32_p4\nports: { width: 32, total: 4, stream: 2 }",
];
const REST: &str = "
board: kv260
clock_mhz: 100
array: { side: 8, count: 1 }
vector_lanes: 16
prefetch_bytes: 8192
scratchpad: { vector_words: 1024, code_words: 256, score_rows: 128 }
control_core: none
pcpi: false
";

fn overlays() -> Vec<Overlay> {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let board: Board = config::parse("kv260", &read(&configs.join("boards/kv260.yaml"))).unwrap();
    let files = ["d16_100mhz_w128_p6", "d8_100mhz"].map(|name| read(&configs.join(name).with_extension("yaml")));
    let extra = EXTRA.map(|head| format!("{head}{REST}"));
    files.iter().chain(&extra).map(|text| config::overlay("test", text, std::slice::from_ref(&board)).unwrap()).collect()
}

/// A machine that is about to run the program.
fn machine(overlay: &Overlay, random: &RandomProgram) -> Machine {
    let mut machine = Machine::new(overlay);
    machine.load(&random.program).unwrap();
    for (index, value) in &random.registers {
        machine.set_register(*index, *value).unwrap();
    }
    machine
}

/// All state that a program leaves.
fn state(overlay: &Overlay, random: &RandomProgram, machine: &mut Machine) -> Vec<u8> {
    let mut all = Vec::new();
    for region in &random.program.regions {
        let mut bytes = vec![0; region.bytes as usize];
        machine.read_ddr(region.base, &mut bytes).unwrap();
        all.extend(bytes);
    }
    for word in 0..overlay.scratch_words() {
        all.extend(machine.scratch_word(word).iter().flat_map(|x| x.to_le_bytes()));
    }
    for word in 0..overlay.code_words() {
        let (codes, shift) = machine.code_word(word);
        all.extend(codes.iter().map(|c| *c as u8).chain([shift]));
    }
    for entry in 0..sagen_isa::SCALES {
        let s = machine.scale(entry);
        all.extend(s.mantissa.to_le_bytes().into_iter().chain(s.exponent.to_le_bytes()));
    }
    for index in 0..sagen_isa::REGISTERS {
        all.extend(machine.register(index as u64).unwrap().to_le_bytes());
    }
    all
}

fn in_order(overlay: &Overlay, random: &RandomProgram) -> Vec<u8> {
    let mut machine = machine(overlay, random);
    machine.run(&random.routine).unwrap();
    state(overlay, random, &mut machine)
}

/// Execute with units running ahead of each other at random; `None` where nothing could go on.
fn in_random_order(overlay: &Overlay, random: &RandomProgram, seed: u64) -> Option<Vec<u8>> {
    let mut draw = Draw::new(seed);
    let mut machine = machine(overlay, random);
    machine.begin();
    let steps = &random.routine.steps;
    let queue = |unit: Unit| steps.iter().filter(move |s| s.descriptor.unit() == unit).collect::<Vec<&Step>>();
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
    Some(state(overlay, random, &mut machine))
}

#[test]
fn a_thousand_programs_run_and_repeat() {
    let overlays = overlays();
    for seed in 0..1000 {
        let overlay = &overlays[seed as usize % overlays.len()];
        let random = random_program(overlay, seed, 12);
        assert_eq!(random.program, random_program(overlay, seed, 12).program, "seed {seed}");
        let end = in_order(overlay, &random);
        assert!(end == in_order(overlay, &random), "seed {seed}");
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
        random.routine.steps.iter_mut().for_each(|s| s.descriptor.waits = [0; 5]);
        in_random_order(overlay, &random, *seed).is_some_and(|found| found != expected)
    };
    let count = (0..20).filter(differs).count();
    assert!(count >= 15, "only {count} of 20 programs need their waits");
}

#[test]
fn programs_use_every_descriptor_and_rarely_saturate() {
    let overlay = &overlays()[0];
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut lanes, mut extreme) = (0, 0);
    for seed in 0..40 {
        let random = random_program(overlay, seed, 40);
        let mut machine = machine(overlay, &random);
        machine.begin();
        for (index, step) in random.routine.steps.iter().enumerate() {
            *used.entry(step.descriptor.operation.layout().name).or_default() += 1;
            for write in machine.step_logged(index, step).unwrap() {
                if let sagen_golden::Write::Scratch { bytes, .. } = write {
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
    let ropes = |r: &RandomProgram| r.routine.steps.iter().filter(|s| s.descriptor.operation.layout().name == "Rope").count();
    let least = ropes(&random).min(2);
    assert!(least > 0);
    let small = random.shrink(|r| {
        in_order(overlay, r);
        ropes(r) >= least
    });
    assert_eq!((ropes(&small), small.actions()), (least, least));
}
