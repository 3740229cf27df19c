//! `cosim quality`: how far the compiled model is from the float reference, teacher forced, on the golden machine.

use super::prepare;
use anyhow::{Context, Result, bail};
use clap::Args;
use sagen_compile::CompileOptions;
use sagen_host::progress::Progress;
use sagen_host::{interrupt, outcome};
use sagen_runtime::prepare::{Wanted, model};
use sagen_runtime::quality;
use std::path::PathBuf;

/// Options of `cosim quality`.
#[derive(Args)]
pub(crate) struct Options {
    /// Model of the registry; smollm2 by default.
    #[arg(default_value_if("model_path", clap::builder::ArgPredicate::IsPresent, None), default_value = "smollm2")]
    model: Option<String>,
    /// Text to predict, UTF-8: any prose.
    #[arg(long, value_name = "FILE")]
    text: PathBuf,
    /// Tokens of it to use.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u64).range(2..=2048))]
    tokens: u64,
    /// Overlay: name of a config, or path of a YAML file; the figures are the same on all.
    #[arg(long, default_value = "d16_100mhz_w128_p6")]
    config: String,
    /// Use this GGUF file or Hugging Face directory instead of the registry's.
    #[arg(long, value_name = "PATH")]
    model_path: Option<PathBuf>,
}

/// Measure and print.
pub(crate) fn run(options: &Options) -> Result<()> {
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let text = std::fs::read_to_string(&options.text).with_context(|| options.text.display().to_string())?;
    let wanted = Wanted::new(options.model.as_deref(), options.model_path.as_deref());
    let (checkpoint, tokenizer) = model(wanted, &*interrupt::listen()?)?;
    let mut tokens = tokenizer.encode(&text, true)?;
    tokens.truncate(options.tokens as usize);
    if tokens.len() < 2 {
        bail!("{}: {} tokens found, at least 2 are needed", options.text.display(), tokens.len());
    }
    let compile_options = CompileOptions { logits: true, ..CompileOptions::default() };
    let compiled = prepare::program(&checkpoint, &tokenizer, &overlay, &compile_options)?;
    let bar = Progress::spinner(format!("{} tokens on the golden machine and the float reference", tokens.len()));
    let result = quality::on_golden(&overlay, &compiled, &checkpoint, &tokens);
    drop(bar);
    Ok(outcome::print(&result?.to_string())?)
}
