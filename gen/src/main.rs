//! `sagen`: overlay configs to build folders.

mod estimate_command;
mod show;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use sagen::{build, check, find, outcome};
use std::path::PathBuf;
use std::process::ExitCode;

/// Turns a YAML overlay config into an LLM accelerator for FPGAs.
///
/// An overlay is described by configs/<name>.yaml. `sagen list` names them, `sagen show --config NAME` explains one,
/// `sagen build --config NAME` writes its Verilog. `cosim run` then runs a language model on it.
#[derive(Parser)]
#[command(name = "sagen", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the overlay configs of this repository.
    List,
    /// Explain an overlay: ports, arrays, memories, peak rates.
    Show {
        /// Name of a config, or path of a YAML file.
        #[arg(long)]
        config: String,
    },
    /// Write Verilog, file list, manifest and headers to build/<name>.
    Build {
        /// Name of a config, or path of a YAML file.
        #[arg(long)]
        config: String,
        /// Folder that holds build folders.
        #[arg(long, default_value = "build")]
        out: PathBuf,
    },
    /// Synthesise with yosys: resources of every unit against the part, logic levels between registers.
    ///
    /// LUT counts are upper bounds and no clock rate is claimed; docs/estimate.md has the rules. Fails when the overlay
    /// exceeds its part or has more logic levels than its clock allows.
    Estimate(estimate_command::Arguments),
    /// Check every config and the committed tables; fails when something is stale or wrong.
    Check {
        /// Renew stale tables instead of failing.
        #[arg(long)]
        write: bool,
    },
}

fn main() -> ExitCode {
    outcome::exit(execute())
}

fn execute() -> Result<()> {
    match Arguments::parse().command {
        Command::List => show::list(),
        Command::Show { config } => {
            show::overlay(&find::overlay(&config)?);
            Ok(())
        }
        Command::Build { config, out } => {
            let overlay = find::overlay(&config)?;
            let built = build::build(&overlay, &out)?;
            let folder = built.folder.display();
            println!("{folder}: {} files, build hash {:08x}", built.files, built.build_hash);
            Ok(())
        }
        Command::Estimate(arguments) => estimate_command::run(&arguments),
        Command::Check { write } => run_check(write),
    }
}

fn run_check(write: bool) -> Result<()> {
    let configs = find::configs()?;
    for name in find::names(&configs)? {
        find::overlay(&configs.join(format!("{name}.yaml")).display().to_string())?;
    }
    let root = configs.parent().context("the configs folder has a parent")?;
    let stale = check::stale(root, write)?;
    let list: Vec<String> = stale.iter().map(|p| p.display().to_string()).collect();
    match (list.is_empty(), write) {
        (true, _) => println!("configs and generated tables are in order"),
        (false, true) => println!("renewed: {}", list.join(", ")),
        (false, false) => bail!("stale: {}; renew with `sagen check --write`", list.join(", ")),
    }
    Ok(())
}
