//! The scale of each segment: `amax * factor`, or `amax * rsqrt(sum of squares + epsilon) * factor`.
//! Golden twins: `golden::quantise::{scale, norm_scale}`, `golden::scale::Scale::times`.
//!
//! `load` starts with `rows`, `segments`, `scale` and `norm`; the constants stay until `last`, which comes with
//! the write of the last entry. One multiplier, used in turn: two cycles a segment, three with a root (a deep unit: three
//! and five), and once a row the time of the root. Exponents saturate to 8 bits.

use super::segments::Segment;
use super::shape::Shape;
use super::squares::{RowSum, SQUARES};
use crate::interface::ScaleWrite;
use sagen_blocks::multiply::{Settled, in_turn};
use sagen_blocks::sfu::rsqrt::rsqrt;
use sagen_lang::{Design, Fsm, Instance, Module, ModuleId, Output, Reg, Signal, bit, cat, low, signed, unsigned};

/// Holds any sum of the exponents of amax, root, factor and two products.
const EXPONENT: u32 = 10;

/// The scale computation.
pub(super) fn vector_scale(d: &mut Design, shape: Shape) -> ModuleId {
    let root = rsqrt(d, shape.depth, SQUARES);
    d.module(shape.by_depth("vector_scale"), |m| {
        m.doc("Scale entries of a dynamic quantisation.");
        let state = m.fsm("state", &["idle", "begin", "root", "take", "product"]);
        let (walk, squares) = (Walk::new(m), m.master("", RowSum::layout()));
        squares.read_row.drive(walk.row);
        let root = place_root(m, root, state.is("begin"), squares.row_sum);
        let product = Product::new(m);
        let segment = m.slave("segment_", Segment::layout());
        let take = m.net("take", state.is("take") & segment.ready);
        segment.pop.drive(take);
        m.when(take, || product.first(m, &walk, &root, &segment));
        let Settled { product: mantissas, settled } =
            in_turn(m, shape.depth, "mantissas", product.x.mul(product.y), state.is("product"));
        let result = product.result(m, mantissas);
        let ends = m.net("ends", state.is("product") & settled);
        let entry = m.net("entry", ends & !product.more.q());
        m.when(ends & product.more.q(), || product.second(m, &result));
        write(m, &walk, entry, &result);
        m.when(entry, || walk.advance(m));
        walk.states(m, &state, root.output("valid"), take, entry);
    })
}

fn place_root(m: &Module, root: ModuleId, start: Signal, sum: Signal) -> Instance {
    let u = m.instance("u_root", root);
    u.input("start", start);
    u.input("sum", sum);
    u.input("epsilon", m.input("epsilon", unsigned(40)));
    u
}

fn write(m: &Module, walk: &Walk, entry: Signal, result: &(Signal, Signal)) {
    let valid = m.reg("f_valid_q", bit()).reset(0);
    m.set(valid, entry);
    let scales = m.master("f_", ScaleWrite::layout());
    scales.valid.drive(valid);
    scales.addr.drive(m.reg_en("f_addr_q", entry, walk.at));
    let data = cat(&[result.1.sat(8).as_unsigned(), result.0]);
    scales.data.drive(m.reg_en("f_data_q", entry, data));
    m.output("last", valid & m.reg_en("f_last", entry, walk.last));
}

/// Rows and segments, in the order of the code pass.
struct Walk {
    load: Signal,
    norm: Signal,
    row: Reg,
    rows: Reg,
    segments: Reg,
    segments_held: Signal,
    at: Reg,
    at_row: Reg,
    row_last: Signal,
    last: Signal,
    given: [Signal; 4],
}

