//! What the golden machine costs: single descriptors, and tokens of a model's shape with random weights.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sagen_checkpoint::shape::Shape;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::{Calibration, CompileOptions, compile};
use sagen_streamed_arch::step::Slot;
use sagen_streamed_arch::{Device, ModelProgram, Routine, RoutineKind, StreamedConfig, config};
use sagen_streamed_golden::Machine;
use sagen_streamed_isa::{CHUNK_ROWS, Operation, register};
use std::hint::black_box;
use std::time::Duration;

const OVERLAY: &str = "d16_100mhz_w128_p6";
const MODEL: &str = "smollm2";
const SEED: u64 = 1;

/// A routine, the tokens it takes or gives, and the position of the first.
struct Case {
    name: &'static str,
    kind: RoutineKind,
    tokens: u64,
    position: usize,
}

const DECODE: RoutineKind = RoutineKind::Decode { rows: 1 };
const CASES: [Case; 3] = [
    Case { name: "decode@32", kind: DECODE, tokens: 1, position: 32 },
    Case { name: "decode@1024", kind: DECODE, tokens: 1, position: 1024 },
    Case { name: "prefill@32", kind: RoutineKind::Prefill, tokens: CHUNK_ROWS as u64, position: 32 },
];

fn compiled(overlay: &StreamedConfig) -> ModelProgram {
    let shape = Shape::find(MODEL).expect("the shape is known").config().expect("the shape is legal");
    let checkpoint = Checkpoint::random(shape, SEED).expect("the shape can be filled");
    let calibration = Calibration::assumed(checkpoint.config());
    compile(&checkpoint, &calibration, overlay, &CompileOptions::default()).expect("the overlay can run it")
}

impl Case {
    fn routine<'a>(&self, compiled: &'a ModelProgram) -> &'a Routine {
        compiled.program.routine(self.kind, Slot::default()).expect("every program has it")
    }

    fn prepare(&self, machine: &mut Machine) {
        for (register, value) in register::step(self.position, self.tokens as usize) {
            machine.set_register(register, value as u32).expect("the register exists");
        }
    }
}

/// Whole steps.
fn tokens(c: &mut Criterion, machine: &mut Machine, compiled: &ModelProgram) {
    let mut group = c.benchmark_group(MODEL);
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(5));
    for case in &CASES {
        case.prepare(machine);
        group.throughput(Throughput::Elements(case.tokens));
        let routine = case.routine(compiled);
        group.bench_function(case.name, |b| {
            b.iter(|| black_box(machine.run(routine).expect("the routine is legal")));
        });
    }
}

/// Descriptors by type, each the first of its kind.
fn descriptors(c: &mut Criterion, overlay: &StreamedConfig, machine: &mut Machine, compiled: &ModelProgram) {
    let mut group = c.benchmark_group("descriptor");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for case in &CASES[1..] {
        case.prepare(machine);
        let steps = &case.routine(compiled).steps;
        let (mut seen, mut stream) = (Vec::new(), 0);
        machine.begin();
        for (index, step) in steps.iter().enumerate() {
            let name = step.descriptor.operation.layout().name;
            if matches!(step.descriptor.operation, Operation::Stream(_)) {
                stream = index;
            } else if !seen.contains(&name) {
                seen.push(name);
                let beats = machine.beats_taken(&step.descriptor.operation);
                let bytes = beats * overlay.beat_bytes() as u64;
                group.throughput(if bytes > 0 { Throughput::Bytes(bytes) } else { Throughput::Elements(case.tokens) });
                group.bench_function(format!("{name} x {}", case.tokens), |b| {
                    b.iter(|| {
                        if beats > 0 {
                            machine.begin();
                            machine.step(stream, &steps[stream]).expect("the stream is legal");
                        }
                        machine.step(index, step).expect("the descriptor is legal");
                    });
                });
            }
        }
    }
}

fn golden(c: &mut Criterion) {
    let overlay = config::named(OVERLAY).expect("the overlay is known");
    let compiled = compiled(&overlay);
    let mut machine = Machine::new(&overlay);
    machine.load(&compiled.program).expect("the program is the overlay's");
    tokens(c, &mut machine, &compiled);
    descriptors(c, &overlay, &mut machine, &compiled);
}

criterion_group!(benches, golden);
criterion_main!(benches);
