//! `sagen estimate`.

use anyhow::{Context, Result, bail};
use sagen::estimate::show::Style;
use sagen::estimate::{self, Options};
use sagen::family;
use sagen_host::{cache, interrupt, outcome};
use std::io::IsTerminal;
use std::path::PathBuf;

/// Arguments of `sagen estimate`.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Name of a config, or path of a YAML file.
    #[arg(long)]
    config: String,
    /// Print everything as JSON.
    #[arg(long)]
    json: bool,
    /// Modules to synthesise at once; all cores if left out.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// yosys to use.
    #[arg(long, default_value = "yosys")]
    yosys: PathBuf,
}

/// Estimate, print, and fail when the overlay does not fit.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let overlay = family::overlay(&arguments.config)?;
    let interrupted = interrupt::listen()?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let cache = cache::folder()?;
    let jobs = arguments.jobs.map_or_else(cores, usize::from);
    let options = Options { program: &arguments.yosys, cache: &cache, jobs };
    let estimate = estimate::estimate(&overlay, &options, &interrupted)?;
    let text = match arguments.json {
        true => serde_json::to_string_pretty(&estimate).context("the estimate as JSON")? + "\n",
        false => estimate.text(Style { colour: std::io::stdout().is_terminal() }),
    };
    let printed = outcome::print(&text);
    match estimate.excess().len() {
        0 => Ok(printed?),
        n => bail!("{}: {n} lines above exceed the part or the logic levels", overlay.name),
    }
}
