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

/// Read every table.
pub(crate) fn resources(text: &Text) -> Result<Vec<Resource>, ReportError> {
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
    match REQUIRED.iter().find(|names| resources.iter().all(|r| !names.contains(&r.name.as_str()))) {
        Some(names) => Err(text.fault(usize::MAX, &format!("a row {}", names.join(" or ")))),
        None => Ok(resources),
    }
}

fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

fn header(text: &Text, index: usize, cells: &[&str]) -> Result<[usize; 2], ReportError> {
    let place = |name: &str| {
        let found = cells.iter().position(|c| *c == name);
        found.ok_or_else(|| text.fault(index, &format!("a column `{name}`")))
    };
    Ok([place("Used")?, place("Available")?])
}
