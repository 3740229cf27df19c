//! `report_drc` and `report_methodology`: the table of rules with what broke them.

use super::text::{ReportError, Text};
use super::utilisation::cells;
use serde::Serialize;

/// A rule that was broken.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct Violation {
    /// Name, such as DPIP-1.
    pub rule: String,
    /// How grave.
    pub severity: Severity,
    /// What the rule is about.
    pub description: String,
    /// How often it was broken.
    pub count: u64,
}

/// How grave Vivado takes a rule.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub enum Severity {
    /// For information.
    Advisory,
    /// May be left.
    Warning,
    /// Somebody has to look at it.
    CriticalWarning,
    /// The design is wrong.
    Error,
}

impl Severity {
    fn read(name: &str) -> Option<Self> {
        Some(match name {
            "Advisory" | "Info" => Self::Advisory,
            "Warning" => Self::Warning,
            "Critical Warning" => Self::CriticalWarning,
            "Error" | "Fatal" => Self::Error,
            _ => return None,
        })
    }
}

/// Columns of the table; the last has had two names.
const COLUMNS: [&[&str]; 4] = [&["Rule"], &["Severity"], &["Description"], &["Violations", "Checks"]];

/// Read the rules of a report that is there to its end: counts, rows and details agree.
pub(crate) fn violations(text: &Text) -> Result<Vec<Violation>, ReportError> {
    let (at, line) = text.find(0, "a line `Violations found: <count>`", |l| total(l).is_some())?;
    let total: u64 = text.number(at, "the violations found", total(line).unwrap_or_default())?;
    if total == 0 {
        return Ok(Vec::new());
    }
    let rows = rows(text, at + 1)?;
    let sum: u64 = rows.iter().map(|r| r.count).sum();
    if sum != total {
        return Err(text.fault(at, &format!("as many violations as the rows of the table have, {sum}")));
    }
    let (details, _) = text.find(at, "the section `2. REPORT DETAILS`", |l| {
        l.trim().strip_suffix("REPORT DETAILS").is_some_and(|number| number.trim() == "2.")
    })?;
    for row in &rows {
        let title = |l: &str| l.split_once('#').is_some_and(|(rule, rest)| rule == row.rule && numbered(rest));
        let found = text.lines().skip(details).filter(|(_, l)| title(l)).count() as u64;
        if found != row.count {
            return Err(text.fault(usize::MAX, &format!("{} details of {}, there are {found}", row.count, row.rule)));
        }
    }
    let last = text.lines().filter(|(_, l)| !l.trim().is_empty()).last().map_or(0, |(index, _)| index);
    // Each detail ends with the objects that it is about.
    if text.line(last).starts_with("Related violations:") {
        Ok(rows)
    } else {
        Err(text.fault(last, "`Related violations:`"))
    }
}

fn total(line: &str) -> Option<&str> {
    let line = line.trim();
    line.strip_prefix("Violations found:").or_else(|| line.strip_prefix("Checks found:")).map(str::trim)
}

/// What follows the rule in the title of a detail, such as `1 Warning`.
fn numbered(rest: &str) -> bool {
    let (number, severity) = rest.split_once(' ').unwrap_or((rest, ""));
    number.parse::<u64>().is_ok() && Severity::read(severity.trim()).is_some()
}

fn rows(text: &Text, start: usize) -> Result<Vec<Violation>, ReportError> {
    let (head, line) = text.find(start, "the table of rules", |l| l.starts_with('|'))?;
    let names = cells(line).unwrap_or_default();
    if names.len() != COLUMNS.len() || names.iter().zip(COLUMNS).any(|(name, known)| !known.contains(name)) {
        return Err(text.fault(head, "the columns Rule, Severity, Description, Violations"));
    }
    let mut rows = Vec::new();
    let mut at = head + 2;
    while text.first(at) == '|' {
        let row = cells(text.line(at)).unwrap_or_default();
        let &[rule, severity, description, count] = row.as_slice() else {
            return Err(text.fault(at, "a row of four cells"));
        };
        let severity = Severity::read(severity)
            .ok_or_else(|| text.fault(at, "a severity: Advisory, Warning, Critical Warning, Error or Fatal"))?;
        let count = text.number(at, &format!("the violations of {rule}"), count)?;
        rows.push(Violation { rule: rule.to_string(), severity, description: description.to_string(), count });
        at += 1;
    }
    if text.first(at) == '+' {
        Ok(rows)
    } else {
        Err(text.fault(at, "a further row, or the rule `+---+` that ends the table"))
    }
}
