//! `report_timing_summary` and `check_timing`.

use super::text::{ReportError, Text};
use serde::Serialize;

/// The line below `Design Timing Summary`. A slack is absent where no path was timed.
#[derive(Debug, Serialize, PartialEq)]
pub struct Summary {
    /// Vivado, as it names itself.
    pub tool: String,
    /// Routed, Placed.
    pub state: String,
    /// Worst setup slack.
    pub wns_ns: Option<f64>,
    /// Endpoints that fail setup.
    pub setup_failing: u64,
    /// Worst hold slack.
    pub whs_ns: Option<f64>,
    /// Endpoints that fail hold.
    pub hold_failing: u64,
    /// Worst pulse width slack.
    pub wpws_ns: Option<f64>,
    /// Endpoints that fail pulse width.
    pub pulse_failing: u64,
}

/// One section of `check_timing`.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct Check {
    /// no_clock, unconstrained_internal_endpoints ...
    pub name: String,
    /// Pins or ports found.
    pub count: u64,
}

const COLUMNS: [&str; 12] = [
    "WNS(ns)",
    "TNS(ns)",
    "TNS Failing Endpoints",
    "TNS Total Endpoints",
    "WHS(ns)",
    "THS(ns)",
    "THS Failing Endpoints",
    "THS Total Endpoints",
    "WPWS(ns)",
    "TPWS(ns)",
    "TPWS Failing Endpoints",
    "TPWS Total Endpoints",
];

/// Read the timing summary.
pub(crate) fn summary(text: &Text) -> Result<Summary, ReportError> {
    let title = |l: &str| l.trim_start_matches('|').trim() == "Design Timing Summary";
    let (section, _) = text.find(0, "a section `Design Timing Summary`", title)?;
    let (head, line) = text.find(section, "a line that begins with WNS(ns)", |l| l.trim().starts_with("WNS(ns)"))?;
    let columns: Vec<&str> = line.split("  ").map(str::trim).filter(|c| !c.is_empty()).collect();
    if columns != COLUMNS {
        return Err(text.fault(head, &format!("the columns {}", COLUMNS.join(", "))));
    }
    let row = head + 2;
    let words: Vec<&str> = text.line(row).split_whitespace().collect();
    if !text.line(head + 1).trim().starts_with("---") || words.len() != COLUMNS.len() {
        return Err(text.fault(row, &format!("{} values below the columns", COLUMNS.len())));
    }
    let slack = |i: usize| match words[i] {
        "NA" => Ok(None),
        word => text.number(row, COLUMNS[i], word).map(Some),
    };
    let count = |i: usize| match words[i] {
        "NA" => Ok(0),
        word => text.number(row, COLUMNS[i], word),
    };
    Ok(Summary {
        tool: text.head("Tool Version")?.to_string(),
        state: text.head("Design State")?.to_string(),
        wns_ns: slack(0)?,
        setup_failing: count(2)?,
        whs_ns: slack(4)?,
        hold_failing: count(6)?,
        wpws_ns: slack(8)?,
        pulse_failing: count(10)?,
    })
}

/// Read the table of contents of `check_timing`: lines such as `1. checking no_clock (0)`.
pub(crate) fn checks(text: &Text) -> Result<Vec<Check>, ReportError> {
    let mut checks: Vec<Check> = Vec::new();
    for (index, line) in text.lines() {
        let Some((_, rest)) = line.trim().split_once(". checking ") else { continue };
        let counted = rest.strip_suffix(')').and_then(|r| r.split_once(" ("));
        let Some((name, count)) = counted else { return Err(text.fault(index, "`N. checking <name> (<count>)`")) };
        let count = text.number(index, name, count)?;
        if checks.iter().all(|c| c.name != name) {
            checks.push(Check { name: name.to_string(), count });
        }
    }
    for required in ["no_clock", "unconstrained_internal_endpoints"] {
        if checks.iter().all(|c| c.name != required) {
            return Err(text.fault(usize::MAX, &format!("a line `N. checking {required} (<count>)`")));
        }
    }
    Ok(checks)
}
