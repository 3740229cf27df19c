//! What the golden machine costs: single descriptors, and tokens of a model's shape.

mod shaped;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sagen_config::Board;
use sagen_streamed_arch::{Device, StreamedConfig, config};
use sagen_streamed_golden::Machine;
use sagen_streamed_isa::Operation;
use shaped::{SMOLLM2, Shape};
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

fn overlay() -> StreamedConfig {
    let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../configs");
    let read = |name: &str| std::fs::read_to_string(configs.join(name)).expect("the config exists");
    let board: Board = sagen_config::parse("kv260", &read("boards/kv260.yaml")).expect("the board is legal");
    config::overlay("d16", &read("d16_100mhz_w128_p6.yaml"), &[board]).expect("the overlay is legal")
}

fn machine(overlay: &StreamedConfig, program: &sagen_streamed_arch::Program, position: u64) -> Machine {
    let mut machine = Machine::new(overlay);
    machine.load(program).expect("the program is legal");
    machine.set_register(sagen_streamed_isa::register::POSITION, position as u32).expect("the register exists");
    machine
}

/// Whole steps: one token decoded, 16 prefilled.
fn tokens(c: &mut Criterion) {
    let overlay = overlay();
    let mut group = c.benchmark_group("smollm2");
    group.sample_size(10).warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(5));
    for (name, rows, position) in [("decode@32", 1, 32), ("decode@1024", 1, 1024), ("prefill@32", 16, 32)] {
        let program = shaped::program(&overlay, SMOLLM2, rows, position);
        let mut machine = machine(&overlay, &program, position);
        group.throughput(Throughput::Elements(rows));
        group.bench_function(name, |b| {
            b.iter(|| black_box(machine.run(&program.routines[0]).expect("the routine is legal")));
        });
    }
}

/// The descriptors of one layer, by type.
fn descriptors(c: &mut Criterion) {
    let overlay = overlay();
    let shape = Shape { layers: 1, vocabulary: 4096, ..SMOLLM2 };
    let mut group = c.benchmark_group("descriptor");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for (rows, position) in [(1, 1024), (16, 32)] {
        let program = shaped::program(&overlay, shape, rows, position);
        let mut machine = machine(&overlay, &program, position);
        let steps = &program.routines[0].steps;
        let mut seen = Vec::new();
        machine.begin();
        for (index, step) in steps.iter().enumerate() {
            machine.step(index, step).expect("the descriptor is legal");
            let name = step.descriptor.operation.layout().name;
            if matches!(step.descriptor.operation, Operation::Stream(_)) || seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let beats = machine.beats_taken(&step.descriptor.operation);
            let bytes = beats * overlay.beat_bytes() as u64;
            group.throughput(if bytes > 0 { Throughput::Bytes(bytes) } else { Throughput::Elements(rows) });
            group.bench_function(format!("{name} x {rows}"), |b| {
                b.iter(|| {
                    if beats > 0 {
                        machine.begin();
                        machine.step(index, &steps[index - 1]).expect("the stream is legal");
                    }
                    machine.step(index, step).expect("the descriptor is legal");
                });
            });
        }
    }
}

criterion_group!(benches, tokens, descriptors);
criterion_main!(benches);
