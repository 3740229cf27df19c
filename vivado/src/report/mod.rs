//! What Vivado's reports say about a build, and whether it may be used. Anything that cannot be read is a failure:
//! a report that is missing has not been met.

mod clocks;
mod text;
mod timing;
mod utilisation;

use crate::flow::Expected;
use serde::Serialize;
use std::path::{Path, PathBuf};

pub use clocks::Clock;
pub use text::ReportError;
pub use timing::{Check, Summary};
pub use utilisation::Resource;

use text::Text;

/// Reports that must be there besides those that are read.
const PRESENT: [&str; 4] = ["utilization_hierarchical.rpt", "drc.rpt", "methodology.rpt", "address_map.rpt"];
/// Names that the processing systems' IP gives to the fabric clock.
const FABRIC_CLOCKS: [&str; 2] = ["clk_pl_0", "clk_fpga_0"];

/// A folder of reports, read and judged.
#[derive(Debug, Serialize)]
pub struct Report {
    /// What the build was to be.
    pub expected: Option<Expected>,
    /// Slack and failing endpoints.
    pub timing: Option<Summary>,
    /// Counts of `check_timing`.
    pub checks: Vec<Check>,
    /// Used and available.
    pub resources: Vec<Resource>,
    /// Clocks of the fabric.
    pub clocks: Vec<Clock>,
    /// One line for each rule that does not hold.
    pub failures: Vec<String>,
}

/// The folder of reports that a path means: a build folder, its results, or the folder itself.
pub fn folder(path: &Path) -> Result<PathBuf, ReportError> {
    if path.is_file() {
        return Err(ReportError::NotFolder { path: path.display().to_string() });
    }
    if !path.is_dir() {
        return Err(ReportError::NoFolder { path: path.display().to_string() });
    }
    let flow = path.join("vivado/flow.json");
    if flow.is_file() {
        let expected: Expected = text::json(&flow)?;
        let reports = path.join("vivado/work").join(&expected.key).join("reports");
        return match reports.is_dir() {
            true => Ok(reports),
            false => Err(ReportError::NotBuilt { path: path.display().to_string(), key: expected.key }),
        };
    }
    let below = path.join("reports");
    Ok(if below.is_dir() { below } else { path.to_path_buf() })
}

/// Read and judge a folder of reports.
pub fn judge(folder: &Path) -> Report {
    let mut failures = Vec::new();
    let mut note = |e: ReportError| failures.push(e.to_string());
    let expected = text::json(&folder.join("expected.json")).map_err(&mut note).ok();
    let timing = read(folder, "timing_summary.rpt", timing::summary).map_err(&mut note).ok();
    let checks = read(folder, "check_timing.rpt", timing::checks).map_err(&mut note).unwrap_or_default();
    let resources = read(folder, "utilization.rpt", utilisation::resources).map_err(&mut note).unwrap_or_default();
    let clocks = read(folder, "clocks.rpt", clocks::clocks).map_err(&mut note).unwrap_or_default();
    for name in PRESENT {
        let _ = Text::open(&folder.join(name)).map_err(&mut note);
    }
    failures.extend(timing.iter().flat_map(slack_rules));
    failures.extend(checks.iter().filter_map(check_rule));
    failures.extend(
        resources
            .iter()
            .filter(|r| r.used > r.available)
            .map(|r| format!("{}: {} used of {} available, {:.1} %", r.name, r.used, r.available, r.percent())),
    );
    if let (Some(expected), false) = (&expected, clocks.is_empty()) {
        failures.extend(clock_rule(expected, &clocks));
    }
    Report { expected, timing, checks, resources, clocks, failures }
}

fn read<T>(folder: &Path, name: &str, parse: fn(&Text) -> Result<T, ReportError>) -> Result<T, ReportError> {
    let text = Text::open(&folder.join(name))?;
    let parsed = parse(&text)?;
    text.ended()?;
    Ok(parsed)
}

fn slack_rules(timing: &Summary) -> Vec<String> {
    let slacks = [("WNS", timing.wns_ns), ("WHS", timing.whs_ns), ("WPWS", timing.wpws_ns)];
    let mut broken: Vec<String> = slacks
        .iter()
        .filter_map(|(name, slack)| match slack {
            Some(s) if *s >= 0.0 => None,
            Some(s) => Some(format!("{name} = {s:.3} ns is negative")),
            None => Some(format!("{name} is NA: no path was timed")),
        })
        .collect();
    if !timing.state.contains("Routed") {
        broken.push(format!("the reports are of a design that is {}, not Routed", timing.state));
    }
    broken
}

fn check_rule(check: &Check) -> Option<String> {
    let judged = ["no_clock", "unconstrained_internal_endpoints"].contains(&check.name.as_str());
    (judged && check.count > 0).then(|| format!("{} = {}, 0 is required", check.name, check.count))
}

/// The period has three decimals, the dividers' frequency is exact.
fn clock_rule(expected: &Expected, clocks: &[Clock]) -> Option<String> {
    let Some(fabric) = clocks.iter().find(|c| FABRIC_CLOCKS.contains(&c.name.as_str())) else {
        let found: Vec<&str> = clocks.iter().map(|c| c.name.as_str()).collect();
        return Some(format!("no fabric clock: expected {}, found {}", FABRIC_CLOCKS.join(" or "), found.join(", ")));
    };
    let period = 1e6 / f64::from(expected.clock_khz);
    let off = (fabric.period_ns - period).abs() > 0.0006 + period / 1000.0;
    off.then(|| {
        let wanted = f64::from(expected.clock_khz) / 1000.0;
        format!("{} runs at {:.3} MHz, the config makes {wanted:.3} MHz", fabric.name, 1000.0 / fabric.period_ns)
    })
}
