//! What the engine keeps of a descriptor: one flat word whose fields mean the same for all three operations.

use crate::fields::{field as take, is};
use sagen_lang::{Module, Signal, lit, pack, unsigned};

/// Fields, lowest first: name, width, two's complement.
const FIELDS: &[(&str, u32, bool)] = &[
    ("matvec", 1, false),
    ("score", 1, false),
    ("sum", 1, false),
    // Of code words and scale entries.
    ("x", 16, false),
    ("x_stride", 16, false),
    ("scale", 12, false),
    ("scale_stride", 12, false),
    // One bit a vector.
    ("active", 4, false),
    // Groups - 1.
    ("last_group", 8, false),
    // Blocks - 1 or keys - 1.
    ("last", 17, false),
    // Last key that each vector sees.
    ("limit0", 17, false),
    ("limit1", 17, false),
    ("limit2", 17, false),
    ("limit3", 17, false),
    ("y", 16, false),
    ("y_stride", 16, false),
    ("y_part", 2, false),
    ("write", 1, false),
    ("argmax", 1, false),
    ("argmax_first", 1, false),
    ("id_base", 24, false),
    ("id_limit", 24, false),
    ("reg", 5, false),
    ("v_mantissa", 16, false),
    ("v_exponent", 8, true),
    ("shift", 8, true),
];

/// Bits of a plan.
pub(super) fn width() -> u32 {
    FIELDS.iter().map(|f| f.1).sum()
}

/// A field of a plan.
#[track_caller]
pub(super) fn field(plan: impl Into<Signal>, name: &str) -> Signal {
    let at = FIELDS.iter().position(|f| f.0 == name).unwrap_or_else(|| panic!("a plan has no field {name}"));
    let lo = FIELDS[..at].iter().map(|f| f.1).sum();
    let bits = plan.into().slice(lo, FIELDS[at].1);
    if FIELDS[at].2 { bits.as_signed() } else { bits }
}

/// Number of the last active vector.
pub(super) fn last_vector(active: Signal) -> Signal {
    active.bit(3).mux(lit(2, 3), active.bit(2).mux(lit(2, 2), active.bit(1).extend(2)))
}

/// The plan of a descriptor. Two step registers are read for it: `limit` and `count`.
pub(super) fn of(m: &Module, desc: Signal) -> Signal {
    let (matvec, score) = (is(desc, "Matvec"), is(desc, "Score"));
    let sum = is(desc, "WeightedSum");
    let (matvec, score) = (m.net("is_matvec", matvec), m.net("is_score", score));
    let streams = m.net("is_sum", sum);
    let three = |name: &str| {
        let of = |descriptor: &str| take(desc, descriptor, name);
        matvec.mux(of("Matvec"), score.mux(of("Score"), of("WeightedSum")))
    };
    let attention = |name: &str| score.mux(take(desc, "Score", name), take(desc, "WeightedSum", name));
    let results = |name: &str| matvec.mux(take(desc, "Matvec", name), take(desc, "WeightedSum", name));
    let step_register = |name: &str, field: &str| {
        m.output(&format!("{name}_index"), attention(field));
        m.input(&format!("{name}_value"), unsigned(32)).trunc(16)
    };
    let position = step_register("limit", "limit_reg");
    let limit = |row: &str| position.add_full(attention(row).extend(16));
    let count = matvec.mux(
        take(desc, "Matvec", "blocks"),
        score.mux(take(desc, "Score", "blocks"), take(desc, "WeightedSum", "keys")),
    );
    let more = step_register("count", "reg");
    let zero = m.lit(more.ty(), 0);
    let items = count.add_full(matvec.mux(zero, more));
    let vectors = three("vectors");
    let dot = |name: &str| matvec.mux(take(desc, "Matvec", name), take(desc, "Score", name));
    let value = |name: &str| match name {
        "matvec" => matvec,
        "score" => score,
        "sum" => streams,
        "active" => pack(&[1, 2, 3, 4].map(|n| vectors.ge_lit(n))),
        "x" | "x_stride" | "scale" | "scale_stride" => dot(name),
        "last_group" => dot("groups").sub_lit(1),
        "last" => items.sub_lit(1),
        "limit0" => limit("row0"),
        "limit1" => limit("row1"),
        "limit2" => limit("row2"),
        "limit3" => limit("row3"),
        "y" | "y_stride" => results(name),
        "y_part" => take(desc, "WeightedSum", "y_lane").slice(2, 2),
        "v_mantissa" | "v_exponent" => take(desc, "WeightedSum", name),
        "shift" => three(name),
        _ => take(desc, "Matvec", name),
    };
    let values: Vec<Signal> = FIELDS.iter().map(|f| value(f.0).as_unsigned()).collect();
    pack(&values)
}

#[cfg(test)]
mod tests {
    #[test]
    fn fields_do_not_overlap_and_are_found_by_name() {
        let names: std::collections::BTreeSet<_> = super::FIELDS.iter().map(|f| f.0).collect();
        assert_eq!(names.len(), super::FIELDS.len());
    }
}
