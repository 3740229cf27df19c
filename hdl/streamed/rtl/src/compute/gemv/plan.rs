//! What the engine keeps of a descriptor: one flat word whose fields mean the same for all three operations.

use crate::fields::Decode;
use crate::interface::StepRead;
use sagen_lang::{Layout, Module, Packed, Signal, Type, bit, bundle, lit, pack, signed, unsigned};
use sagen_streamed_isa::{Field, Matvec, Opcode, Score, VECTORS, WeightedSum};

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
    let (f, g, h) = (Matvec::FIELDS, Score::FIELDS, WeightedSum::FIELDS);
    let (matvec, score) = (desc.is(Opcode::Matvec), desc.is(Opcode::Score));
    let sum = desc.is(Opcode::WeightedSum);
    let (matvec, score) = (m.net("is_matvec", matvec), m.net("is_score", score));
    let streams = m.net("is_sum", sum);
    let three = |a: Field, b: Field, c: Field| matvec.mux(desc.get(a), score.mux(desc.get(b), desc.get(c)));
    let attention = |b: Field, c: Field| score.mux(desc.get(b), desc.get(c));
    let results = |a: Field, c: Field| matvec.mux(desc.get(a), desc.get(c));
    let step_register = |name: &str, b: Field, c: Field| {
        let step = m.master(name, StepRead::layout());
        step.index.drive(attention(b, c));
        step.value.trunc(16)
    };
    let position = step_register("limit_", g.limit_register, h.limit_register);
    let limit = |v: usize| position.add_full(attention(g.row[v], h.row[v]).extend(16));
    let count = three(f.blocks, g.blocks, h.keys);
    let more = step_register("count_", g.register, h.register);
    let zero = m.lit(more.ty(), 0);
    let items = count.add_full(matvec.mux(zero, more));
    let vectors = three(f.vectors, g.vectors, h.vectors);
    let dot = |a: Field, b: Field| matvec.mux(desc.get(a), desc.get(b));
    Plan::layout().pack(Plan {
        matvec,
        score,
        sum: streams,
        x: dot(f.codes.base, g.codes.base),
        x_stride: dot(f.codes.stride, g.codes.stride),
        scale: dot(f.scales.base, g.scales.base),
        scale_stride: dot(f.scales.stride, g.scales.stride),
        active: pack(&[1, 2, 3, 4].map(|n| vectors.ge_lit(n))),
        last_group: dot(f.groups, g.groups).sub_lit(1),
        last: items.sub_lit(1),
        limit: std::array::from_fn(limit),
        y: results(f.to.base, h.to),
        y_stride: results(f.to.stride, h.to_stride),
        y_part: desc.get(h.to_lane).slice(2, 2),
        write: desc.get(f.write),
        argmax: desc.get(f.argmax),
        argmax_first: desc.get(f.argmax_first),
        id_base: desc.get(f.id_base),
        id_limit: desc.get(f.id_limit),
        reg: desc.get(f.register),
        v_mantissa: desc.get(h.value_mantissa),
        v_exponent: desc.get(h.value_exponent),
        shift: three(f.shift, g.shift, h.shift),
    })
}
