//! Cycle counts of the GEMV engine, as `docs/units/compute.md` states them: full streams, no back-pressure.

use super::bench::{Bench, Pace, Times};
use super::work::Draw;
use super::{DEEP, NARROW, WIDE};
use crate::compute::gemv::gemv_engine;
use crate::testing::Random;
use crate::testing::overlay;
use sagen_streamed_isa::{Matvec, Operation, Rows, Score, WeightedSum};

/// Runs a job on an idle engine.
fn times(config: &str, operations: &[Operation]) -> Times {
    let overlay = overlay(config);
    let mut bench = Bench::new(|d| gemv_engine(d, &overlay));
    let mut random = Random::new(1);
    let job = Draw::new(&mut random, &overlay).job(operations);
    bench.run(&job, Pace::FULL, &mut random)
}

fn matvec(vectors: u64) -> Operation {
    let scaled = Matvec {
        groups: 2,
        blocks: 3,
        codes: Rows::spaced(5),
        to: Rows::spaced(3),
        shift: 20,
        write: true,
        ..Matvec::default()
    };
    Matvec { vectors, ..scaled }.into()
}

fn attention(vectors: u64, groups: u64) -> [Operation; 3] {
    let score = Score {
        vectors,
        groups,
        blocks: 2,
        codes: Rows::spaced(5),
        scales: Rows::spaced(1),
        shift: 24,
        ..Score::default()
    };
    let sum =
        WeightedSum { vectors, keys: 30, to_stride: 4, value_mantissa: 0x8000, shift: 7, ..WeightedSum::default() };
    [score.into(), sum.into(), score.into()]
}

#[test]
fn beats_of_a_descriptor_follow_each_other_without_a_gap() {
    for (config, group_beats) in [(WIDE, 1), (NARROW, 8), (DEEP, 1)] {
        let t = times(config, &[matvec(4)]);
        assert_eq!(t.last_beat[0] - t.first_beat[0] + 1, 3 * (1 + 2 * 16) * group_beats);
        let [score, sum, _] = attention(4, 1);
        let t = times(config, &[score, sum]);
        assert_eq!(t.last_beat[0] - t.first_beat[0] + 1, 2 * 16 * group_beats);
        assert_eq!(t.last_beat[1] - t.first_beat[1] + 1, 30);
    }
}

#[test]
fn matvecs_follow_each_other_without_a_gap() {
    for config in [WIDE, NARROW, DEEP] {
        let t = times(config, &[matvec(1), matvec(4), matvec(2)]);
        assert_eq!([t.first_beat[1] - t.last_beat[0], t.first_beat[2] - t.last_beat[1]], [1, 1]);
    }
}

#[test]
fn a_descriptor_ends_soon_after_its_last_beat() {
    for vectors in 1..=4 {
        let t = times(WIDE, &[matvec(vectors)]);
        assert_eq!(t.done[0] - t.last_beat[0], 13 + vectors);
        let t = times(NARROW, &[matvec(vectors)]);
        assert_eq!(t.done[0] - t.last_beat[0], 12 + vectors);
        for (config, lanes, score) in [(WIDE, 64, 12), (NARROW, 8, 11)] {
            let t = times(config, &attention(vectors, 1));
            assert_eq!(t.done[0] - t.last_beat[0], score);
            assert_eq!(t.done[1] - t.last_beat[1], 24 + lanes + vectors);
        }
    }
}

#[test]
fn attention_waits_little_between_its_parts() {
    for (config, weights, next) in [(WIDE, 21, 80), (NARROW, 20, 32)] {
        let t = times(config, &attention(4, 1));
        assert_eq!(t.first_beat[1] - t.last_beat[0], weights, "last score to first weight");
        assert_eq!(t.first_beat[2] - t.last_beat[1], next, "last weight to next score");
    }
}

#[test]
fn an_idle_engine_starts_soon() {
    let start = |operation: Operation| {
        let t = times(WIDE, &[operation]);
        t.first_beat[0] - t.accepted[0]
    };
    assert_eq!([1, 4].map(|vectors| start(matvec(vectors))), [5, 8]);
}
