//! The GEMV engine and the unit as a whole against the golden machine.

mod bench;
mod lint;
mod timing;
mod work;

use super::compute_unit;
use super::gemv::gemv_engine;
use crate::testing::Random;
use crate::testing::overlay;
use bench::{Bench, Held, Pace};
use sagen_lang::{Design, ModuleId};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::Operation;
use work::Draw;

const WIDE: &str = "d16_100mhz_w128_p6";
const NARROW: &str = "d8_100mhz";
const DEEP: &str = "d16_250mhz_w128_p6";

/// Builds the module under test.
type Build = fn(&mut Design, &StreamedConfig) -> ModuleId;

/// Runs random jobs of one kind and checks what they leave behind.
fn check(build: Build, config: &str, seed: u64, pace: Pace, draw: impl Fn(&mut Draw) -> Vec<Operation>) {
    let overlay = overlay(config);
    let mut bench = Bench::new(|d| build(d, &overlay));
    let mut random = Random::new(seed);
    for _ in 0..3 {
        let mut drawing = Draw::new(&mut random, &overlay);
        let operations = draw(&mut drawing);
        let job = drawing.job(&operations);
        bench.run(&job, pace, &mut random);
    }
}

fn matvecs(draw: &mut Draw) -> Vec<Operation> {
    (0..8).map(|_| draw.matvec().into()).collect()
}

#[test]
fn matvecs_leave_what_the_golden_machine_leaves() {
    check(gemv_engine, WIDE, 1, Pace::FULL, matvecs);
    check(gemv_engine, NARROW, 2, Pace::FULL, matvecs);
    check(gemv_engine, DEEP, 11, Pace::FULL, matvecs);
}

#[test]
fn attention_leaves_what_the_golden_machine_leaves() {
    let attention = |draw: &mut Draw| (0..4).flat_map(|_| draw.attention()).collect();
    check(gemv_engine, WIDE, 3, Pace::FULL, attention);
    check(gemv_engine, NARROW, 4, Pace::FULL, attention);
    check(gemv_engine, DEEP, 12, Pace::FULL, attention);
}

#[test]
fn gaps_and_back_pressure_change_nothing() {
    let slow = Pace { beat: 60, write: 30, descriptor: 10 };
    check(gemv_engine, WIDE, 5, slow, |draw| draw.mixed(8));
    check(gemv_engine, NARROW, 6, slow, |draw| draw.mixed(8));
    check(gemv_engine, DEEP, 13, slow, |draw| draw.mixed(8));
    let choked = Pace { beat: 100, write: 3, descriptor: 100 };
    check(gemv_engine, NARROW, 8, choked, |draw| draw.mixed(6));
}

/// Jobs in which each of these is withheld for long, and after which every slot is free again.
#[test]
fn all_slots_come_back_whatever_is_withheld() {
    for (config, seed) in [(NARROW, 21), (WIDE, 22), (DEEP, 23)] {
        let overlay = overlay(config);
        let mut bench = Bench::new(|d| gemv_engine(d, &overlay));
        bench.watch("u_sequencer.slots");
        let mut random = Random::new(seed);
        for held in [Held::Descriptor, Held::Beat, Held::Write] {
            bench.held = Some(held);
            let mut drawing = Draw::new(&mut random, &overlay);
            let operations = drawing.mixed(6);
            let job = drawing.job(&operations);
            bench.run(&job, Pace { beat: 100, write: 50, descriptor: 60 }, &mut random);
        }
    }
}

#[test]
fn both_engines_share_the_unit_in_order() {
    let pace = Pace { beat: 90, write: 70, descriptor: 70 };
    check(compute_unit, WIDE, 9, pace, |draw| draw.both_engines(6));
    check(compute_unit, NARROW, 10, pace, |draw| draw.both_engines(12));
    check(compute_unit, DEEP, 14, pace, |draw| draw.both_engines(6));
}
