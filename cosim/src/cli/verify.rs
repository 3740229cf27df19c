//! `cosim verify`: one decode step of a model's shape with seeded random weights on the RTL.

use super::prepare;
use anyhow::{Context, Result, ensure};
use clap::Args;
use sagen_checkpoint::shape::Shape;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::{Calibration, CompileOptions, compile};
use sagen_cosim::axi::Profile;
use sagen_cosim::streamed::device::{Check, Checked, RtlDevice};
use sagen_cosim::verilate::Variant;
use sagen_engine::{Session, Step};
use sagen_host::files::Files;
use sagen_host::interrupt::Will;
use sagen_host::progress::Progress;
use sagen_host::{files, interrupt};
use sagen_streamed_arch::{Device, ModelProgram, RunStats, StreamedConfig};
use sagen_streamed_timing::{MemoryTiming, Predictor};
use serde::Serialize;
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Options of `cosim verify`.
///
/// The cache is left at zero, since times do not depend on data; every byte that a descriptor leaves behind is compared
/// with golden. A shape of a billion weights takes a few minutes and 8 GB of memory.
#[derive(Args)]
pub(crate) struct Options {
    /// Shape, or path of a YAML file that describes one; an unknown name lists the known ones.
    shape: String,
    /// Overlay: name of a config, or path of a YAML file.
    #[arg(long, default_value = "d16_100mhz_w128_p6")]
    config: String,
    /// Tokens before the one that is decoded.
    #[arg(long, value_name = "N", default_value_t = 32)]
    position: usize,
    /// Seed of the weights.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Verilator to use, instead of the one that would be found.
    #[arg(long, value_name = "PATH")]
    verilator: Option<PathBuf>,
    /// Folder that holds build folders.
    #[arg(long, default_value = "build")]
    out: PathBuf,
    /// Write a JSON report here.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Fail below this share of the stream ports' limit. Shapes of few layers stay below what large ones reach.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    at_least: Option<u8>,
}

/// The token of every position.
const TOKEN: u32 = 1;
/// Prediction and RTL may differ by this share.
const TOLERANCE: f64 = 0.02;
/// Version of the report.
const SCHEMA: u32 = 1;

/// What was asked, and what was found.
#[derive(Serialize)]
struct Verified {
    /// Version of this structure.
    schema: u32,
    shape: String,
    /// What the shape lacks of the real model.
    left_out: Vec<String>,
    config: String,
    clock_mhz: u32,
    position: usize,
    seed: u64,
    /// A signal ended it before anything was found.
    interrupted: bool,
    /// Absent after a signal.
    #[serde(flatten)]
    found: Option<Found>,
}

/// What was found.
#[derive(Clone, Serialize)]
struct Found {
    cycles: u64,
    predicted_cycles: u64,
    /// Cycles that the bytes of the stream ports take at the least.
    limit_cycles: u64,
    stream_bytes: u64,
    /// Share of what the stream ports could have delivered.
    stream_share: f64,
    tok_per_s: f64,
    /// Descriptors after which all was compared with golden.
    descriptors: u64,
    /// Bytes compared.
    bytes: u64,
}

/// Run, compare, print.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut files = Files::default();
    files.reads("SHAPE", Some(Path::new(&options.shape)));
    files.writes("--report", options.report.as_deref())?;
    files::folder("--out", &options.out)?;
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let shape = Shape::find(&options.shape)?;
    let asked = |found: Option<Found>| asked(&shape, &overlay, options, found);
    let cut_off = options.report.clone().map(|path| {
        let text = json(&asked(None));
        interrupt::will(move || drop(files::write(&path, &text)))
    });
    let found = verify(&shape, &overlay, options);
    if interrupt::raised() {
        cut_off.into_iter().for_each(Will::execute);
    }
    let found = found?;
    let verified = asked(Some(found.clone()));
    if let Some(path) = &options.report {
        files::write(path, &json(&verified))?;
    }
    let printed = files.voice().print(&text(&verified, &found)?);
    ensure!(found.error().abs() <= TOLERANCE, "the prediction is off by more than {} %", 100.0 * TOLERANCE);
    if let Some(least) = options.at_least {
        ensure!(100.0 * found.stream_share >= f64::from(least), "less than {least} % of the stream ports' limit");
    }
    Ok(printed?)
}

