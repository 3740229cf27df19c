//! A small random model on the golden machine: every way to the same tokens leaves the same bits.

use std::sync::Arc;

use expect_test::expect;
use sagen_checkpoint::reference::Reference;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::{Calibration, CompileOptions, Fusion, compile, compile_shape};
use sagen_engine::{Row, Session, Slot, Step};
use sagen_runtime::quality;
use sagen_streamed_arch::{Device, ModelProgram, RoutineKind, StreamedConfig};
use sagen_streamed_golden::machine::Machine;
use sagen_streamed_isa::Operation;
use small::{LARGE, config, fixture, options, overlay, overlay_with};

mod small;

const SMALL: &str = "d8_100mhz";

/// Feed-forward tiles of one layer.
fn tiles(program: &ModelProgram) -> usize {
    let steps = &program.program.routine(RoutineKind::Prefill, Slot(0)).unwrap().steps;
    let glu = |s: &&sagen_streamed_arch::Instruction| matches!(s.descriptor.operation, Operation::Glu(_));
    steps.iter().filter(glu).count() / config().layers
}

/// Longer than a chunk, and not a multiple of one.
fn prompt() -> Vec<u32> {
    (0..21).map(|i| i * 37 % 203).collect()
}

/// Keys and values of the first positions, in the order of channels.
fn cache(compiled: &ModelProgram, device: &mut dyn Device, positions: usize) -> Vec<u8> {
    let kv = compiled.cache.layout;
    let mut ports = vec![vec![0; kv.bytes()]; kv.beat.ports];
    for (port, bytes) in (0..).zip(&mut ports) {
        let base = compiled.cache.base + port * compiled.cache.port_stride;
        device.read_ddr(base, bytes).unwrap();
    }
    let mut rows = Vec::new();
    for layer in 0..kv.layers {
        for head in 0..kv.heads {
            for position in 0..positions {
                for channel in 0..kv.head_dim {
                    for (port, at) in
                        [kv.key_at(layer, head, position, channel), kv.value_at(layer, head, position, channel)]
                    {
                        rows.push(ports[port][at]);
                    }
                }
            }
        }
    }
    rows
}

/// What a way of generating leaves behind.
#[derive(Debug, PartialEq)]
struct Outcome {
    tokens: Vec<u32>,
    cache: Vec<u8>,
}

