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
use sagen_host::progress::Progress;
use sagen_streamed_arch::{Device, ModelProgram, RunStats, StreamedConfig};
use sagen_streamed_timing::{MemoryTiming, Predictor};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of `cosim verify`.
///
/// The cache is left at zero, since times do not depend on data; every byte that a descriptor leaves behind is compared
/// with golden. A shape of a billion weights takes a few minutes and 8 GB of memory.
#[derive(Args)]
pub(crate) struct Options {
    /// Shape; an unknown name lists the known ones.
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
}

/// The token of every position.
const TOKEN: u32 = 1;
/// Prediction and RTL may differ by this share.
const TOLERANCE: f64 = 0.02;
/// Least share of the stream ports' limit.
const LEAST_SHARE: f64 = 0.95;

/// Run, compare, print.
pub(crate) fn run(options: &Options) -> Result<()> {
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let shape = Shape::find(&options.shape)?;
    let compiled = random_program(&shape, &overlay, options)?;
    let predictor = Predictor::new(&overlay, &compiled.program, MemoryTiming::of(&overlay));
    let predicted = predictor.cost(&Step::decode_at(options.position))?;
    let (stats, checked) = simulate(&overlay, &compiled, options)?;
    let cycles = stats.cycles.context("the RTL counts cycles")?;
    let error = predicted.cycles as f64 / cycles as f64 - 1.0;
    let limit = stats.stream_bytes / overlay.beat_bytes() as u64;
    let share = limit as f64 / cycles as f64;
    println!(
        "{} at position {} on {}, random weights of seed {}",
        shape.name,
        options.position,
        overlay.name(),
        options.seed
    );
    println!("bit-exact with golden: {} descriptors, {} bytes compared", checked.descriptors, checked.bytes);
    println!("cycles {cycles}, predicted {} ({:+.2} %)", predicted.cycles, 100.0 * error);
    println!("port limit {limit} cycles for {} bytes: {:.1} % of the stream ports", stats.stream_bytes, 100.0 * share);
    println!("{:.2} tok/s at {} MHz", f64::from(overlay.clock_mhz()) * 1e6 / cycles as f64, overlay.clock_mhz());
    for item in &shape.left_out {
        println!("not part of it: {item}");
    }
    ensure!(error.abs() <= TOLERANCE, "the prediction is off by more than {} %", 100.0 * TOLERANCE);
    ensure!(share >= LEAST_SHARE, "less than {} % of the stream ports' limit", 100.0 * LEAST_SHARE);
    Ok(())
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
