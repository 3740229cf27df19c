//! Chores of the repository that are no part of the product: `cargo xtask figures`, `cargo xtask formal`.

#[cfg(test)]
mod arrows;
mod figures;
mod formal;
#[cfg(test)]
mod paths;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Chores of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Hold the figures in README and docs against what was measured; fails when a table or a measurement is stale.
    Figures(figures::Options),
    /// Prove the interfaces of emitted modules with yosys and ABC; minutes.
    Formal(formal::Options),
}

fn main() -> ExitCode {
    match execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute() -> Result<()> {
    match Arguments::parse().command {
        Command::Figures(options) => figures::run(&options),
        Command::Formal(options) => formal::run(&options),
    }
}
