//! `sagen report`: what Vivado's reports say, and which rules do not hold.

use anyhow::{Result, bail};
use clap::Args;
use sagen_host::outcome;
use sagen_vivado::report::{self, Report};
use std::path::{Path, PathBuf};

/// What to judge.
#[derive(Args)]
pub(crate) struct Options {
    /// Build folder, folder of results or folder of reports.
    dir: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Print and judge; an error when a rule does not hold.
pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = match report::folder(&options.dir) {
        Ok(folder) => folder,
        Err(error) if options.json => return Err(told(error)),
        Err(error) => return Err(error.into()),
    };
    let report = report::judge(&folder);
    let text = if options.json { serde_json::to_string_pretty(&report)? + "\n" } else { table(&report) };
    let printed = outcome::print(&text);
    // The verdict counts also where nobody reads the figures.
    verdict(&folder, &report)?;
    Ok(printed?)
}

/// An error that whoever reads JSON finds there too.
fn told(error: impl std::error::Error + Send + Sync + 'static) -> anyhow::Error {
    let text = serde_json::json!({ "error": error.to_string() });
    match outcome::print(&format!("{text:#}\n")) {
        Ok(()) => error.into(),
        Err(unprinted) => unprinted.into(),
    }
}

/// An error that names each rule broken on a line of its own.
pub(crate) fn verdict(folder: &Path, report: &Report) -> Result<()> {
    report.warnings.iter().for_each(|w| outcome::complain(&format!("WARNING: {w}")));
    if report.failures.is_empty() {
        return Ok(());
    }
    report.failures.iter().for_each(|f| outcome::complain(&format!("FAIL: {f}")));
    bail!("{}: {} rule(s) do not hold", folder.display(), report.failures.len())
}

/// The figures in lines.
pub(crate) fn table(report: &Report) -> String {
    let mut lines = Vec::new();
    if let Some(e) = &report.expected {
        lines.push(format!("{:<32} {} ({}, {})", "build", e.config, e.key, e.part));
    }
    if let Some(t) = &report.timing {
        lines.push(format!("{:<32} {}", "tool", t.tool));
        let rows = [
            ("WNS", t.wns_ns, t.setup_failing),
            ("WHS", t.whs_ns, t.hold_failing),
            ("WPWS", t.wpws_ns, t.pulse_failing),
        ];
        for (name, slack, failing) in rows {
            let slack = slack.map_or("NA".to_string(), |s| format!("{s:.3} ns"));
            lines.push(format!("{name:<32} {slack:>12}  {failing} failing"));
        }
    }
    for clock in &report.clocks {
        lines.push(format!("{:<32} {:>8.3} MHz", format!("clock {}", clock.name), 1000.0 / clock.period_ns));
    }
    for check in report.checks.iter().filter(|c| c.count > 0) {
        lines.push(format!("{:<32} {:>12}", check.name, check.count));
    }
    for r in report.resources.iter().filter(|r| r.used > 0.0) {
        lines.push(format!("{:<32} {:>12} of {:>8} {:>6.2} %", r.name, r.used, r.available, r.percent()));
    }
    lines.iter().map(|l| format!("{l}\n")).collect()
}
