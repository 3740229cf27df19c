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

/// Sections behind the summary, in their order.
const SECTIONS: [&str; 5] =
    ["Clock Summary", "Intra Clock Table", "Inter Clock Table", "Other Path Groups Table", "Timing Details"];

/// Checks of `check_timing`, in their order.
const CHECKS: [&str; 12] = [
    "no_clock",
    "constant_clock",
    "pulse_width_clock",
    "unconstrained_internal_endpoints",
    "no_input_delay",
    "no_output_delay",
    "multiple_clock",
    "generated_clocks",
    "loops",
    "partial_input_delay",
    "partial_output_delay",
    "latch_loops",
];

fn section(text: &Text, start: usize, name: &str) -> Result<usize, ReportError> {
    let title = |l: &str| l.strip_prefix('|').is_some_and(|rest| rest.trim() == name);
    Ok(text.find(start, &format!("a section `{name}`"), title)?.0)
}

/// Read the timing summary of a report that is there to its end.
pub(crate) fn summary(text: &Text) -> Result<Summary, ReportError> {
    let summary = design_summary(text)?;
    let mut at = section(text, 0, "Design Timing Summary")?;
    for name in SECTIONS {
        at = section(text, at, name)?;
    }
    if text.line(at + 2).starts_with("---") {
        Ok(summary)
    } else {
        Err(text.fault(at + 2, "the rule below the last section's title"))
    }
}

fn design_summary(text: &Text) -> Result<Summary, ReportError> {
    let section = section(text, 0, "Design Timing Summary")?;
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

/// Read the table of contents of `check_timing`, lines such as `1. checking no_clock (0)`; each check has a section too.
pub(crate) fn checks(text: &Text) -> Result<Vec<Check>, ReportError> {
    let mut found: Vec<(usize, &str, u64)> = Vec::new();
    for (index, line) in text.lines() {
        let Some((_, rest)) = line.trim().split_once(". checking ") else { continue };
        let counted = rest.strip_suffix(')').and_then(|r| r.split_once(" ("));
        let Some((name, count)) = counted else { return Err(text.fault(index, "`N. checking <name> (<count>)`")) };
        found.push((index, name, text.number(index, name, count)?));
    }
    let check = |name: &&str| {
        let mut here = found.iter().filter(|(_, n, _)| n == name);
        let (_, _, count) = here.next().ok_or_else(|| missing(text, "a line", name))?;
        let (title, _, _) = here.next().ok_or_else(|| missing(text, "a section", name))?;
        if !text.line(title + 1).starts_with("---") || text.line(title + 2).trim().is_empty() {
            return Err(text.fault(title + 2, &format!("a rule and what was found for {name}")));
        }
        Ok(Check { name: name.to_string(), count: *count })
    };
    CHECKS.iter().map(check).collect()
}

fn missing(text: &Text, what: &str, name: &str) -> ReportError {
    text.fault(usize::MAX, &format!("{what} `N. checking {name} (<count>)`"))
}
