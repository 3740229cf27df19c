//! From names on the command line to things that run: overlay, checkpoint, calibration, program, simulator.

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use sagen_checkpoint::registry;
use sagen_checkpoint::tokenize::Tokenizer;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::{Calibration, CompileOptions, compile};
use sagen_cosim::verilate::{self, Built, Cache, Design, Tools, TopPort, Variant};
use sagen_streamed_arch::Compiled;
use sagen_streamed_arch::StreamedConfig;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A sign of life for work whose length is unknown; silent where standard error is no terminal.
pub(crate) fn spinner(doing: impl Into<String>) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]").expect("the template is valid");
    let bar = ProgressBar::new_spinner().with_style(style).with_message(doing.into());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// A flag that Ctrl-C sets from now on, instead of ending the program.
pub(crate) fn interrupt() -> Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("cannot watch for Ctrl-C")?;
    Ok(interrupted)
}

/// A model's checkpoint and tokenizer: the user's own file or folder, or fetched by the registry.
pub(crate) fn model(name: &str, given: Option<&Path>, interrupted: &AtomicBool) -> Result<(Checkpoint, Tokenizer)> {
    let path = match given {
        Some(path) => path.to_owned(),
        None => registry::Cache::from_env()?.fetch(&registry::find(name)?, interrupted)?,
    };
    let checkpoint = Checkpoint::open(&path)?;
    let tokenizer = Tokenizer::load(&checkpoint)?;
    Ok((checkpoint, tokenizer))
}

/// Calibrate (once per checkpoint) and compile.
pub(crate) fn program(
    checkpoint: &Checkpoint,
    tokenizer: &Tokenizer,
    overlay: &StreamedConfig,
    options: &CompileOptions,
) -> Result<Compiled> {
    let folder = Cache::user()?.root().join("calibration");
    let bar = spinner("calibrating on the built-in text (once per model)");
    let calibration = Calibration::load_or_measure(checkpoint, tokenizer, &folder);
    bar.finish_and_clear();
    let calibration = calibration?;
    let bar = spinner(format!("compiling the model for {}", overlay.name()));
    let compiled = compile(checkpoint, &calibration, overlay, options);
    bar.finish_and_clear();
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
    let bar = spinner(format!("building the simulator of {} (cached afterwards)", overlay.name()));
    let built = verilate::verilate(&design, variant, &tools, &Cache::user()?);
    bar.finish_and_clear();
    Ok(built?)
}
