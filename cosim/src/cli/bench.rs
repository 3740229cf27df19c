//! `cosim bench`: simulator speed, against a bare C++ loop around the same design with the same inputs.

use super::prepare;
use anyhow::{Context, Result, ensure};
use clap::Args;
use sagen_compile::CompileOptions;
use sagen_cosim::axi::Profile;
use sagen_cosim::bridge::Sim;
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::verilate::Variant;
use sagen_engine::Session;
use sagen_host::interrupt;
use sagen_runtime::prepare::model;
use sagen_streamed_arch::{Device, ModelProgram, StreamedConfig};
use sagen_streamed_golden::Machine;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Options of `cosim bench`.
#[derive(Args)]
pub(crate) struct Options {
    /// Model of the registry.
    #[arg(default_value = "smollm2")]
    model: String,
    /// Overlay: name of a config, or path of a YAML file.
    #[arg(long, default_value = "d16_100mhz_w128_p6")]
    config: String,
    /// Use this GGUF file or Hugging Face directory instead of the registry's.
    #[arg(long, value_name = "PATH")]
    model_path: Option<PathBuf>,
    /// Folder that holds build folders.
    #[arg(long, default_value = "build")]
    out: PathBuf,
}

/// The token that every run decodes, at position 0.
const TOKEN: u32 = 1;
/// Tokens that golden decodes and prefills.
const GOLDEN_TOKENS: u32 = 32;

/// Measure and print.
pub(crate) fn run(options: &Options) -> Result<()> {
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let (checkpoint, tokenizer) = model(&options.model, options.model_path.as_deref(), &*interrupt::listen()?)?;
    let compiled = prepare::program(&checkpoint, &tokenizer, &overlay, &CompileOptions::default())?;
    drop(checkpoint);
    golden(&overlay, &compiled)?;
    let built = prepare::simulator(&overlay, &options.out, Variant::default(), None)?;
    println!("simulator build     {:>9.1} s ({})", built.compile_seconds, built.compiler);
    rtl(&overlay, &compiled, &built.library)
}

fn golden(overlay: &StreamedConfig, compiled: &Arc<ModelProgram>) -> Result<()> {
    let mut machine = Machine::new(overlay);
    machine.load(&compiled.program)?;
    let prompt: Vec<u32> = (1..=GOLDEN_TOKENS).collect();
    let mut session = Session::new(&mut machine, compiled, |_| {});
    let begun = Instant::now();
    let mut next = session.prefill(&prompt)?;
    println!("golden prefill      {:>9.1} tok/s", f64::from(GOLDEN_TOKENS) / begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    for _ in 0..GOLDEN_TOKENS {
        next = session.decode_step(next)?;
    }
    println!("golden decode       {:>9.1} tok/s", f64::from(GOLDEN_TOKENS) / begun.elapsed().as_secs_f64());
    Ok(())
}

fn rtl(overlay: &StreamedConfig, compiled: &Arc<ModelProgram>, library: &Path) -> Result<()> {
    let device = || -> Result<RtlDevice> {
        let mut device = RtlDevice::new(library, overlay, Profile::Board, Check::None);
        device.load(&compiled.program)?;
        Ok(device)
    };
    let mut timed = device()?;
    let first = timed.cycles();
    let begun = Instant::now();
    Session::new(&mut timed, compiled, |_| {}).decode_step(TOKEN)?;
    let rust = (timed.cycles() - first) as f64 / begun.elapsed().as_secs_f64();
    println!("simulator decode    {:>9.0} kHz", rust / 1e3);
    drop(timed);

    // The recording begins with a reset of its own, so that the bare loop starts from the same state.
    let mut recorded = device()?;
    let rig = recorded.rig().context("a program is loaded")?;
    rig.sim_mut().record();
    let first = rig.sim().cycle();
    recorded.reset()?;
    Session::new(&mut recorded, compiled, |_| {}).decode_step(TOKEN)?;
    let rig = recorded.rig().context("a program is loaded")?;
    let cycles = rig.sim().cycle() - first;
    let stimulus = rig.sim_mut().take_recording();
    let expected = outputs(rig.sim())?;
    drop(recorded);

    let mut bare = Sim::load(library, 1)?;
    let begun = Instant::now();
    bare.replay(&stimulus, cycles)?;
    let cpp = cycles as f64 / begun.elapsed().as_secs_f64();
    println!("bare C++ loop       {:>9.0} kHz", cpp / 1e3);
    println!("ratio               {:>9.2}", rust / cpp);
    ensure!(outputs(&bare)? == expected, "the bare loop did not end in the same state: its speed means nothing");
    Ok(())
}

/// Every output of a design.
fn outputs(sim: &Sim) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for (name, _, input) in sim.ports() {
        if !input {
            let bus = sim.bus(name)?;
            let at = all.len();
            all.resize(at + bus.len(), 0);
            bus.copy_to(&mut all[at..]);
        }
    }
    Ok(all)
}
