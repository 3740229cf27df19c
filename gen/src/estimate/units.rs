//! Resources by unit, as the overlay's family lists them.

use super::Unit;
use super::resources::{Counted, Resources};
use crate::tree::{self, TreeError};
use sagen_lang::Manifest;
use sagen_overlay::{Counts, UnitRow};
use std::collections::BTreeMap;

/// A line for each row that has instances; an instance that no row counts is an error.
pub(super) fn units(
    rows: &[UnitRow],
    manifest: &Manifest,
    counted: &BTreeMap<String, Counted>,
) -> Result<Vec<Unit>, TreeError> {
    for row in rows {
        tree::complete(manifest, &row.within, |path| rows.iter().any(|r| counts(r, path)))?;
    }
    let units = rows.iter().map(|row| unit(row, manifest, counted));
    units.filter(|unit| unit.as_ref().map_or(true, |u| u.instances > 0)).collect()
}

/// Whether a row counts an instance, or something in it.
fn counts(row: &UnitRow, path: &str) -> bool {
    let (within, instance) = path.rsplit_once('/').unwrap_or(("", path));
    row.within == path || (row.within == within && named(&row.counts, instance))
}

fn named(counts: &Counts, instance: &str) -> bool {
    match counts {
        Counts::Instances(name) => instance.trim_end_matches(|c: char| c.is_ascii_digit()) == name,
        Counts::Own => false,
    }
}

fn unit(row: &UnitRow, manifest: &Manifest, counted: &BTreeMap<String, Counted>) -> Result<Unit, TreeError> {
    let module = tree::at(manifest, &row.within)?;
    let mut unit = Unit { name: row.name.clone(), instances: 0, resources: Resources::default() };
    if row.counts == Counts::Own {
        return Ok(Unit { instances: 1, resources: counted[&module.name].own, ..unit });
    }
    for instance in module.instances.iter().filter(|i| named(&row.counts, &i.name)) {
        unit.instances += 1;
        unit.resources += counted[&instance.module].total;
    }
    Ok(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::tests::entry;

    fn row(name: &str, counts: Counts) -> UnitRow {
        UnitRow { name: name.to_string(), within: "u_core".to_string(), counts }
    }

    #[test]
    fn numbered_instances_are_one_line_and_one_without_a_row_is_an_error() {
        let core = entry("core", &[("u_lane0", "lane"), ("u_lane1", "lane"), ("u_topk", "lane")]);
        let modules = vec![entry("lane", &[]), core, entry("top", &[("u_core", "core")])];
        let manifest = Manifest { top: "top".to_string(), modules };
        let of = |own, total| Counted {
            own: Resources { lut: own, ..Resources::default() },
            total: Resources { lut: total, ..Resources::default() },
        };
        let counted = BTreeMap::from([("lane".to_string(), of(3, 3)), ("core".to_string(), of(5, 14))]);
        let lanes = row("lane", Counts::Instances("u_lane".to_string()));
        let mut rows = vec![lanes, row("none", Counts::Instances("u_none".to_string())), row("rest", Counts::Own)];
        let error = units(&rows, &manifest, &counted).unwrap_err();
        assert_eq!(error.to_string(), "instance u_topk of core has no place");
        rows.push(row("top k", Counts::Instances("u_topk".to_string())));
        let found = units(&rows, &manifest, &counted).unwrap();
        let told: Vec<_> = found.iter().map(|u| (u.name.as_str(), u.instances, u.resources.lut)).collect();
        assert_eq!(told, [("lane", 2, 6), ("rest", 1, 5), ("top k", 1, 3)]);
    }
}