fn asked(shape: &Shape, overlay: &StreamedConfig, options: &Options, found: Option<Found>) -> Verified {
    Verified {
        schema: SCHEMA,
        shape: shape.name.clone(),
        left_out: shape.left_out.clone(),
        config: overlay.name().to_owned(),
        clock_mhz: overlay.clock_mhz(),
        position: options.position,
        seed: options.seed,
        interrupted: found.is_none(),
        found,
    }
}

fn json(verified: &Verified) -> String {
    serde_json::to_string_pretty(verified).expect("plain numbers and texts") + "\n"
}

fn verify(shape: &Shape, overlay: &StreamedConfig, options: &Options) -> Result<Found> {
    let compiled = random_program(shape, overlay, options)?;
    let predictor = Predictor::new(overlay, &compiled.program, MemoryTiming::of(overlay));
    let predicted = predictor.cost(&Step::decode_at(options.position))?;
    let (stats, checked) = simulate(overlay, &compiled, options)?;
    let cycles = stats.cycles.context("the RTL counts cycles")?;
    let limit = stats.stream_bytes / overlay.beat_bytes() as u64;
    Ok(Found {
        cycles,
        predicted_cycles: predicted.cycles,
        limit_cycles: limit,
        stream_bytes: stats.stream_bytes,
        stream_share: limit as f64 / cycles as f64,
        tok_per_s: f64::from(overlay.clock_mhz()) * 1e6 / cycles as f64,
        descriptors: checked.descriptors,
        bytes: checked.bytes,
    })
}

impl Found {
    /// By how much the prediction is off.
    fn error(&self) -> f64 {
        self.predicted_cycles as f64 / self.cycles as f64 - 1.0
    }
}

fn text(asked: &Verified, found: &Found) -> Result<String, fmt::Error> {
    let mut f = String::new();
    let (shape, position, config, seed) = (&asked.shape, asked.position, &asked.config, asked.seed);
    writeln!(f, "{shape} at position {position} on {config}, random weights of seed {seed}")?;
    writeln!(f, "bit-exact with golden: {} descriptors, {} bytes compared", found.descriptors, found.bytes)?;
    writeln!(f, "cycles {}, predicted {} ({:+.2} %)", found.cycles, found.predicted_cycles, 100.0 * found.error())?;
    let (limit, bytes, share) = (found.limit_cycles, found.stream_bytes, 100.0 * found.stream_share);
    writeln!(f, "port limit {limit} cycles for {bytes} bytes: {share:.1} % of the stream ports")?;
    writeln!(f, "{:.2} tok/s at {} MHz", found.tok_per_s, asked.clock_mhz)?;
    asked.left_out.iter().try_for_each(|item| writeln!(f, "not part of it: {item}"))?;
    Ok(f)
}

fn random_program(shape: &Shape, overlay: &StreamedConfig, options: &Options) -> Result<Arc<ModelProgram>> {
    let checkpoint = Checkpoint::random(shape.config()?, options.seed)?;
    let calibration = Calibration::assumed(checkpoint.config());
    let context = (options.position + 1).next_multiple_of(sagen_streamed_isa::CHUNK_ROWS);
    let compile_options = CompileOptions { context, ..CompileOptions::default() };
    let bar = Progress::spinner(format!("making {} for {}", shape.name, overlay.name()));
    let compiled = compile(&checkpoint, &calibration, overlay, &compile_options);
    drop(bar);
    Ok(Arc::new(compiled?))
}

fn simulate(overlay: &StreamedConfig, compiled: &Arc<ModelProgram>, options: &Options) -> Result<(RunStats, Checked)> {
    let built = prepare::simulator(overlay, &options.out, Variant::default(), options.verilator.as_deref())?;
    let mut device = RtlDevice::new(&built.library, overlay, Profile::Board, Check::Descriptor);
    let bar = Progress::spinner("simulating");
    device.load(&compiled.program)?;
    let mut found = None;
    let known = vec![TOKEN; options.position];
    Session::resume(&mut device, compiled, known, |run| found = Some(run.stats.clone())).decode_step(TOKEN)?;
    drop(bar);
    let checked = device.checked();
    Ok((found.context("a step was run")?, checked))
}
