//! Slots, steps and threads, with a small random model on the golden machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use expect_test::expect;
use sagen_compile::CompileOptions;
use sagen_engine::{Batch, Engine, EngineError, Row, Sampling, Session, Slot, Step};
use sagen_streamed_arch::{Device, DeviceError, ModelProgram, Region, RegionKind};
use sagen_streamed_golden::machine::Machine;
use small::{LARGE, fixture, options, overlay};

mod small;

const SLOT: Slot = Slot(0);

fn prompt() -> Vec<u32> {
    (0..21).map(|i| i * 37 % 203).collect()
}

fn program(logits: bool) -> Arc<ModelProgram> {
    fixture(&overlay(LARGE), &CompileOptions { logits, ..options() })
}

fn loaded(program: &ModelProgram) -> Machine {
    let mut machine = Machine::new(&overlay(LARGE));
    machine.load(&program.program).unwrap();
    machine
}

fn batch(program: &Arc<ModelProgram>) -> Batch<'static> {
    Batch::new(Box::new(loaded(program)), Arc::clone(program))
}

/// The tokens that follow the prompt, chosen by the device.
fn greedy(program: &Arc<ModelProgram>, count: usize) -> Vec<u32> {
    let mut machine = loaded(program);
    Session::new(&mut machine, program, |_| {}).generate(&prompt(), count, &[], |_| {}).unwrap()
}

/// Prefill the prompt; the token after it.
fn begin(batch: &mut Batch<'_>) -> u32 {
    batch.prefill(SLOT, &prompt()[..16]).unwrap();
    batch.prefill(SLOT, &prompt()[16..]).unwrap();
    batch.head(SLOT, 4).unwrap().next[0]
}

#[test]
fn more_than_the_program_has_is_refused_by_number() {
    let mut batch = batch(&program(false));
    let refuses = |result: Result<_, EngineError>, text: expect_test::Expect| {
        text.assert_eq(&result.map(|_: sagen_engine::Done| ()).unwrap_err().to_string());
    };
    refuses(
        batch.decode(&[(Slot(1), 3)]),
        expect!["slot 1 does not exist, the program was compiled for 1, numbered from 0"],
    );
    refuses(
        batch.decode(&[(SLOT, 3), (SLOT, 4)]),
        expect!["a decode of 2 rows was asked for, the program was compiled for 1 to 1"],
    );
    refuses(batch.prefill(SLOT, &[1; 17]), expect!["17 tokens do not fit the chunk: 16 of its positions are free"]);
    let late = Step::Decode(vec![Row { slot: SLOT, position: 5, token: 1 }]);
    refuses(batch.run(late), expect!["the step is at position 5, slot 0 continues at 0"]);
    expect!["slot 0 holds 0 tokens, 1 cannot be kept"].assert_eq(&batch.rewind(SLOT, 1).unwrap_err().to_string());
    assert!(batch.tokens(SLOT).unwrap().is_empty());
}

#[test]
fn a_head_needs_a_row_of_the_chunk_that_the_device_holds() {
    let mut batch = batch(&program(false));
    let refuses = |batch: &mut Batch<'_>, row| {
        let text = format!("row {row} of slot 0 is not in the device: its last run is no chunk with such a row");
        assert_eq!(batch.head(SLOT, row).unwrap_err().to_string(), text);
    };
    refuses(&mut batch, 0);
    let next = begin(&mut batch);
    assert_eq!(batch.head(SLOT, 4).unwrap().next, [next]);
    refuses(&mut batch, 5);
    batch.decode(&[(SLOT, next)]).unwrap();
    refuses(&mut batch, 4);
}

#[test]
fn a_slot_that_was_rewound_has_no_trace_of_what_was_there() {
    let program = program(false);
    let expected = greedy(&program, 4);
    let mut batch = batch(&program);
    batch.prefill(SLOT, &prompt()[..9]).unwrap();
    for token in [5, 6, 7] {
        batch.decode(&[(SLOT, token)]).unwrap();
    }
    batch.rewind(SLOT, 9).unwrap();
    batch.prefill(SLOT, &prompt()[9..16]).unwrap();
    batch.prefill(SLOT, &prompt()[16..]).unwrap();
    let mut found = vec![batch.head(SLOT, 4).unwrap().next[0]];
    for _ in 1..4 {
        found.push(batch.decode(&[(SLOT, found[found.len() - 1])]).unwrap().next[0]);
    }
    assert_eq!(found, expected);
}

/// The program with room for two sequences. Its routines know nothing of the second.
fn with_two_slots(program: &ModelProgram) -> ModelProgram {
    let mut program = program.clone();
    let cache = &mut program.cache;
    let bytes = (2 * cache.layout.bytes() as u64).next_multiple_of(4096);
    let end = program.program.regions.iter().map(|r| r.base + r.bytes).max().unwrap();
    (cache.base, cache.port_stride, program.slots) = (end.next_multiple_of(4096), bytes, 2);
    for port in 0..cache.layout.beat.ports as u64 {
        let base = cache.base + port * bytes;
        let name = format!("kv.{port} of two");
        program.program.regions.push(Region { name, kind: RegionKind::KvCache, base, bytes });
    }
    program
}

