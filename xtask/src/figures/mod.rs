//! Figures in README and docs.
//!
//! Three sources, none of them typed by hand: `configs/*.cycles` (held by the tests of co-simulation),
//! `docs/figures.json` (what `--measure` ran, each with the sum of the Verilog that it ran on, so that a figure of other
//! hardware is stale), and the tables of this module, which stand in the documents between
//! `<!-- figures: NAME -->` and `<!-- end -->`.

mod blocks;
mod measure;
mod numbers;
mod record;
mod tables;

use anyhow::{Context, Result, bail};
use clap::Args;
use record::{Record, Sums};
use std::path::{Path, PathBuf};

/// Options of `cargo xtask figures`.
///
/// Without options it compares and changes nothing: this is what CI runs, in a second. `--measure` runs the commands
/// whose figures are stale (minutes each, in release mode), then writes.
#[derive(Args)]
pub(crate) struct Options {
    /// Write the tables into the documents.
    #[arg(long)]
    write: bool,
    /// Measure what is stale, keep it in docs/figures.json, then write the tables.
    #[arg(long)]
    measure: bool,
    /// With --measure: only measurements whose name contains this.
    #[arg(long, value_name = "PART", requires = "measure")]
    only: Option<String>,
}

/// Documents that hold tables.
const DOCUMENTS: [&str; 3] = ["README.md", "docs/benchmarks.md", "docs/predict.md"];

/// Compare; measure and write where asked for.
pub(crate) fn run(options: &Options) -> Result<()> {
    let root = root()?;
    let sums = Sums::read(&root)?;
    let path = root.join("docs/figures.json");
    let mut record = Record::read(&path)?;
    if options.measure {
        measure::stale(&root, &sums, &mut record, options.only.as_deref(), |record| record.write(&path))?;
    }
    let (goldens, clocks) = (record::goldens(&root)?, record::clocks(&root)?);
    let figures = tables::Figures { record: &record, goldens: &goldens, clocks: &clocks };
    let mut differ = Vec::new();
    for name in DOCUMENTS {
        let document = root.join(name);
        let text = std::fs::read_to_string(&document).with_context(|| document.display().to_string())?;
        let fresh = blocks::replace(&text, |block| tables::table(block, &figures))
            .with_context(|| document.display().to_string())?;
        if fresh != text && (options.write || options.measure) {
            std::fs::write(&document, fresh).with_context(|| document.display().to_string())?;
            println!("written: {name}");
        } else if fresh != text {
            differ.push(name);
        }
    }
    let stale = measure::names_of_stale(&sums, &record);
    if !differ.is_empty() {
        bail!("tables differ from the figures in {}; renew them with `cargo xtask figures --write`", differ.join(", "));
    }
    if !stale.is_empty() {
        bail!(
            "measured on other Verilog than today's: {}; renew with `cargo xtask figures --measure`",
            stale.join(", ")
        );
    }
    println!("figures in {} are those measured", DOCUMENTS.join(", "));
    Ok(())
}

fn root() -> Result<PathBuf> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(crate_folder.parent().context("the crate lies in the repository")?.to_owned())
}
