//! `sagen`: overlay configs to build folders.

mod cli;

use anyhow::Result;
use clap::{Parser, Subcommand};
use cli::{build, check, compare, create, estimate, report, show, vivado};
use sagen_host::outcome;
use std::process::ExitCode;

/// What the list of commands does not say.
const ENVIRONMENT: &str = "\
Environment variables:
  SAGEN_CACHE    folder of cached netlists; `sagen` in the user's cache folder by default
  XILINX_VIVADO  install folder of Vivado, where `vivado` is not on PATH
  TMPDIR         folder for temporary files; /tmp by default";

/// Turns a YAML overlay config into an LLM accelerator for FPGAs.
///
/// An overlay is described by configs/<name>.yaml. `sagen list` names them, `sagen show --config NAME` explains one,
/// `sagen build --config NAME` writes its Verilog. `cosim run` then runs a language model on it.
#[derive(Parser)]
#[command(name = "sagen", version, arg_required_else_help = true, after_help = ENVIRONMENT)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the overlay configs: those built in, and those in the folder `configs` here.
    List,
    /// Explain an overlay: ports, arrays, memories, peak rates.
    Show {
        /// Name of a config, or path of a YAML file.
        #[arg(long)]
        config: String,
    },
    /// Write Verilog, file list, manifest and headers to build/<name>.
    Build(build::Options),
    /// Run Vivado on an overlay: synthesis, implementation, bitstream, reports.
    Vivado(vivado::Options),
    /// Judge the reports of a Vivado build; fails when a rule does not hold.
    Report(report::Options),
    /// Synthesise with yosys: resources of every unit against the part, logic levels between registers.
    ///
    /// LUT counts are upper bounds and no clock rate is claimed; docs/estimate.md has the rules. Fails when the overlay
    /// exceeds its part or has more logic levels than its clock allows.
    Estimate(estimate::Arguments),
    /// Write a commented overlay config to start from.
    New(create::Options),
    /// Compare two overlays: config, ports, figures, modules, resources.
    Diff(compare::Options),
    /// Check every config, the sums of its Verilog and the committed tables; fails when something is stale or wrong.
    Check {
        /// Renew stale tables and sums instead of failing.
        #[arg(long)]
        write: bool,
    },
}

fn main() -> ExitCode {
    outcome::run(execute)
}

fn execute(arguments: Arguments) -> Result<()> {
    match arguments.command {
        Command::List => show::list(),
        Command::Show { config } => show::show(&config),
        Command::Build(options) => build::run(&options),
        Command::Vivado(options) => vivado::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Estimate(arguments) => estimate::run(&arguments),
        Command::New(options) => create::run(&options),
        Command::Diff(options) => compare::run(&options),
        Command::Check { write } => check::run(write),
    }
}