#[test]
fn a_fork_has_the_keys_and_values_of_its_origin_in_a_place_of_its_own() {
    let program = Arc::new(with_two_slots(&program(false)));
    let mut batch = batch(&program);
    let read = |batch: &mut Batch<'_>, slot| {
        let mut all = Vec::new();
        for address in program.cache.parts(slot) {
            let mut part = vec![0; program.cache.layout.bytes()];
            batch.device().read_ddr(address, &mut part).unwrap();
            all.push(part);
        }
        all
    };
    for (value, address) in (1..).zip(program.cache.parts(SLOT)) {
        batch.device().write_ddr(address, &vec![value; program.cache.layout.bytes()]).unwrap();
    }
    batch.resume(SLOT, prompt()).unwrap();
    assert_ne!(read(&mut batch, Slot(1)), read(&mut batch, SLOT));
    batch.fork(SLOT, Slot(1), 16).unwrap();
    assert_eq!(read(&mut batch, Slot(1)), read(&mut batch, SLOT));
    assert_eq!(batch.tokens(Slot(1)).unwrap(), &prompt()[..16]);
    assert_eq!(batch.tokens(SLOT).unwrap(), prompt());
    expect!["slot 2 does not exist, the program was compiled for 2, numbered from 0"]
        .assert_eq(&batch.fork(SLOT, Slot(2), 16).unwrap_err().to_string());
}

#[test]
fn a_sampled_token_is_that_of_seed_and_position() {
    let program = program(true);
    let draw = |temperature, seed| {
        let mut machine = loaded(&program);
        let mut session = Session::new(&mut machine, &program, |done| {
            assert!(done.logits.iter().all(|row| row.len() == 203));
        });
        session.sample(Sampling { temperature, seed }).unwrap();
        session.generate(&prompt(), 6, &[], |_| {}).unwrap()
    };
    assert_eq!(draw(0.0, 1), greedy(&program, 6));
    assert_eq!(draw(30.0, 1), draw(30.0, 1));
    assert_ne!(draw(30.0, 1), draw(30.0, 2));
    expect!["the program was compiled without logits"].assert_eq(
        &batch(&self::program(false))
            .sample(SLOT, Some(Sampling { temperature: 1.0, seed: 1 }))
            .unwrap_err()
            .to_string(),
    );
}

#[test]
fn a_cancelled_sequence_takes_no_further_step() {
    let (program, cancelled) = (program(false), Arc::new(AtomicBool::new(false)));
    let mut machine = loaded(&program);
    let flag = Arc::clone(&cancelled);
    let mut session = Session::new(&mut machine, &program, move |_| flag.store(true, Ordering::Relaxed));
    session.stop_when(cancelled);
    expect!["cancelled"].assert_eq(&session.prefill(&prompt()).unwrap_err().to_string());
    assert_eq!(session.tokens(), &prompt()[..16]);
}

#[test]
fn an_engine_does_on_its_thread_what_a_session_does() {
    let program = program(false);
    let held = Arc::clone(&program);
    let engine = Engine::start(Arc::clone(&program), move || Ok(Box::new(loaded(&held)))).unwrap();
    let first = engine.ask(|batch| Ok(begin(batch))).wait().unwrap();
    let mut found = vec![first];
    for position in 21..24 {
        let row = Row { slot: SLOT, position, token: found[found.len() - 1] };
        found.push(engine.ask(move |batch| batch.run(Step::Decode(vec![row]))).wait().unwrap().next[0]);
    }
    assert_eq!(found, greedy(&program, 4));
}

#[test]
fn what_nobody_waits_for_is_not_begun() {
    let program = program(false);
    let held = Arc::clone(&program);
    let engine = Engine::start(program, move || Ok(Box::new(loaded(&held)))).unwrap();
    let (release, gate) = std::sync::mpsc::channel::<()>();
    let busy = engine.ask(move |_| {
        gate.recv().unwrap();
        Ok(())
    });
    let dropped = engine.ask(|batch| batch.decode(&[(SLOT, 3)]));
    let kept = engine.ask(|batch| batch.decode(&[(SLOT, 4)]));
    drop(dropped);
    release.send(()).unwrap();
    busy.wait().unwrap();
    kept.wait().unwrap();
    assert_eq!(engine.ask(|batch| Ok(batch.tokens(SLOT)?.to_vec())).wait().unwrap(), [4]);
}

#[test]
fn an_engine_tells_why_there_is_no_device_and_that_its_thread_is_gone() {
    let refused = Engine::start(program(false), || Err(DeviceError::Failed("no board".to_owned())));
    expect!["no board"].assert_eq(&refused.err().unwrap().to_string());
    let program = program(false);
    let held = Arc::clone(&program);
    let engine = Engine::start(program, move || Ok(Box::new(loaded(&held)))).unwrap();
    let lost = engine.ask(|_| -> Result<(), EngineError> { panic!("a fault in what was asked") });
    expect!["the engine has failed and takes no more steps"].assert_eq(&lost.wait().unwrap_err().to_string());
    assert!(matches!(engine.ask(|_| Ok(())).wait(), Err(EngineError::Ended)));
}
