//! What the engine keeps of a descriptor: one flat word whose fields mean the same for all three operations.

use crate::fields::{field as take, is};
use crate::interface::StepRead;
use sagen_lang::{Layout, Module, Packed, Signal, Type, bit, bundle, lit, pack, signed, unsigned};
use sagen_streamed_isa::VECTORS;

bundle! {
    /// The plan of a descriptor.
    pub(super) struct Plan() {
        matvec: bit(),
        score: bit(),
        sum: bit(),
        /// Of code words and scale entries.
        x: unsigned(16),
        x_stride: unsigned(16),
        scale: unsigned(12),
        scale_stride: unsigned(12),
        /// One bit a vector.
        active: unsigned(4),
        /// Groups - 1.
        last_group: unsigned(8),
        /// Blocks - 1 or keys - 1.
        last: unsigned(17),
        /// Last key that each vector sees.
        limit[VECTORS]: unsigned(17),
        y: unsigned(16),
        y_stride: unsigned(16),
        y_part: unsigned(2),
        write: bit(),
        argmax: bit(),
        argmax_first: bit(),
        id_base: unsigned(24),
        id_limit: unsigned(24),
        reg: unsigned(5),
        v_mantissa: unsigned(16),
        v_exponent: signed(8),
        shift: signed(8),
    }
}

/// Number of the last active vector.
pub(super) fn last_vector(active: Signal) -> Signal {
    active.bit(3).mux(lit(2, 3), active.bit(2).mux(lit(2, 2), active.bit(1).extend(2)))
}

/// The plan of a descriptor. Two step registers are read for it: `limit` and `count`.
pub(super) fn of(m: &Module, desc: Signal) -> Packed<Plan<Type>> {
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
        let step = m.master(name, StepRead::layout());
        step.index.drive(attention(field));
        step.value.trunc(16)
    };
    let position = step_register("limit_", "limit_reg");
    let limit = |row: &str| position.add_full(attention(row).extend(16));
    let count = matvec.mux(
        take(desc, "Matvec", "blocks"),
        score.mux(take(desc, "Score", "blocks"), take(desc, "WeightedSum", "keys")),
    );
    let more = step_register("count_", "reg");
    let zero = m.lit(more.ty(), 0);
    let items = count.add_full(matvec.mux(zero, more));
    let vectors = three("vectors");
    let dot = |name: &str| matvec.mux(take(desc, "Matvec", name), take(desc, "Score", name));
    let of_matvec = |name: &str| take(desc, "Matvec", name);
    let of_sum = |name: &str| take(desc, "WeightedSum", name);
    Plan::layout().pack(Plan {
        matvec,
        score,
        sum: streams,
        x: dot("x"),
        x_stride: dot("x_stride"),
        scale: dot("scale"),
        scale_stride: dot("scale_stride"),
        active: pack(&[1, 2, 3, 4].map(|n| vectors.ge_lit(n))),
        last_group: dot("groups").sub_lit(1),
        last: items.sub_lit(1),
        limit: ["row0", "row1", "row2", "row3"].map(limit),
        y: results("y"),
        y_stride: results("y_stride"),
        y_part: of_sum("y_lane").slice(2, 2),
        write: of_matvec("write"),
        argmax: of_matvec("argmax"),
        argmax_first: of_matvec("argmax_first"),
        id_base: of_matvec("id_base"),
        id_limit: of_matvec("id_limit"),
        reg: of_matvec("reg"),
        v_mantissa: of_sum("v_mantissa"),
        v_exponent: of_sum("v_exponent"),
        shift: three("shift"),
    })
}
