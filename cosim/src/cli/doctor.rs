//! `cosim doctor`.

use anyhow::{Result, bail};
use clap::Args;
use sagen_cosim::doctor;
use sagen_host::outcome;
use std::path::PathBuf;

/// Options of `cosim doctor`.
#[derive(Args)]
pub(crate) struct Options {
    /// Verilator to check, instead of the one that would be found.
    #[arg(long, value_name = "PATH")]
    verilator: Option<PathBuf>,
}

/// Print the checks; fail when one fails.
pub(crate) fn run(options: &Options) -> Result<()> {
    let diagnosis = doctor::diagnose(options.verilator.as_deref());
    outcome::print(&format!("{diagnosis}\n"))?;
    if !diagnosis.is_ok() {
        bail!("something is missing; the table says what installs it");
    }
    Ok(())
}
