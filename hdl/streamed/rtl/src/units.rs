//! How `estimate` tells resources: the core's instances, the compute unit by engine.

use sagen_overlay::{Counts, Reference, UnitRow};

const CORE: &str = "u_core";
const COMPUTE: &str = "u_core/u_compute";

/// Lines of `estimate`, in order.
pub(crate) fn units() -> Vec<UnitRow> {
    let of = |name: &str| row(&name.replace('_', " "), CORE, Counts::Instances(format!("u_{name}")));
    let engine = |name: &str| row(&format!("compute: {name}"), COMPUTE, Counts::Instances(format!("u_{name}")));
    let mut rows: Vec<UnitRow> = ["csr", "fetch", "scheduler", "stream"].map(of).into();
    rows.extend(["gemv", "array"].map(engine));
    rows.push(row("compute: both", COMPUTE, Counts::Own));
    rows.extend(
        ["vector", "load", "store", "scratchpad", "code_memory", "scale_file", "arbiter", "read_guard", "write_guard"]
            .map(of),
    );
    rows.push(row("between the units", CORE, Counts::Own));
    rows
}

fn row(name: &str, within: &str, counts: Counts) -> UnitRow {
    UnitRow { name: name.to_string(), within: within.to_string(), counts }
}

/// Published figures of the overlay with arrays of this side.
pub(crate) fn reference(side: usize) -> Option<Reference> {
    match side {
        16 => Some(Reference { what: "D = 16, four 128-bit ports", lut: 101_995, bram36: 138, dsp: Some(349) }),
        8 => Some(Reference { what: "D = 8", lut: 40_275, bram36: 130, dsp: None }),
        _ => None,
    }
}
