//! Cycle counts: the unit is part of the decode budget, so its latencies are exact.

use super::bench::{Bench, FORMS, Form};
use sagen_streamed_isa::{Add, Glu, Mul, Operation, Quant, Rope};

/// Cycles from accept to done, alone in the unit.
fn cycles(form: Form, operation: impl Into<Operation>) -> u64 {
    let finished = Bench::new(form, 0).run(&[operation.into()]);
    finished[0].done - finished[0].accepted
}

/// Cycles that a deep unit takes on top: for decoding and a register of `done`, and from first read to last write.
fn more(form: Form) -> (u64, u64) {
    if form.clock_mhz > 125 { (4, 4) } else { (0, 0) }
}

#[test]
fn elementwise_descriptors_cost_one_cycle_a_part_and_a_short_drain() {
    for form in FORMS {
        let (decode, drain) = more(form);
        let (p, more) = (form.parts(), decode + drain);
        let mul = Mul { rows: 3, words: 7, write: true, ..Mul::default() };
        assert_eq!(cycles(form, mul), p * 21 + 7 + more, "{form:?}");
        assert_eq!(cycles(form, Add { rows: 1, words: 36, ..Add::default() }), p * 36 + 7 + more, "{form:?}");
        let rope = Rope { rows: 2, words: 8, head_words: 4, ..Rope::default() };
        assert_eq!(cycles(form, rope), p * 16 + 8 + more, "{form:?}");
        // So does the gate, by three more registers.
        let gate = if more > 0 { 3 } else { 0 };
        assert_eq!(cycles(form, Glu { rows: 1, words: 96, ..Glu::default() }), p * 96 + 11 + more + gate, "{form:?}");
        let fixed = Quant { rows: 2, segments: 3, segment_words: 4, fixed: true, ..Quant::default() };
        assert_eq!(cycles(form, fixed), p * 24 + 7 + more, "{form:?}");
    }
}

#[test]
fn a_dynamic_quantisation_adds_the_scan_of_its_first_segment() {
    for form in FORMS {
        let (decode, drain) = more(form);
        let (p, more) = (form.parts(), decode + drain);
        let quant = |rows, segments, segment_words| Quant { rows, segments, segment_words, ..Quant::default() };
        assert_eq!(cycles(form, quant(1, 1, 36)), p * 36 + 9 + 11 + more, "{form:?}");
        assert_eq!(cycles(form, Quant { norm: true, ..quant(1, 1, 36) }), p * 36 + 9 + 11 + more, "{form:?}");
        assert_eq!(cycles(form, quant(16, 9, 4)), p * 16 * 36 + 1 + 11 + more, "{form:?}");
    }
}

#[test]
fn the_next_descriptor_reads_in_the_cycle_after_the_last_write() {
    for form in FORMS {
        let (p, (_, drain)) = (form.parts(), more(form));
        let add: Operation = Add { rows: 1, words: 36, ..Add::default() }.into();
        let finished = Bench::new(form, 0).run(&[add, add, add]);
        assert_eq!(finished[1].done - finished[0].done, p * 36 + 6 + drain, "{form:?}");
        assert_eq!(finished[2].done - finished[1].done, p * 36 + 6 + drain, "{form:?}");
        let quant = Quant { rows: 1, segments: 1, segment_words: 36, ..Quant::default() };
        let mul = Mul { rows: 1, words: 36, amax: true, ..Mul::default() };
        // The scan waits until the tree of magnitudes is empty; that of a deep unit has one register a level.
        let tree = if drain > 0 { u64::from(form.lanes.ilog2()) - 2 } else { 0 };
        let finished = Bench::new(form, 0).run(&[mul.into(), quant.into()]);
        assert_eq!(finished[1].done - finished[0].done, p * 36 + 9 + 12 + drain + tree, "{form:?}");
    }
}
