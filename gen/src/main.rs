//! `sagen`: overlay configs to build folders.

mod estimate_command;
mod report;
mod show;
mod vivado;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand};
use sagen::estimate::{self, Options};
use sagen::{build, check, compare, create, outcome};
use sagen_config::find;
use sagen_vivado::flow;
use std::collections::BTreeMap;
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
    /// Run Vivado on an overlay: synthesis, implementation, bitstream, reports.
    Vivado(vivado::Options),
    /// Judge the reports of a Vivado build; fails when a rule does not hold.
    Report(report::Options),
    /// Synthesise with yosys: resources of every unit against the part, logic levels between registers.
    ///
    /// LUT counts are upper bounds and no clock rate is claimed; docs/estimate.md has the rules. Fails when the overlay
    /// exceeds its part or has more logic levels than its clock allows.
    Estimate(estimate_command::Arguments),
    /// Write a commented overlay config to start from.
    New {
        /// Name of the new config, which goes to configs/, or a path that ends in .yaml.
        name: String,
        /// Board, by name.
        #[arg(long)]
        board: Option<String>,
        /// Config to take the values from; the first that fits the board if left out.
        #[arg(long)]
        like: Option<String>,
    },
    /// Compare two overlays: config, ports, figures, modules, resources.
    Diff {
        /// Name of a config, or path of a YAML file.
        first: String,
        /// The other one.
        second: String,
        /// yosys whose cached netlists give the resources.
        #[arg(long, default_value = "yosys")]
        yosys: PathBuf,
    },
    /// Check every config, the sums of its Verilog and the committed tables; fails when something is stale or wrong.
    Check {
        /// Renew stale tables and sums instead of failing.
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
        Command::Show { config } => show::overlay(&sagen_streamed_arch::config::named(&config)?),
        Command::Build { config, out } => {
            let overlay = sagen_streamed_arch::config::named(&config)?;
            let built = build::build(&overlay, &out)?;
            let folder = built.folder.display();
            let left_out = match flow::supported(&overlay) {
                Ok(()) => String::new(),
                Err(reason) => format!("; vivado/ was left out: {reason}"),
            };
            outcome::print(&format!("{folder}: {} files, build hash {:08x}{left_out}\n", built.files, built.build_hash))
        }
        Command::Vivado(options) => vivado::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Estimate(arguments) => estimate_command::run(&arguments),
        Command::New { name, board, like } => {
            let created = create::create(&name, board.as_deref(), like.as_deref())?;
            let (path, overlay) = (created.path.display(), created.overlay.name());
            outcome::print(&format!("{path}: {overlay}, like {}; see `sagen show --config {name}`\n", created.like))
        }
        Command::Diff { first, second, yosys } => {
            let (first, second) =
                (sagen_streamed_arch::config::named(&first)?, sagen_streamed_arch::config::named(&second)?);
            let options = Options { program: &yosys, cache: &estimate::user_cache()?, jobs: 1 };
            outcome::print(&compare::compare(&first, &second, &options)?)
        }
        Command::Check { write } => run_check(write),
    }
}

fn run_check(write: bool) -> Result<()> {
    let configs = find::configs()?;
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for file in find::names(&configs)? {
        let overlay = sagen_streamed_arch::config::named(&configs.join(format!("{file}.yaml")).display().to_string())?;
        if let Some(other) = files.insert(overlay.name().to_string(), file.clone()) {
            bail!(
                "configs {other} and {file} both make the overlay {}, and would share its build folder",
                overlay.name()
            );
        }
    }
    let root = configs.parent().context("the configs folder has a parent")?;
    let stale = check::stale(root, write)?;
    let list: Vec<String> = stale.iter().map(|p| p.display().to_string()).collect();
    match (list.is_empty(), write) {
        (true, _) => outcome::print("configs and generated tables are in order\n"),
        (false, true) => outcome::print(&format!("renewed: {}\n", list.join(", "))),
        (false, false) => bail!("stale: {}; renew with `sagen check --write`", list.join(", ")),
    }
}
