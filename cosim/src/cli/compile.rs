//! `cosim compile`: a model's program, as a summary or descriptor by descriptor. Nothing runs.

use super::prepare;
use anyhow::{Context, Result};
use clap::Args;
use sagen_checkpoint::registry;
use sagen_checkpoint::shape::Shape;
use sagen_compile::{CompileOptions, outline};
use sagen_host::columns::{Align, lines, row};
use sagen_host::files::Files;
use sagen_host::{files, interrupt};
use sagen_runtime::prepare::{Wanted, model};
use sagen_streamed_arch::{ModelProgram, Program, StreamedConfig};
use sagen_streamed_isa::DESCRIPTOR_BYTES;
use std::path::PathBuf;
use std::sync::Arc;

/// Options of `cosim compile`.
///
/// A model of the registry is compiled with its weights. A shape (`cosim predict` names them) is compiled without:
/// its constant scales are assumed, and DDR has no initial contents.
#[derive(Args)]
pub(crate) struct Options {
    /// Model of the registry, or shape.
    #[arg(required_unless_present = "model_path")]
    model: Option<String>,
    /// Overlay: name of a config, or path of a YAML file.
    #[arg(long, default_value = "d16_100mhz_w128_p6")]
    config: String,
    /// Longest sequence, a multiple of 16.
    #[arg(long, default_value_t = 2048)]
    context: usize,
    /// GGUF file or Hugging Face folder instead of the registry's.
    #[arg(long, value_name = "PATH")]
    model_path: Option<PathBuf>,
    /// Write every descriptor here, one line each: unit, operation, origin, waits, fields that are not zero.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
}

/// Compile; list; print the summary.
pub(crate) fn run(options: &Options) -> Result<()> {
    let mut files = Files::default();
    files.reads("--model-path", options.model_path.as_deref());
    files.writes("--list", options.list.as_deref())?;
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let program = &program(options, &overlay)?.program;
    if let Some(path) = &options.list {
        files::write(path, &program.listing()?)?;
    }
    Ok(files.voice().print(&summary(program))?)
}

fn program(options: &Options, overlay: &StreamedConfig) -> Result<Arc<ModelProgram>> {
    let compile_options = CompileOptions { context: options.context, ..CompileOptions::default() };
    let wanted = Wanted::new(options.model.as_deref(), options.model_path.as_deref());
    match wanted.registered().filter(|name| registry::find(name).is_err()) {
        Some(name) => {
            let shape = Shape::find(name)?;
            let program = outline(&shape.config()?, overlay, &compile_options)
                .with_context(|| format!("{} on {}", shape.name, overlay.name()))?;
            Ok(Arc::new(program))
        }
        None => {
            let (checkpoint, tokenizer) = model(wanted, &*interrupt::listen()?)?;
            prepare::program(&checkpoint, &tokenizer, overlay, &compile_options)
        }
    }
}

fn summary(program: &Program) -> String {
    let align = [Align::Left, Align::Left, Align::Right, Align::Right];
    let mut regions = vec![row(["region", "kind", "address", "bytes"])];
    regions.extend(
        program
            .regions
            .iter()
            .map(|r| vec![r.name.clone(), format!("{:?}", r.kind), format!("{:#x}", r.base), r.bytes.to_string()]),
    );
    let mut routines = vec![row(["routine", "address", "descriptors", "bytes"])];
    routines.extend(program.routines.iter().map(|r| {
        let count = r.steps.len();
        let bytes = count * DESCRIPTOR_BYTES;
        vec![r.kind.to_string(), format!("{:#x}", r.address), count.to_string(), bytes.to_string()]
    }));
    let routine_align = [Align::Left, Align::Right, Align::Right, Align::Right];
    let mut text = format!("program for {}\n\n", program.overlay);
    for line in lines(&align, &regions).into_iter().chain([String::new()]).chain(lines(&routine_align, &routines)) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}
