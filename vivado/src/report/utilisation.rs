//! `report_utilization`: tables with the columns `Site Type`, `Used` and `Available`.

use super::text::{ReportError, Text};
use serde::Serialize;

/// One row that has a limit.
#[derive(Debug, Serialize, PartialEq)]
pub struct Resource {
    /// As Vivado names it.
    pub name: String,
    /// Used.
    pub used: f64,
    /// In the part.
    pub available: f64,
}

impl Resource {
    /// Used, in percent.
    pub fn percent(&self) -> f64 {
        if self.available > 0.0 { 100.0 * self.used / self.available } else { 100.0 * self.used }
    }
}

/// Rows without which a report is not one: look-up tables, registers, memories, DSP blocks, by their names in either
/// family.
const REQUIRED: [&[&str]; 4] =
    [&["CLB LUTs", "Slice LUTs"], &["CLB Registers", "Slice Registers"], &["Block RAM Tile"], &["DSPs"]];

/// Read every table of a report that is there to its end.
pub(crate) fn resources(text: &Text) -> Result<Vec<Resource>, ReportError> {
    let resources = rows(text)?;
    if let Some(names) = REQUIRED.iter().find(|names| resources.iter().all(|r| !names.contains(&r.name.as_str()))) {
        return Err(text.fault(usize::MAX, &format!("a row {}", names.join(" or "))));
    }
    closed(text)?;
    sections(text)?;
    Ok(resources)
}

/// A table ends with a rule.
pub(super) fn closed(text: &Text) -> Result<(), ReportError> {
    let after_row = |index: usize| index > 0 && is_row(text, index - 1);
    let open = (0..=text.lines().count()).find(|i| after_row(*i) && !['+', '|'].contains(&text.first(*i)));
    open.map_or(Ok(()), |index| Err(text.fault(index, "a further row, or the rule `+---+` that ends the table")))
}

/// Every section of the table of contents is there, with a table.
fn sections(text: &Text) -> Result<(), ReportError> {
    let (contents, _) = text.find(0, "a line `Table of Contents`", |l| l.trim() == "Table of Contents")?;
    let titles = text.lines().skip(contents + 2).map(|(_, l)| l.trim()).take_while(|l| !l.is_empty());
    let titles: Vec<&str> = titles.collect();
    let mut at = contents + 2 + titles.len();
    for title in titles {
        at = text.find(at, &format!("the section `{title}`"), |l| l.trim() == title)?.0;
        at = text.find(at, &format!("the table of the section `{title}`"), |l| l.starts_with('|'))?.0;
    }
    Ok(())
}

fn rows(text: &Text) -> Result<Vec<Resource>, ReportError> {
    let mut resources: Vec<Resource> = Vec::new();
    let mut columns: Option<[usize; 2]> = None;
    for (index, line) in text.lines() {
        let Some(cells) = cells(line) else {
            // Only rules and rows belong to a table.
            if !line.starts_with('+') {
                columns = None;
            }
            continue;
        };
        if cells[0] == "Site Type" {
            columns = Some(header(text, index, &cells)?);
            continue;
        }
        let Some([used, available]) = columns else { continue };
        let (Some(used), Some(available)) = (cells.get(used), cells.get(available)) else {
            return Err(text.fault(index, "as many cells as the head of the table has"));
        };
        // Rows of detail carry no limit.
        if !available.is_empty() {
            let name = cells[0].trim_end_matches('*').to_string();
            let used = text.number(index, &format!("{name}, Used"), used)?;
            let available = text.number(index, &format!("{name}, Available"), available)?;
            resources.push(Resource { name, used, available });
        }
    }
    Ok(resources)
}

fn is_row(text: &Text, index: usize) -> bool {
    cells(text.line(index)).is_some()
}

pub(super) fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

fn header(text: &Text, index: usize, cells: &[&str]) -> Result<[usize; 2], ReportError> {
    let place = |name: &str| {
        let found = cells.iter().position(|c| *c == name);
        found.ok_or_else(|| text.fault(index, &format!("a column `{name}`")))
    };
    let columns = [place("Used")?, place("Available")?];
    // Every part has some of what such a table counts.
    if is_row(text, index + 2) { Ok(columns) } else { Err(text.fault(index + 2, "a row below the head of the table")) }
}