impl Walk {
    fn new(m: &Module) -> Self {
        let load = m.input("load", bit());
        let given = [("rows", 5), ("segments", 8), ("scale", 12), ("norm", 1)];
        let given = given.map(|(n, width)| m.input(n, unsigned(width)));
        let (rows, segments) = (m.reg("rows_left", unsigned(5)), m.reg("segments_left", unsigned(8)));
        let row_last = m.net("row_last", segments.eq_lit(1));
        let walk = Self {
            load,
            norm: m.reg_en("norm_held", load, given[3]).q(),
            row: m.reg("row", unsigned(4)),
            rows,
            segments,
            segments_held: m.reg_en("segments_held", load, given[1]).q(),
            at: m.reg("at", unsigned(12)),
            at_row: m.reg("at_row", unsigned(12)),
            row_last,
            last: m.net("last_segment", row_last & rows.eq_lit(1)),
            given,
        };
        m.when(load, || {
            let [rows, segments, scale, _] = walk.given;
            m.set(walk.rows, rows);
            m.set(walk.segments, segments);
            m.set(walk.at, scale);
            m.set(walk.at_row, scale);
            m.set(walk.row, m.lit(unsigned(4), 0));
        });
        walk
    }

    fn advance(&self, m: &Module) {
        let next_row = m.net("next_row", self.at_row.add(m.input("scale_stride", unsigned(12))));
        m.set(self.at, self.at.add_lit(1));
        m.set(self.segments, self.segments.sub_lit(1));
        m.when(self.row_last, || {
            m.set(self.at, next_row);
            m.set(self.at_row, next_row);
            m.set(self.segments, self.segments_held);
            m.set(self.rows, self.rows.sub_lit(1));
            m.set(self.row, self.row.add_lit(1));
        });
    }

    fn states(&self, m: &Module, state: &Fsm, root: Signal, take: Signal, entry: Signal) {
        let go = |next: &str| m.set_state(state, next);
        m.switch_state(state)
            .case("begin", || go("root"))
            .case("root", || {
                m.when(root, || go("take"));
            })
            .case("take", || {
                m.when(take, || go("product"));
            })
            .case("product", || {
                m.when(entry, || {
                    m.when(self.last, || go("idle"))
                        .elsewhen(self.row_last & self.norm, || go("begin"))
                        .otherwise(|| go("take"));
                });
            })
            .otherwise(|| ());
        m.when(self.load, || {
            let [.., norm] = self.given;
            m.when(norm, || go("begin")).otherwise(|| go("take"));
        });
    }
}

/// A multiplication of scales in progress.
struct Product {
    x: Reg,
    y: Reg,
    exponent: Reg,
    more: Reg,
    factor: (Signal, Signal),
}

impl Product {
    fn new(m: &Module) -> Self {
        let exponent = m.input("factor_exponent", signed(8)).extend(EXPONENT);
        Self {
            x: m.reg("x", unsigned(16)),
            y: m.reg("y", unsigned(16)),
            exponent: m.reg("exponent", signed(EXPONENT)),
            more: m.reg("more", bit()),
            factor: (m.input("factor_mantissa", unsigned(16)), exponent),
        }
    }

    /// The segment's amax times the root, or times the factor.
    fn first(&self, m: &Module, walk: &Walk, root: &Instance, segment: &Segment<Signal, Output>) {
        let exponent = segment.exponent.extend(EXPONENT);
        let root_exponent = root.output("exponent").extend(EXPONENT);
        m.set(self.x, segment.mantissa);
        m.set(self.y, walk.norm.mux(root.output("mantissa"), self.factor.0));
        m.set(self.exponent, exponent + walk.norm.mux(root_exponent, self.factor.1));
        m.set(self.more, walk.norm);
    }

    /// The result so far times the factor.
    fn second(&self, m: &Module, result: &(Signal, Signal)) {
        m.set(self.x, result.0);
        m.set(self.y, self.factor.0);
        m.set(self.exponent, result.1 + self.factor.1);
        m.set(self.more, low());
    }

    /// Mantissa and exponent, both zero where a factor is zero.
    fn result(&self, m: &Module, product: Signal) -> (Signal, Signal) {
        let drop = |n: i32| self.exponent.add_lit(n);
        let exponent = product.msb().mux(drop(16), drop(15));
        let zero = m.lit(signed(EXPONENT), 0);
        (product.msb().mux(product.slice(16, 16), product.slice(15, 16)), product.is_zero().mux(zero, exponent))
    }
}
