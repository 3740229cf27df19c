//! The engine as a whole against the golden machine.

mod bench;
mod work;

use super::gemv_engine;
use crate::testing::overlay;
use bench::{Bench, Pace};
use sagen_isa::Operation;
use work::{Draw, Random};

const WIDE: &str = "d16_100mhz_w128_p6";
const NARROW: &str = "d8_100mhz";

/// Runs random jobs of one kind and checks what they leave behind.
fn check(config: &str, seed: u64, pace: Pace, draw: impl Fn(&mut Draw) -> Vec<Operation>) {
    let overlay = overlay(config);
    let mut bench = Bench::new(|d| gemv_engine(d, &overlay));
    let mut random = Random(seed);
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
    check(WIDE, 1, Pace::FULL, matvecs);
    check(NARROW, 2, Pace::FULL, matvecs);
}

#[test]
fn attention_leaves_what_the_golden_machine_leaves() {
    let attention = |draw: &mut Draw| (0..4).flat_map(|_| draw.attention()).collect();
    check(WIDE, 3, Pace::FULL, attention);
    check(NARROW, 4, Pace::FULL, attention);
}

#[test]
fn gaps_and_back_pressure_change_nothing() {
    let slow = Pace { beat: 60, write: 30, descriptor: 10 };
    check(WIDE, 5, slow, |draw| draw.mixed(8));
    check(NARROW, 6, slow, |draw| draw.mixed(8));
    let choked = Pace { beat: 100, write: 3, descriptor: 100 };
    check(NARROW, 8, choked, |draw| draw.mixed(6));
}

#[test]
fn one_job_is_timed() {
    let overlay = overlay(WIDE);
    let mut bench = Bench::new(|d| gemv_engine(d, &overlay));
    let mut random = Random(9);
    let mut drawing = Draw::new(&mut random, &overlay);
    let operations = drawing.mixed(20);
    let job = drawing.job(&operations);
    let times = bench.run(&job, Pace::FULL, &mut random);
    for i in 0..times.done.len() {
        println!("{:?} {} {} {} {}", job.work[i].operation.layout().name, times.accepted[i], times.first_beat[i], times.last_beat[i], times.done[i]);
    }
}
