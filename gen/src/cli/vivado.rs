//! `sagen vivado`: build folder, Vivado, progress, verdict.

use super::report;
use anyhow::{Context, Result, anyhow};
use clap::{Args, ValueEnum};
use sagen::{build, family};
use sagen_host::progress::Progress;
use sagen_host::{files, interrupt, outcome};
use sagen_vivado::flow::{self, Expected};
use sagen_vivado::run::Run;
use sagen_vivado::{report as reports, tool};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Vivado takes seconds to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(60);

/// What to build, and how far.
#[derive(Args)]
pub(crate) struct Options {
    /// Name of a config, or path of a YAML file.
    #[arg(long)]
    config: String,
    /// Vivado, or its install folder; otherwise it is looked for.
    #[arg(long)]
    vivado: Option<PathBuf>,
    /// Processes that Vivado may use.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    jobs: u32,
    /// Last stage.
    #[arg(long, default_value = "bit")]
    until: Stage,
    /// Folder that holds build folders.
    #[arg(long, default_value = "build")]
    out: PathBuf,
    /// When to end Vivado.
    #[arg(long, default_value_t = 12.0, value_parser = hours)]
    timeout_hours: f64,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq)]
enum Stage {
    Synth,
    Impl,
    Bit,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Synth => "synth",
            Self::Impl => "impl",
            Self::Bit => "bit",
        }
    }
}

fn hours(text: &str) -> Result<f64, String> {
    let hours: f64 = text.parse().map_err(|_| "a number of hours is expected".to_string())?;
    if hours > 0.0 && hours <= 1000.0 { Ok(hours) } else { Err("more than 0 and at most 1000 hours".to_string()) }
}

/// Build, run Vivado, judge its reports.
pub(crate) fn run(options: &Options) -> Result<()> {
    files::folder("--out", &options.out)?;
    let overlay = family::overlay(&options.config)?;
    flow::supported(&overlay)?;
    let built = build::build(&overlay, &options.out)?;
    let _turn = build::vivado_turn(&overlay, &options.out)?;
    let folder = built.folder.join("vivado").canonicalize().context("the build folder was just written")?;
    let expected: Expected = serde_json::from_slice(&std::fs::read(folder.join("flow.json"))?)?;
    let work = folder.join("work").join(&expected.key);
    let vivado = tool::find(options.vivado.as_deref()).map_err(|e| missing(e, options, &folder))?;
    let interrupted = interrupt::listen()?;
    greet(&vivado, &interrupted)?;
    start(options, &vivado, &folder, &work, &interrupted)?;
    outcome::print(&format!("results: {}\n", work.display()))?;
    if options.until == Stage::Synth {
        return Ok(());
    }
    let judged = reports::judge(&work.join("reports"));
    outcome::print(&report::table(&judged))?;
    report::verdict(&work.join("reports"), &judged)
}

/// Say which Vivado it is.
fn greet(vivado: &Path, interrupted: &AtomicBool) -> Result<()> {
    let path = vivado.display();
    match tool::version(vivado, VERSION_LIMIT, interrupted)? {
        Some(version) if tool::supported(&version) => Ok(outcome::print(&format!("Vivado {version}: {path}\n"))?),
        found => {
            let version = found.unwrap_or_else(|| "of unknown version".to_string());
            let flow = "the flow is written for 2023.2 to 2025.x";
            outcome::complain(&format!("warning: Vivado {version} ({path}); {flow}"));
            Ok(())
        }
    }
}

fn missing(error: tool::ToolError, options: &Options, folder: &Path) -> anyhow::Error {
    let command = format!("vivado -mode batch -source build.tcl -tclargs --until {}", options.until.name());
    anyhow!(
        "{error}; install Vivado 2023.2 to 2025.x with the Zynq device families, or name it with --vivado. \
         The folder is complete; where Vivado is: cd {} && {command}",
        folder.display()
    )
}

fn start(options: &Options, vivado: &Path, folder: &Path, work: &Path, interrupted: &AtomicBool) -> Result<()> {
    let limit = Duration::from_secs_f64(3600.0 * options.timeout_hours);
    let minutes = (60.0 * options.timeout_hours).ceil() as u64;
    let arguments = format!("--jobs {} --timeout-minutes {minutes}", options.jobs);
    let arguments = arguments.split(' ').map(str::to_string).collect();
    let run = Run { vivado, folder, work, until: options.until.name(), arguments, limit };
    let bar = Progress::spinner("starting Vivado");
    let ended = run.execute(interrupted, |p| {
        let phase = if p.phase.is_empty() { String::new() } else { format!(": {}", p.phase) };
        if !p.stage.is_empty() {
            bar.say(format!("stage {}{phase}", p.stage));
        }
    });
    drop(bar);
    Ok(ended?)
}
