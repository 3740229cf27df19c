//! Cycle counts of every overlay against those kept in `configs/<overlay>.cycles`. A count that grew by more than
//! half a percent fails, with the unit whose counters grew. `SAGEN_WRITE_CYCLES=1` renews the files.
//!
//! Cycles do not depend on data, so weights are random and the cache is zero: no model is fetched. The whole shape of
//! SmolLM2 runs on the overlays on which it takes seconds; a two-layer cut of it runs everywhere.

mod overlay;

use sagen_checkpoint::model::ModelConfig;
use sagen_checkpoint::shape::Shape;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::{Calibration, CompileOptions, compile, outline};
use sagen_cosim::axi::Profile;
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::verilate::Variant;
use sagen_engine::{Session, Slot, Step};
use sagen_streamed_arch::{Device, ModelProgram, RunStats, StreamedConfig};
use sagen_streamed_isa::{CHUNK_ROWS, COUNTERS};
use sagen_streamed_timing::{MemoryTiming, Predictor};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Allowed growth, of a thousand cycles.
const GROWTH: u64 = 5;
/// Allowed error of a prediction.
const ERROR: f64 = 0.02;
/// The token of every position.
const TOKEN: u32 = 1;

/// Counters of each measurement, by name; `cycles` among them.
type Figures = BTreeMap<String, BTreeMap<String, u64>>;

#[derive(Clone, Copy)]
enum Part {
    Decode,
    Chunk,
}

/// What is measured: a model, where, and which part.
const MEASUREMENTS: [(&str, Part, usize); 7] = [
    ("small", Part::Decode, 0),
    ("small", Part::Decode, 47),
    ("small", Part::Chunk, 32),
    ("smollm2", Part::Decode, 32),
    ("smollm2", Part::Decode, 512),
    ("smollm2", Part::Decode, 2047),
    ("smollm2", Part::Chunk, 48),
];

fn label(model: &str, part: Part, position: usize) -> String {
    match part {
        Part::Decode => format!("{model} decode at {position}"),
        Part::Chunk => format!("{model} prefill of 16 at {position}"),
    }
}

fn config(model: &str) -> ModelConfig {
    let smollm2 = Shape::find("smollm2").unwrap().config().unwrap();
    match model {
        "small" => ModelConfig { layers: 2, vocab: 1024, ..smollm2 },
        _ => smollm2,
    }
}

fn file(overlay: &StreamedConfig) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../configs/{}.cycles", overlay.name()))
}

