//! What Vivado's reports say about a build, and whether it may be used. Anything that cannot be read is a failure:
//! a report that is missing has not been met.

mod addresses;
mod clocks;
mod head;
mod hierarchy;
mod text;
mod timing;
mod utilisation;
mod violations;

use crate::flow::Expected;
use serde::Serialize;
use std::path::{Path, PathBuf};

pub use clocks::Clock;
pub use text::ReportError;
pub use timing::{Check, Summary};
pub use utilisation::Resource;
pub use violations::{Severity, Violation};

use head::Head;
use text::Text;

const DRC: &str = "drc.rpt";
const METHODOLOGY: &str = "methodology.rpt";
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
    /// One line for each critical warning: to be looked at, no failure.
    pub warnings: Vec<String>,
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
    let mut reader = Reader { folder, heads: Vec::new(), failures: Vec::new() };
    let expected: Option<Expected> =
        text::json(&folder.join("expected.json")).map_err(|e: ReportError| reader.failures.push(e.to_string())).ok();
    let timing = reader.read("timing_summary.rpt", timing::summary);
    let checks = reader.read("check_timing.rpt", timing::checks).unwrap_or_default();
    let resources = reader.read("utilization.rpt", utilisation::resources).unwrap_or_default();
    let clocks = reader.read("clocks.rpt", clocks::clocks).unwrap_or_default();
    reader.read("utilization_hierarchical.rpt", hierarchy::check);
    let rules = [DRC, METHODOLOGY].map(|name| (name, reader.read(name, violations::violations).unwrap_or_default()));
    if let Err(e) = whole(&folder.join("address_map.rpt"), addresses::check) {
        reader.failures.push(e.to_string());
    }
    let Reader { heads, mut failures, .. } = reader;
    failures.extend(timing.iter().flat_map(slack_rules));
    failures.extend(head::rules(&heads, expected.as_ref()));
    failures.extend(lines(&rules, Severity::Error, "Error"));
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
    let warnings = lines(&rules, Severity::CriticalWarning, "Critical Warning");
    Report { expected, timing, checks, resources, clocks, failures, warnings }
}

/// One line for each broken rule of a severity.
fn lines(rules: &[(&str, Vec<Violation>)], severity: Severity, name: &str) -> Vec<String> {
    let of = |(file, found): &(&str, Vec<Violation>)| {
        let chosen = found.iter().filter(|v| v.severity == severity);
        let line = |v: &Violation| format!("{file}: {name} {} ({}), {} time(s)", v.rule, v.description, v.count);
        chosen.map(line).collect::<Vec<_>>()
    };
    rules.iter().flat_map(of).collect()
}

/// Reads reports that have a head, and keeps the heads.
struct Reader<'a> {
    folder: &'a Path,
    heads: Vec<Head>,
    failures: Vec<String>,
}

impl Reader<'_> {
    /// What a report says; nothing, and a failure, where it cannot be read.
    fn read<T>(&mut self, name: &str, parse: fn(&Text) -> Result<T, ReportError>) -> Option<T> {
        let (parsed, text) =
            whole(&self.folder.join(name), parse).map_err(|e| self.failures.push(e.to_string())).ok()?;
        match Head::of(name, &text) {
            Ok(head) => self.heads.push(head),
            Err(e) => self.failures.push(e.to_string()),
        }
        Some(parsed)
    }
}

/// A report that is there to its end.
fn whole<T>(path: &Path, parse: fn(&Text) -> Result<T, ReportError>) -> Result<(T, Text), ReportError> {
    let text = Text::open(path)?;
    let parsed = parse(&text)?;
    text.ended()?;
    Ok((parsed, text))
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
