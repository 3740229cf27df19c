//! Compilation of a small random model: what fits, what is refused, and what does not change.

use expect_test::{expect, expect_file};
use sagen_config::Board;
use sagen_streamed_arch::step::Slot;
use sagen_streamed_arch::{RegionKind, RoutineKind, StreamedConfig, StreamedFile};

use super::*;
use crate::graph::tests::config;

/// A shipped overlay, changed before it is checked.
pub(crate) fn overlay_with(name: &str, change: impl Fn(&mut StreamedFile, &mut Board)) -> StreamedConfig {
    let read = |path: String| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/");
        std::fs::read_to_string(format!("{folder}{path}.yaml")).unwrap()
    };
    let mut file: StreamedFile = serde_saphyr::from_str(&read(name.to_owned())).unwrap();
    let mut board: Board = serde_saphyr::from_str(&read(format!("boards/{}", file.board))).unwrap();
    change(&mut file, &mut board);
    StreamedConfig::new(file, board).unwrap()
}

pub(crate) fn overlay(name: &str) -> StreamedConfig {
    overlay_with(name, |_, _| {})
}

pub(crate) const LARGE: &str = "d16_100mhz_w128_p6";
pub(crate) const SMALL: &str = "d8_100mhz";

pub(crate) fn options() -> CompileOptions {
    CompileOptions { context: 64, logits: false, fuse: Fusion::ALL }
}

pub(crate) fn fixture(overlay: &StreamedConfig, options: &CompileOptions) -> Result<ModelProgram, CompileError> {
    compile_shape(config(), 7, overlay, options)
}

#[test]
fn the_same_input_gives_the_same_program() {
    let overlay = overlay(LARGE);
    let program = || fixture(&overlay, &options()).unwrap().program;
    assert_eq!(program(), program());
}

#[test]
fn programs_are_as_listed() {
    let listing = |name| fixture(&overlay(name), &options()).unwrap().program.listing().unwrap();
    expect_file!["listings/d16_100mhz_w128_p6.txt"].assert_eq(&listing(LARGE));
    expect_file!["listings/d8_100mhz.txt"].assert_eq(&listing(SMALL));
}

#[test]
fn regions_ascend_on_page_boundaries_and_hold_the_image() {
    let program = fixture(&overlay(LARGE), &options()).unwrap().program;
    for pair in program.regions.windows(2) {
        assert!(pair[0].base + pair[0].bytes <= pair[1].base);
    }
    assert!(program.regions.iter().all(|r| r.base.is_multiple_of(4096)));
    for segment in &program.image {
        let region = program.region_of(segment.base).unwrap();
        assert_eq!((region.base, region.bytes), (segment.base, segment.bytes.len() as u64), "{}", region.name);
    }
    let ports = program.regions.iter().filter(|r| r.kind == RegionKind::Weights).count();
    assert_eq!(ports, 4);
}

#[test]
fn routines_lie_in_memory_as_they_are_listed() {
    let program = fixture(&overlay(LARGE), &options()).unwrap().program;
    let last = program.image.last().unwrap();
    for kind in [RoutineKind::Prefill, RoutineKind::Head, RoutineKind::DECODE] {
        let routine = program.routine(kind, Slot(0)).unwrap();
        let bytes = routine.encode().unwrap();
        let at = (routine.address - last.base) as usize;
        assert_eq!(last.bytes[at..at + bytes.len()], bytes);
    }
}

#[test]
fn joined_streams_are_fewer_and_bring_the_same_beats() {
    let beats = |fuse| {
        let options = CompileOptions { fuse, ..options() };
        let program = fixture(&overlay(LARGE), &options).unwrap().program;
        let steps = &program.routine(RoutineKind::DECODE, Slot(0)).unwrap().steps;
        let streams = steps.iter().filter_map(|s| match s.descriptor.operation {
            sagen_streamed_isa::Operation::Stream(o) if o.beats > 0 => Some(o.beats),
            _ => None,
        });
        (streams.clone().count(), streams.sum::<u64>())
    };
    let (joined, apart) = (beats(Fusion::ALL), beats(Fusion::NONE));
    assert_eq!(joined.1, apart.1);
    // k..q of layer 0, o of layer 0 to q of layer 1, o of layer 1 to head.
    assert_eq!((joined.0, apart.0), (3, 2 * 7 + 1));
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let refusal = |name, options: CompileOptions, change: fn(&mut StreamedFile, &mut Board)| {
        fixture(&overlay_with(name, change), &options).expect_err("must be refused").to_string()
    };
    let with_context = |context| CompileOptions { context, ..options() };
    expect!["context = 40: must be a positive multiple of 16"].assert_eq(&refusal(LARGE, with_context(40), |_, _| {}));
    expect!["context = 80: the model was trained for at most 64"].assert_eq(&refusal(
        LARGE,
        with_context(80),
        |_, _| {},
    ));
    expect!["context = 4096: d8_100mhz has scratchpad.score_rows = 2048"].assert_eq(&refusal(
        SMALL,
        with_context(4096),
        |_, _| {},
    ));
    expect!["board kv260 has 65536 bytes of DDR, the program with a context of 64 needs 475136"].assert_eq(&refusal(
        LARGE,
        options(),
        |_, board| board.ddr.reserved.bytes = 65536,
    ));
}

#[test]
fn a_scratchpad_that_is_too_small_is_refused_with_what_is_needed() {
    let mut config = config();
    (config.hidden, config.ffn) = (1024, 4096);
    let overlay = overlay_with(LARGE, |file, _| file.scratchpad.vector_words = 1024);
    let error = compile_shape(config, 7, &overlay, &options()).unwrap_err().to_string();
    expect!["scratchpad.vector_words = 1024 is too small: the model (2 layers, hidden 1024, ffn 4096) prefill of 16 rows needs 7392"].assert_eq(&error);
}

#[test]
fn shapes_beyond_the_hardware_are_refused() {
    let refusal = |change: fn(&mut ModelConfig)| {
        let mut config = config();
        change(&mut config);
        options::check_shape(&config).expect_err("must be refused").to_string()
    };
    expect!["hidden = 96: must be a multiple of 64, at most 8192"].assert_eq(&refusal(|c| c.hidden = 96));
    expect!["ffn = 8256: must be a multiple of 64, at most 8192"].assert_eq(&refusal(|c| c.ffn = 8256));
    expect!["qk_norm = true: norms over query and key heads cannot be expressed by the overlay's operations"]
        .assert_eq(&refusal(|c| c.qk_norm = true));
}

#[test]
fn keys_are_streamed_only_after_the_step_has_stored_its_own() {
    let program = fixture(&overlay(LARGE), &options()).unwrap().program;
    for kind in [RoutineKind::Prefill, RoutineKind::DECODE] {
        let (mut stores, mut checked) = (0, 0);
        for step in &program.routine(kind, Slot(0)).unwrap().steps {
            let unit = step.descriptor.unit();
            stores += u16::from(unit == sagen_streamed_isa::Unit::Store);
            if step.label.tensor.starts_with("stream values") {
                // Values are stored after keys, so this is every store up to here.
                assert_eq!(step.descriptor.waits[sagen_streamed_isa::Unit::Store.index()], stores, "{}", step.label);
                checked += 1;
            } else if step.label.tensor.starts_with("stream keys") {
                assert_eq!(
                    step.descriptor.waits[sagen_streamed_isa::Unit::Store.index()],
                    stores - 1,
                    "{}",
                    step.label
                );
            }
        }
        assert!(checked >= config().layers);
    }
}