fn kept(overlay: &StreamedConfig) -> Figures {
    let path = file(overlay);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_saphyr::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn program(model: &str, overlay: &StreamedConfig) -> Arc<ModelProgram> {
    let checkpoint = Checkpoint::random(config(model), 1).unwrap();
    let calibration = Calibration::assumed(checkpoint.config());
    Arc::new(compile(&checkpoint, &calibration, overlay, &CompileOptions::default()).unwrap())
}

fn run(device: &mut RtlDevice, compiled: &Arc<ModelProgram>, part: Part, position: usize) -> RunStats {
    let mut all = Vec::new();
    let mut session = Session::resume(device, compiled, vec![TOKEN; position], |run| all.push(run.stats.clone()));
    match part {
        Part::Decode => session.decode_step(TOKEN).unwrap(),
        Part::Chunk => session.prefill(&[TOKEN; CHUNK_ROWS]).unwrap(),
    };
    drop(session);
    all.swap_remove(0)
}

/// Everything that is measured of an overlay; the whole shape where asked for.
fn measure(overlay: &StreamedConfig, whole: bool) -> Figures {
    let (folder, ports) = overlay::emit(overlay, "cycles");
    let built = overlay::simulator(&folder, &ports, Variant::default());
    let mut figures = Figures::new();
    for model in ["small", "smollm2"].into_iter().filter(|m| whole || *m == "small") {
        let compiled = program(model, overlay);
        let mut device = RtlDevice::new(&built.library, overlay, Profile::Board, Check::None);
        device.load(&compiled.program).unwrap();
        for (_, part, position) in MEASUREMENTS.into_iter().filter(|m| m.0 == model) {
            let stats = run(&mut device, &compiled, part, position);
            let counters = COUNTERS.iter().map(|c| c.name.to_owned()).zip(stats.counters.iter().copied());
            let all = counters.chain([("cycles".to_owned(), stats.cycles.unwrap())]);
            figures.insert(label(model, part, position), all.collect());
        }
    }
    figures
}

fn write(overlay: &StreamedConfig, figures: &Figures) {
    let mut text =
        "# Clock cycles and counters on the RTL; renewed by SAGEN_WRITE_CYCLES=1 cargo test --test cycles.\n"
            .to_owned();
    for (name, counters) in figures {
        let counters: Vec<String> = counters.iter().map(|(name, count)| format!("{name}: {count}")).collect();
        writeln!(text, "{name}: {{ {} }}", counters.join(", ")).unwrap();
    }
    std::fs::write(file(overlay), text).unwrap();
}

/// What grew, largest first; nothing where no count of cycles did.
fn slower(kept: &Figures, found: &Figures) -> Vec<String> {
    let mut reasons = Vec::new();
    for (name, found) in found {
        let Some(kept) = kept.get(name) else {
            reasons.push(format!("{name}: not in the file"));
            continue;
        };
        let (before, now) = (kept["cycles"], found["cycles"]);
        if 1000 * now <= (1000 + GROWTH) * before {
            continue;
        }
        let grew = |counter: &String| found[counter].saturating_sub(kept.get(counter).copied().unwrap_or(0));
        let mut counters: Vec<&String> = found.keys().filter(|c| *c != "cycles" && grew(c) > 0).collect();
        counters.sort_by_key(|c| std::cmp::Reverse(grew(c)));
        let counters: Vec<String> = counters.iter().take(4).map(|c| format!("{c} +{}", grew(c))).collect();
        reasons.push(format!("{name}: {now} cycles, {before} before; {}", counters.join(", ")));
    }
    reasons
}

#[test]
fn no_overlay_got_slower() {
    let renew = std::env::var_os("SAGEN_WRITE_CYCLES").is_some();
    let mut reasons = Vec::new();
    for name in overlay::configs() {
        let overlay = overlay::overlay(&name);
        let found = measure(&overlay, renew || overlay.beat_bytes() == 64);
        if renew {
            write(&overlay, &found);
        }
        reasons.extend(slower(&kept(&overlay), &found).into_iter().map(|r| format!("{name}: {r}")));
    }
    assert!(reasons.is_empty(), "slower than configs/*.cycles by more than half a percent:\n{}", reasons.join("\n"));
}

#[test]
fn predictions_are_within_two_percent_of_the_kept_cycles() {
    for name in overlay::configs() {
        let overlay = overlay::overlay(&name);
        let kept = kept(&overlay);
        for (model, part, position) in MEASUREMENTS {
            let compiled = outline(&config(model), &overlay, &CompileOptions::default()).unwrap();
            let predictor = Predictor::new(&overlay, &compiled.program, MemoryTiming::of(&overlay));
            let step = match part {
                Part::Decode => Step::decode_at(position),
                Part::Chunk => Step::Chunk { slot: Slot::default(), first: position, tokens: vec![TOKEN; CHUNK_ROWS] },
            };
            let predicted = predictor.cost(&step).unwrap().cycles;
            let rtl = kept[&label(model, part, position)]["cycles"];
            let error = predicted as f64 / rtl as f64 - 1.0;
            println!(
                "{name}: {}: {rtl} cycles, predicted {predicted} ({:+.3} %)",
                label(model, part, position),
                100.0 * error
            );
            assert!(
                error.abs() <= ERROR,
                "{name}: {}: {rtl} cycles, predicted {predicted}",
                label(model, part, position)
            );
        }
    }
}

#[test]
fn a_slowdown_is_told_with_the_counter_that_grew_most() {
    let figures = |cycles: u64, wait: u64| {
        let counters = [("cycles", cycles), ("stream_busy", 900), ("compute_wait", wait), ("vector_busy", 51)];
        Figures::from([("x".to_owned(), counters.map(|(n, c)| (n.to_owned(), c)).into())])
    };
    assert!(slower(&figures(1000, 50), &figures(1005, 55)).is_empty());
    assert_eq!(slower(&figures(1000, 50), &figures(1006, 56)), ["x: 1006 cycles, 1000 before; compute_wait +6"]);
    assert_eq!(slower(&Figures::new(), &figures(1, 1)), ["x: not in the file"]);
}
