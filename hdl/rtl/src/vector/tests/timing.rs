//! Cycle counts: the unit is part of the decode budget, so its latencies are exact.

use super::bench::Bench;
use sagen_isa::{Add, Glu, Mul, Operation, Quant, Rope};

/// Cycles from accept to done, alone in the unit.
fn cycles(operation: impl Into<Operation>) -> u64 {
    let finished = Bench::new(0).run(&[operation.into()]);
    finished[0].done - finished[0].accepted
}

#[test]
fn elementwise_descriptors_cost_one_cycle_a_word_and_a_short_drain() {
    let mul = Mul { rows: 3, words: 7, write: 1, ..Mul::default() };
    assert_eq!(cycles(mul), 21 + 7);
    assert_eq!(cycles(Add { rows: 1, words: 36, ..Add::default() }), 36 + 7);
    assert_eq!(cycles(Rope { rows: 2, words: 8, head_words: 4, ..Rope::default() }), 16 + 8);
    assert_eq!(cycles(Glu { rows: 1, words: 96, ..Glu::default() }), 96 + 11);
    let fixed = Quant { rows: 2, segments: 3, segment_words: 4, fixed: 1, ..Quant::default() };
    assert_eq!(cycles(fixed), 24 + 7);
}

#[test]
fn a_dynamic_quantisation_adds_the_scan_of_its_first_segment() {
    let quant = |rows, segments, segment_words| Quant { rows, segments, segment_words, ..Quant::default() };
    assert_eq!(cycles(quant(1, 1, 36)), 36 + 9 + 11);
    assert_eq!(cycles(Quant { norm: 1, ..quant(1, 1, 36) }), 36 + 9 + 11);
    assert_eq!(cycles(quant(16, 9, 4)), 16 * 36 + 1 + 11);
}

#[test]
fn the_next_descriptor_reads_in_the_cycle_after_the_last_write() {
    let add: Operation = Add { rows: 1, words: 36, ..Add::default() }.into();
    let finished = Bench::new(0).run(&[add, add, add]);
    assert_eq!(finished[1].done - finished[0].done, 36 + 6);
    assert_eq!(finished[2].done - finished[1].done, 36 + 6);
    let quant = Quant { rows: 1, segments: 1, segment_words: 36, ..Quant::default() };
    let mul = Mul { rows: 1, words: 36, amax: 1, ..Mul::default() };
    let finished = Bench::new(0).run(&[mul.into(), quant.into()]);
    assert_eq!(finished[1].done - finished[0].done, 36 + 9 + 12);
}
