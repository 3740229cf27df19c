//! `sagen build`.

use anyhow::Result;
use clap::Args;
use sagen::{build, family};
use sagen_host::{files, outcome};
use sagen_vivado::flow;
use std::path::PathBuf;

/// What to build, and where.
#[derive(Args)]
pub(crate) struct Options {
    /// Name of a config, or path of a YAML file.
    #[arg(long)]
    config: String,
    /// Folder that holds build folders.
    #[arg(long, default_value = "build")]
    out: PathBuf,
    /// How the names of all modules begin, so that two overlays can lie in one project.
    #[arg(long, default_value = "")]
    prefix: String,
}

/// Write the build folder.
pub(crate) fn run(options: &Options) -> Result<()> {
    files::folder("--out", &options.out)?;
    let overlay = family::overlay(&options.config)?.with_prefix(&options.prefix)?;
    let built = build::build(&overlay, &options.out)?;
    let folder = built.folder.display();
    let left_out = match flow::supported(&overlay) {
        Ok(()) => String::new(),
        Err(reason) => format!("; vivado/ was left out: {reason}"),
    };
    Ok(outcome::print(&format!("{folder}: {} files, build hash {:08x}{left_out}\n", built.files, built.build_hash))?)
}