fn outcome(overlay: &StreamedConfig, options: &CompileOptions, run: impl Fn(&mut Session<'_>) -> Vec<u32>) -> Outcome {
    let compiled = fixture(overlay, options);
    let mut machine = Machine::new(overlay);
    machine.load(&compiled.program).unwrap();
    let mut session = Session::new(&mut machine, &compiled, |_| {});
    let tokens = run(&mut session);
    let positions = session.tokens().len();
    drop(session);
    Outcome { tokens, cache: cache(&compiled, &mut machine, positions) }
}

fn generate(session: &mut Session<'_>) -> Vec<u32> {
    session.generate(&prompt(), 5, &[], |_| {}).unwrap()
}

#[test]
fn prefill_leaves_the_bits_of_decoding_the_same_tokens() {
    let decoded = outcome(&overlay(LARGE), &options(), |session| {
        let mut tokens = vec![session.prefill_by_decode(&prompt()).unwrap()];
        for _ in 0..4 {
            tokens.push(session.decode_step(tokens[tokens.len() - 1]).unwrap());
        }
        tokens
    });
    assert_eq!(outcome(&overlay(LARGE), &options(), generate), decoded);
    assert!(decoded.cache.iter().filter(|code| **code != 0).count() > decoded.cache.len() / 2);
    let distinct: std::collections::BTreeSet<_> = decoded.tokens.iter().collect();
    assert!(distinct.len() > 1, "a constant output would hide differences: {:?}", decoded.tokens);
}

#[test]
fn a_prompt_in_two_parts_leaves_the_bits_of_one() {
    let parts = outcome(&overlay(LARGE), &options(), |session| {
        session.prefill(&prompt()[..5]).unwrap();
        session.decode_step(prompt()[5]).unwrap();
        session.generate(&prompt()[6..], 5, &[], |_| {}).unwrap()
    });
    assert_eq!(outcome(&overlay(LARGE), &options(), generate), parts);
}

#[test]
fn fusion_changes_no_bit() {
    let apart = CompileOptions { fuse: Fusion::NONE, ..options() };
    assert_eq!(outcome(&overlay(LARGE), &options(), generate), outcome(&overlay(LARGE), &apart, generate));
}

#[test]
fn another_overlay_changes_no_bit() {
    let large = outcome(&overlay(LARGE), &options(), generate);
    assert_eq!(outcome(&overlay(SMALL), &options(), generate), large);
    // Too small for the feed-forward part in one tile.
    let cramped = overlay_with(LARGE, |file, _| file.scratchpad.vector_words = 1024);
    let tiled = |overlay| tiles(&fixture(overlay, &options()));
    assert_eq!((tiled(&overlay(LARGE)), tiled(&cramped) > 1), (1, true));
    assert_eq!(outcome(&cramped, &options(), generate), large);
}

#[test]
fn logits_are_those_that_the_argmax_saw() {
    let with_logits = CompileOptions { logits: true, ..options() };
    let chosen = outcome(&overlay(LARGE), &with_logits, |session| {
        let next = session.prefill(&prompt()).unwrap();
        let logits = session.logits().unwrap();
        assert_eq!(logits.len(), 203);
        assert!(logits.iter().all(|l| *l <= logits[next as usize]));
        let second = session.decode_step(next).unwrap();
        let logits = session.logits().unwrap();
        assert!(logits.iter().all(|l| *l <= logits[second as usize]));
        vec![next, second]
    });
    let plain = outcome(&overlay(LARGE), &options(), |session| session.generate(&prompt(), 2, &[], |_| {}).unwrap());
    assert_eq!(chosen.tokens, plain.tokens);
}

#[test]
fn logits_that_leave_in_several_runs_are_numbered_through() {
    let (overlay, mut config) = (overlay(LARGE), config());
    config.vocab = 5000;
    let choose = |logits| {
        let options = CompileOptions { logits, ..options() };
        let compiled = Arc::new(compile_shape(config.clone(), 7, &overlay, &options).unwrap());
        let mut machine = Machine::new(&overlay);
        machine.load(&compiled.program).unwrap();
        let mut session = Session::new(&mut machine, &compiled, |_| {});
        let mut tokens = vec![4321];
        for _ in 0..8 {
            let next = session.decode_step(tokens[tokens.len() - 1]).unwrap();
            if logits {
                let found = session.logits().unwrap();
                assert!(found.iter().all(|l| *l <= found[next as usize]));
            }
            tokens.push(next);
        }
        tokens
    };
    let tokens = choose(true);
    assert_eq!(tokens, choose(false));
    // A run is 128 blocks of 16 ids.
    assert!(tokens[1..].iter().any(|t| *t >= 2048), "{tokens:?}");
}

#[test]
fn a_compiled_model_agrees_with_the_float_reference() {
    let overlay = overlay(LARGE);
    let checkpoint = Checkpoint::random(config(), 7).unwrap();
    let reference = Reference::load(&checkpoint).unwrap();
    let tokens: Vec<u32> = (0..60).map(|i| i * 61 % 203).collect();
    let calibration = Calibration::measure_tokens(&reference, std::slice::from_ref(&tokens)).unwrap();
    let options = CompileOptions { logits: true, ..options() };
    let compiled = Arc::new(compile(&checkpoint, &calibration, &overlay, &options).unwrap());
    let quality = quality::on_golden(&overlay, &compiled, &checkpoint, &tokens).unwrap();
    assert_eq!(quality.positions, 60);
    assert!(quality.kl < 2e-3 && quality.top1 > 0.9, "{quality:?}");
}

#[test]
fn impossible_requests_are_refused_and_change_nothing() {
    let compiled = fixture(&overlay(LARGE), &options());
    let mut machine = Machine::new(&overlay(LARGE));
    machine.load(&compiled.program).unwrap();
    let mut session = Session::new(&mut machine, &compiled, |_| {});
    expect!["the prompt has 0 tokens, at least 1 is needed"].assert_eq(&session.prefill(&[]).unwrap_err().to_string());
    expect!["the sequence would have 65 tokens, the program was compiled for a context of 64"]
        .assert_eq(&session.prefill(&[1; 65]).unwrap_err().to_string());
    expect!["token id is 203, the vocabulary has 203 ids"].assert_eq(&session.prefill(&[203]).unwrap_err().to_string());
    expect!["the program was compiled without logits"].assert_eq(&session.logits().unwrap_err().to_string());
    assert!(session.tokens().is_empty());
    session.prefill(&[1; 64]).unwrap();
    expect!["the sequence would have 65 tokens, the program was compiled for a context of 64"]
        .assert_eq(&session.decode_step(1).unwrap_err().to_string());
}

#[test]
fn every_run_is_reported_with_its_tokens() {
    let compiled = fixture(&overlay(LARGE), &options());
    let mut machine = Machine::new(&overlay(LARGE));
    machine.load(&compiled.program).unwrap();
    let mut steps = Vec::new();
    let mut session = Session::new(&mut machine, &compiled, |done| {
        assert_eq!(done.next.len(), usize::from(!matches!(done.step, Step::Chunk { .. })));
        steps.push(done.step.clone());
    });
    let next = session.prefill(&prompt()).unwrap();
    session.decode_step(next).unwrap();
    drop(session);
    let slot = Slot(0);
    let prompt = prompt();
    let expected = Step::prompt(slot, &prompt).chain([Step::Decode(vec![Row { slot, position: 21, token: next }])]);
    assert_eq!(steps, expected.collect::<Vec<_>>());
}
