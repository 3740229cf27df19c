//! Cycle counts of every overlay against those kept in `configs/<overlay>.cycles`. Cycles are exact: any difference
//! fails, with the counters that changed. `SAGEN_WRITE_CYCLES=1` renews the files.
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
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// What differs from the file: the counters of each measurement that changed, the largest change first. A file may
/// hold more than was measured.
fn differences(kept: &Figures, found: &Figures) -> Vec<String> {
    let known: Vec<String> = MEASUREMENTS.iter().map(|&(model, part, position)| label(model, part, position)).collect();
    let gone = kept.keys().filter(|name| !known.contains(name) && !found.contains_key(*name));
    let mut reasons: Vec<String> = gone.map(|name| format!("{name}: in the file, but no measurement")).collect();
    for (name, found) in found {
        match kept.get(name) {
            None => reasons.push(format!("{name}: not in the file")),
            Some(kept) => reasons.extend(changed(kept, found).map(|counters| format!("{name}: {counters}"))),
        }
    }
    reasons
}

/// Every counter that changed, `cycles` first.
fn changed(kept: &BTreeMap<String, u64>, found: &BTreeMap<String, u64>) -> Option<String> {
    let names: BTreeSet<&String> = kept.keys().chain(found.keys()).collect();
    let count = |counters: &BTreeMap<String, u64>, name: &String| counters.get(name).copied().map(i128::from);
    let sides = names.into_iter().map(|name| (name, count(kept, name), count(found, name)));
    let mut sides: Vec<_> = sides.filter(|(_, kept, found)| kept != found).collect();
    let change = |kept: Option<i128>, found: Option<i128>| found.unwrap_or(0) - kept.unwrap_or(0);
    sides.sort_by_key(|&(name, kept, found)| (name != "cycles", -change(kept, found).abs()));
    let text = |&(name, kept, found): &(&String, Option<i128>, Option<i128>)| match (kept, found) {
        (None, _) => format!("{name} is not in the file"),
        (_, None) => format!("{name} is no counter any more"),
        (Some(before), Some(now)) => format!("{name} {before} -> {now} ({:+})", now - before),
    };
    (!sides.is_empty()).then(|| sides.iter().map(text).collect::<Vec<String>>().join(", "))
}

#[test]
fn cycles_of_every_overlay_are_those_of_its_file() {
    let renew = std::env::var_os("SAGEN_WRITE_CYCLES").is_some();
    let mut reasons = Vec::new();
    for name in overlay::configs() {
        let overlay = overlay::overlay(&name);
        let found = measure(&overlay, renew || overlay.beat_bytes() == 64);
        if renew {
            write(&overlay, &found);
        }
        reasons.extend(differences(&kept(&overlay), &found).into_iter().map(|r| format!("{name}: {r}")));
    }
    let advice = "where that is meant, renew the files with SAGEN_WRITE_CYCLES=1";
    assert!(reasons.is_empty(), "cycles differ from configs/*.cycles; {advice}:\n{}", reasons.join("\n"));
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
fn any_difference_is_told_with_the_counters_that_changed() {
    let measured = |counters: &[(&str, u64)]| {
        let counters = counters.iter().map(|&(name, count)| (name.to_owned(), count)).collect();
        Figures::from([("small decode at 0".to_owned(), counters)])
    };
    let kept = measured(&[("compute_wait", 50), ("cycles", 1000), ("stream_busy", 900)]);
    let told = |found: &[(&str, u64)]| differences(&kept, &measured(found)).join("\n");
    assert_eq!(told(&[("compute_wait", 50), ("cycles", 1000), ("stream_busy", 900)]), "");
    assert_eq!(
        told(&[("compute_wait", 51), ("cycles", 999), ("stream_busy", 890)]),
        "small decode at 0: cycles 1000 -> 999 (-1), stream_busy 900 -> 890 (-10), compute_wait 50 -> 51 (+1)"
    );
    assert_eq!(
        told(&[("compute_wait", 50), ("cycles", 1000), ("load_busy", 7)]),
        "small decode at 0: stream_busy is no counter any more, load_busy is not in the file"
    );
    assert_eq!(differences(&Figures::new(), &kept), ["small decode at 0: not in the file"]);
    let old = Figures::from([("other decode at 0".to_owned(), BTreeMap::new())]);
    assert_eq!(differences(&old, &Figures::new()), ["other decode at 0: in the file, but no measurement"]);
}
