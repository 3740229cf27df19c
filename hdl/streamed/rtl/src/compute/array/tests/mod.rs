//! The engine on the interpreter against golden arithmetic, with gaps on every interface, and its cycle counts.

mod bench;
mod lint;
mod work;

use super::geometry::Geometry;
use crate::testing::Random;
use bench::{Bench, Pace, Run};
use sagen_streamed_isa::{Matmul, Rows};
use work::{Memories, Work};

const ONE_ARRAY: Geometry = Geometry { side: 16, arrays: 1, beat: 64, packed: true, deep: false };
const FOUR_ARRAYS: Geometry = Geometry { arrays: 4, ..ONE_ARRAY };
const SMALL: Geometry = Geometry { side: 8, beat: 8, packed: false, ..ONE_ARRAY };
const LARGE: Geometry = Geometry { side: 32, ..ONE_ARRAY };

/// The same with registers for a fast clock.
fn deep(g: Geometry) -> Geometry {
    Geometry { deep: true, ..g }
}

/// A few random descriptors in one go.
fn random_run(g: Geometry, seed: u64, count: usize, pace: Pace) -> Run {
    let mut random = Random::new(seed);
    let memories = Memories::random(&mut random);
    let mut free = 0;
    let list: Vec<Work> = (0..count).map(|_| Work::random(g, &memories, &mut random, &mut free)).collect();
    Bench::new(g, memories).run(&list, pace, &mut random)
}

fn replay(g: Geometry) {
    for seed in 1..=3 {
        random_run(g, seed, 4, Pace::FULL);
        random_run(g, seed + 100, 4, Pace { beat: 50, write: 30, descriptor: 5 });
    }
    random_run(g, 7, 3, Pace { beat: 100, write: 3, descriptor: 100 });
    random_run(g, 8, 3, Pace { beat: 10, write: 100, descriptor: 100 });
}

/// As many arrays as every width of a beat allows.
fn every_ratio(side: u32, allowed: [(u32, &[u32]); 4], packed: bool) {
    for (beat, arrays) in allowed {
        for arrays in arrays {
            random_run(Geometry { side, arrays: *arrays, beat, packed, deep: false }, 1, 3, Pace::FULL);
            random_run(
                Geometry { side, arrays: *arrays, beat, packed, deep: true },
                2,
                3,
                Pace { beat: 70, ..Pace::FULL },
            );
        }
    }
}

#[test]
fn one_array_gives_the_golden_results() {
    replay(ONE_ARRAY);
    replay(deep(ONE_ARRAY));
}

#[test]
fn four_arrays_give_the_golden_results() {
    replay(FOUR_ARRAYS);
    replay(deep(FOUR_ARRAYS));
}

#[test]
fn the_small_array_gives_the_golden_results() {
    replay(SMALL);
    replay(deep(SMALL));
}

#[test]
fn the_large_array_gives_the_golden_results() {
    replay(LARGE);
    replay(deep(LARGE));
}

#[test]
fn sums_of_extreme_products_are_exact() {
    for g in [ONE_ARRAY, deep(ONE_ARRAY), SMALL, Geometry { packed: true, ..SMALL }, LARGE, deep(LARGE)] {
        for codes in [[-128; 2], [127; 2], [-128, 127]] {
            let mut random = Random::new(1);
            let memories = Memories::alternating(&mut random, codes);
            let matmul = Matmul {
                codes: Rows::spaced(1),
                rows: 16,
                groups: 2,
                blocks: 3,
                to: Rows::spaced(3),
                shift: 16,
                ..Matmul::default()
            };
            let work = Work::weighted(g, &memories, &mut random, matmul, |_, block, row, channel| {
                let pair = row / 2;
                let pattern = if row % 2 == 0 { pair } else { pair + pair / 4 + 2 * block as usize };
                [[-128; 2], [127; 2], [-128, 127], [127, -128]][pattern % 4][channel % 2]
            });
            Bench::new(g, memories).run(&[work], Pace::FULL, &mut random);
        }
    }
}

#[test]
fn every_ratio_of_side_to_beat_gives_the_golden_results() {
    for packed in [false, true] {
        every_ratio(8, [(8, &[1]), (16, &[1, 2]), (32, &[1, 2, 4]), (64, &[1, 2, 4])], packed);
        every_ratio(16, [(8, &[1]), (16, &[1]), (32, &[1, 2]), (64, &[1, 2, 4])], packed);
        every_ratio(32, [(8, &[1]), (16, &[1]), (32, &[1]), (64, &[1])], packed);
    }
}

/// K = 576, N = 192, 16 rows, `count` times.
fn full_speed(g: Geometry, count: u64) -> Run {
    let mut random = Random::new(1);
    let memories = Memories::random(&mut random);
    let base = Matmul {
        codes: Rows::spaced(9),
        rows: 16,
        groups: 9,
        blocks: 12,
        to: Rows::spaced(12),
        shift: 24,
        ..Matmul::default()
    };
    let matmul =
        |i| Matmul { to: Rows { base: 192 * i, ..base.to }, scales: Rows { stride: 1, ..base.scales }, ..base };
    let list: Vec<Work> = (0..count).map(|i| Work::new(g, &memories, &mut random, matmul(i))).collect();
    Bench::new(g, memories).run(&list, Pace::FULL, &mut random)
}

/// Cycles that a product of 16 x 576 x 192 takes at one multiplication per element and cycle.
fn least(g: Geometry) -> u64 {
    16 * 576 * 192 / u64::from(g.side * g.side * g.arrays)
}

#[test]
fn one_array_never_pauses_from_the_first_tile_of_a_descriptor_to_the_last_of_the_next() {
    for (g, overhead) in [(ONE_ARRAY, 94), (deep(ONE_ARRAY), 97), (SMALL, 93), (deep(SMALL), 96)] {
        for count in [1, 3] {
            let run = full_speed(g, count);
            assert_eq!((run.active, run.span), (count * least(g), count * least(g)), "{g:?}");
            assert_eq!(run.cycles, count * least(g) + overhead, "{g:?}");
        }
    }
}

#[test]
fn arrays_for_a_whole_beat_are_as_fast_as_the_stream() {
    let fast = [(FOUR_ARRAYS, 95), (deep(FOUR_ARRAYS), 98), (LARGE, 95), (deep(LARGE), 98)];
    for (g, overhead) in fast {
        for count in [1, 3] {
            let run = full_speed(g, count);
            assert_eq!(run.active, count * least(g), "{g:?}");
            assert_eq!(run.cycles, count * 12 * (144 + 1) + overhead, "{g:?}");
        }
    }
}
