//! From names on the command line to things that run: overlay, checkpoint, calibration, program, simulator.

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use sagen_arch::Overlay;
use sagen_cosim::verilate::{self, Built, Cache, Design, Direction, Tools, TopPort, Variant};
use sagen_runtime::compile::{Calibration, CompileOptions, Compiled, compile};
use sagen_runtime::registry;
use sagen_runtime::tokenize::Tokenizer;
use sagen_runtime::weights::Checkpoint;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A sign of life for work whose length is unknown; silent where standard error is no terminal.
pub(crate) fn spinner(doing: impl Into<String>) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]").expect("the template is valid");
    let bar = ProgressBar::new_spinner().with_style(style).with_message(doing.into());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// The file or folder of a model: the user's own, or fetched by the registry.
pub(crate) fn model_path(name: &str, given: Option<&Path>, interrupted: &AtomicBool) -> Result<PathBuf> {
    match given {
        Some(path) => Ok(path.to_owned()),
        None => Ok(registry::Cache::from_env()?.fetch(&registry::find(name)?, interrupted)?),
    }
}

/// Calibrate (once per checkpoint) and compile.
pub(crate) fn program(
    checkpoint: &Checkpoint,
    tokenizer: &Tokenizer,
    overlay: &Overlay,
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
pub(crate) fn simulator(overlay: &Overlay, out: &Path, variant: Variant, verilator: Option<&Path>) -> Result<Built> {
    let build = sagen::build::build(overlay, out)?;
    let top = build.manifest.modules.last().context("the manifest has a top module")?;
    let mut ports = vec![TopPort::input("clk", 1), TopPort::input("rst", 1)];
    ports.extend(top.ports.iter().map(|p| TopPort {
        name: p.name.clone(),
        width: p.ty.width,
        direction: match p.direction {
            sagen_lang::Direction::Input => Direction::Input,
            sagen_lang::Direction::Output => Direction::Output,
        },
    }));
    let design = Design::read(&build.folder, sagen_rtl::top::SIM_TOP, &ports)?;
    let tools = Tools::find(verilator)?;
    let bar = spinner(format!("building the simulator of {} (cached afterwards)", overlay.name()));
    let built = verilate::verilate(&design, variant, &tools, &Cache::user()?);
    bar.finish_and_clear();
    Ok(built?)
}
