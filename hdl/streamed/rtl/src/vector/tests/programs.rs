//! Random programs: every write of every vector descriptor equals the golden machine's.

use super::bench::{Bench, FORMS, Form};
use crate::testing::overlay;
use sagen_streamed_arch::{Device, Instruction, Label};
use sagen_streamed_fuzz::program::random_program;
use sagen_streamed_golden::{Machine, Write};
use sagen_streamed_isa::{Descriptor, Mul, Operation, Quant, Rows, Unit};

/// Vector descriptors that run back to back, and what they must write.
#[derive(Default)]
struct Burst {
    operations: Vec<Operation>,
    expected: Vec<Vec<Write>>,
}

impl Burst {
    fn run(&mut self, bench: &mut Bench) {
        let burst = std::mem::take(self);
        let finished = bench.run(&burst.operations);
        for ((operation, expected), found) in burst.operations.iter().zip(&burst.expected).zip(&finished) {
            assert!(found.writes == *expected, "{operation:?}\nfound    {:?}\nexpected {expected:?}", found.writes);
        }
    }
}

/// Replay the steps that `keep` admits; those that have become illegal without the others are left out.
fn replay(form: Form, seed: u64, gaps: u64, size: usize, keep: impl Fn(&Operation) -> bool) {
    let overlay = form.of(&overlay("d16_100mhz_w128_p6"));
    let random = random_program(&overlay, seed, size);
    let (mut machine, mut bench) = (Machine::new(&overlay), Bench::new(form, seed));
    bench.gaps = gaps;
    machine.load(&random.program).unwrap();
    for (register, value) in &random.registers {
        machine.set_register(*register, *value).unwrap();
        bench.set_register(register.index(), *value);
    }
    machine.begin();
    let mut burst = Burst::default();
    let steps: Vec<&Instruction> = random.routine.steps.iter().filter(|s| keep(&s.descriptor.operation)).collect();
    for (index, step) in steps.into_iter().enumerate() {
        let Ok(writes) = machine.step_logged(index, step) else { continue };
        if step.descriptor.unit() == Unit::Vector {
            burst.operations.push(step.descriptor.operation);
            burst.expected.push(writes);
        } else {
            burst.run(&mut bench);
            writes.iter().for_each(|w| bench.apply(w));
        }
    }
    burst.run(&mut bench);
}

/// Vector descriptors only, and the loads that give them values.
fn alone(operation: &Operation) -> bool {
    matches!(operation.layout().unit, Unit::Vector | Unit::Load)
}

#[test]
fn vector_descriptors_back_to_back_write_what_the_golden_machine_writes() {
    for form in FORMS {
        for seed in 0..6 {
            replay(form, seed, 0, 60, alone);
        }
    }
}

#[test]
fn gaps_between_descriptors_change_nothing() {
    for form in FORMS {
        for seed in 100..104 {
            replay(form, seed, 30, 40, alone);
        }
    }
}

#[test]
fn vector_descriptors_among_those_of_other_units_write_what_the_golden_machine_writes() {
    for form in FORMS {
        for seed in 200..203 {
            replay(form, seed, 3, 60, |_| true);
        }
    }
}

#[test]
fn the_short_last_group_of_a_row_is_recorded() {
    FORMS.into_iter().for_each(short_last_group);
}

fn short_last_group(form: Form) {
    let overlay = overlay("d16_100mhz_w128_p6");
    let (mut machine, mut bench) = (Machine::new(&overlay), Bench::new(form, 7));
    let record = |words, immediate| {
        Operation::from(Mul {
            rows: 2,
            words,
            left_immediate: true,
            right_immediate: true,
            immediate,
            amax: true,
            ..Mul::default()
        })
    };
    let quant = Quant {
        rows: 2,
        segments: 1,
        segment_words: 8,
        to: Rows::spaced(2),
        factor_mantissa: 1 << 15,
        factor_exponent: -20,
        scales: Rows::spaced(1),
        ..Quant::default()
    };
    let mut burst = Burst::default();
    for operation in [record(8, 2000), record(5, 1000), Operation::from(quant)] {
        let step = Instruction { descriptor: Descriptor::new(operation), label: Label::default() };
        burst.expected.push(machine.step_logged(0, &step).unwrap());
        burst.operations.push(operation);
    }
    burst.run(&mut bench);
}
