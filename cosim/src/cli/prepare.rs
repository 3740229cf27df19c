//! From names on the command line to things that run: overlay, checkpoint, calibration, program, simulator.

use anyhow::Result;
use sagen_checkpoint::registry;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::{Calibration, CompileOptions, compile};
use sagen_cosim::verilate::{self, Built, Cache, Design, Tools, TopPort, Variant};
use sagen_host::progress::Progress;
use sagen_streamed_arch::Compiled;
use sagen_streamed_arch::StreamedConfig;
use sagen_tokenizer::Tokenizer;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A model's checkpoint and tokenizer: the user's own file or folder, or fetched by the registry.
pub(crate) fn model(name: &str, given: Option<&Path>, interrupted: &AtomicBool) -> Result<(Checkpoint, Tokenizer)> {
    let path = match given {
        Some(path) => path.to_owned(),
        None => registry::fetch(&registry::find(name)?, interrupted)?,
    };
    let checkpoint = Checkpoint::open(&path)?;
    let tokenizer = checkpoint.tokenizer()?;
    Ok((checkpoint, tokenizer))
}

/// Calibrate (once per checkpoint) and compile.
pub(crate) fn program(
    checkpoint: &Checkpoint,
    tokenizer: &Tokenizer,
    overlay: &StreamedConfig,
    options: &CompileOptions,
) -> Result<Compiled> {
    let folder = sagen_host::cache::folder()?.join("calibration");
    let bar = Progress::spinner("calibrating on the built-in text (once per model)");
    let calibration = Calibration::load_or_measure(checkpoint, tokenizer, &folder);
    drop(bar);
    let calibration = calibration?;
    let bar = Progress::spinner(format!("compiling the model for {}", overlay.name()));
    let compiled = compile(checkpoint, &calibration, overlay, options);
    drop(bar);
    Ok(compiled?)
}

/// Emit an overlay and turn it into a simulator.
pub(crate) fn simulator(
    overlay: &StreamedConfig,
    out: &Path,
    variant: Variant,
    verilator: Option<&Path>,
) -> Result<Built> {
    let build = sagen::build::build(&sagen_streamed_rtl::overlay::overlay(overlay), out)?;
    let design = Design::read(&build.folder, sagen_streamed_rtl::top::SIM_TOP, &TopPort::of(&build.manifest))?;
    let tools = Tools::find(verilator)?;
    let bar = Progress::spinner(format!("building the simulator of {} (cached afterwards)", overlay.name()));
    let built = verilate::verilate(&design, variant, &tools, &Cache::user()?);
    drop(bar);
    Ok(built?)
}
