//! `report_utilization -hierarchical`: what each instance uses.

use super::text::{ReportError, Text};
use super::utilisation::{cells, closed};

/// A table with the design at its top, there to its end.
pub(crate) fn check(text: &Text) -> Result<(), ReportError> {
    let design = text.head("Design")?.to_string();
    let (head, line) =
        text.find(0, "a table with the column `Instance`", |l| cells(l).is_some_and(|cells| cells[0] == "Instance"))?;
    let columns = cells(line).unwrap_or_default().len();
    let top = cells(text.line(head + 2)).unwrap_or_default();
    if top.first() != Some(&design.as_str()) {
        return Err(text.fault(head + 2, &format!("a row of the design, {design}")));
    }
    for (index, line) in text.lines().skip(head + 2).take_while(|(_, l)| l.starts_with('|')) {
        if cells(line).is_none_or(|row| row.len() != columns) {
            return Err(text.fault(index, &format!("{columns} cells, as the head of the table has")));
        }
    }
    closed(text)
}
