//! One lane: two 32 x 32 multipliers, an adder, a rounding shift and a saturation.
//!
//! Stages, each under its own enable: operands, products, sum and coarse shift; the word follows from the register
//! of the last one. A deep lane has further registers between partial products and product, after the sum, and after
//! the rounding. `Add` multiplies both operands by 1; `Rope` keeps its pair for two words and exchanges the
//! coefficients; `Glu` passes through the second multiplier, then the first.
//! Golden twins: `golden::fixed`, `golden::rope`, `golden::sfu::gate::glu`.

use super::rounding::{Shifted, Sum, coarse, fine, saturate, sum};
use super::shape::Shape;
use sagen_blocks::multiply::multiply;
use sagen_blocks::sfu::gate::gate;
use sagen_lang::{Design, Layout, Module, ModuleId, Reg, Signal, bit, bundle, signed, unsigned};

bundle! {
    /// What all lanes share.
    pub(super) struct Controls() {
        /// [`X1`], [`X2`], [`Y1`], [`Y2`].
        x1_pick: unsigned(2),
        x2_pick: unsigned(2),
        y1_pick: unsigned(3),
        y2_pick: unsigned(3),
        x1_load: bit(),
        y1_load: bit(),
        x2_load: bit(),
        y2_load: bit(),
        /// `a` is the first word of a rotated pair.
        keep: bit(),
        gelu: bit(),
        gate_find: bit(),
        gate_read: bit(),
        product1: bit(),
        product2: bit(),
        /// The second product counts.
        paired: bit(),
        /// It is subtracted.
        minus: bit(),
        shift: bit(),
        /// Amount of the shift: 4 * coarse + fine.
        coarse: unsigned(4),
        fine: unsigned(2),
        quant: bit(),
    }
}

bundle! {
    /// Enables of the further registers of a deep lane.
    pub(super) struct DeepControls() {
        gate_fetch: bit(),
        gate_multiply: bit(),
        combine1: bit(),
        combine2: bit(),
        add: bit(),
        round: bit(),
    }
}

/// What the first multiplier takes as `x`, by `x1_pick`.
#[derive(Clone, Copy)]
pub(super) enum X1 {
    A,
    Kept,
    Scalar,
    Gated,
}

/// What it takes as `y`.
#[derive(Clone, Copy)]
pub(super) enum Y1 {
    B,
    Low,
    High,
    Y2,
    Scalar,
}

/// What the second multiplier takes as `x`.
#[derive(Clone, Copy)]
pub(super) enum X2 {
    A,
    B,
    Scalar,
    Gate,
}

/// What it takes as `y`.
#[derive(Clone, Copy)]
pub(super) enum Y2 {
    A,
    High,
    Y1,
    Factor,
    Scalar,
}

/// The lane: `a` and `b` are its elements, `low` and `high` its 16-bit elements of the halves of word b, `scalar` a
/// factor that all lanes share. Its `word` is the value, or `codes` for a quantisation.
pub(super) fn vector_lane(d: &mut Design, shape: Shape) -> ModuleId {
    let gate = gate(d, shape.depth);
    d.module(shape.by_depth("vector_lane"), |m| {
        m.doc("One lane of the vector unit: value = sat(rsh(x1 * y1 + x2 * y2)).");
        let shared = Controls::layout().inputs(m, "");
        let deep = shape.depth.is_deep().then(|| DeepControls::layout().inputs(m, ""));
        let lane = Lane { m, shared, deep };
        let (p1, p2) = lane.products(gate);
        m.output("square", p2.slice(0, 63));
        let sum = lane.sum(p1, p2);
        let rounded = lane.rounded(sum);
        let (value, code) = saturate(m, rounded);
        m.output("code", code);
        m.output("word", shared.quant.mux(m.input("codes", unsigned(32)), value));
    })
}

struct Lane<'a> {
    m: &'a Module,
    shared: Controls,
    deep: Option<DeepControls>,
}

impl Lane<'_> {
    /// Both products, with their operands. Each operand is loaded and picked by itself.
    fn products(&self, gate: ModuleId) -> (Signal, Signal) {
        let (m, shared) = (self.m, &self.shared);
        let [a, b, scalar] = ["a", "b", "scalar"].map(|n| m.input(n, signed(32)));
        let [low, high] = ["low", "high"].map(|n| m.input(n, signed(16)).extend(32));
        let [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(|n| m.reg(n, signed(32)));
        let p1 = multiply(m, "p1", x1.q(), y1.q(), shared.product1, self.deep.map(|d| d.combine1));
        let p2 = multiply(m, "p2", x2.q(), y2.q(), shared.product2, self.deep.map(|d| d.combine2));
        let kept = m.reg_en("kept", shared.keep, a).q();
        let (factor, gate_a) = self.gate(gate, a);
        // |a * factor| is at most 2^47, so the rounded quotient by 2^16 fits a lane.
        let gated = p2.slice(16, 32).as_signed() + p2.bit(15).extend(32).as_signed();
        let load = |operand: Reg, load: Signal, pick: Signal, sources: &[Signal]| {
            let picked = pick.select(sources);
            m.when(load, || m.set(operand, picked));
        };
        load(x1, shared.x1_load, shared.x1_pick, &[a, kept, scalar, gated]);
        load(y1, shared.y1_load, shared.y1_pick, &[b, low, high, y2.q(), scalar]);
        load(x2, shared.x2_load, shared.x2_pick, &[a, b, scalar, gate_a]);
        load(y2, shared.y2_load, shared.y2_pick, &[a, high, y1.q(), factor, scalar]);
        (p1, p2)
    }

    /// The factor of an earlier word, and that word.
    fn gate(&self, gate: ModuleId, a: Signal) -> (Signal, Signal) {
        let u = self.m.instance("u_gate", gate);
        u.input("a", a);
        u.input("gelu", self.shared.gelu);
        u.input("find", self.shared.gate_find);
        u.input("read", self.shared.gate_read);
        if let Some(deep) = self.deep {
            u.input("fetch", deep.gate_fetch);
            u.input("multiply", deep.gate_multiply);
        }
        (u.output("factor").extend(32).as_signed(), u.output("a_out"))
    }

    fn sum(&self, p1: Signal, p2: Signal) -> Sum {
        let s = sum(p1, p2, self.shared.paired, self.shared.minus);
        let Some(deep) = self.deep else { return s };
        let hold = |name: &str, value: Signal| self.m.reg_en(name, deep.add, value).q();
        Sum { bits: hold("sum", s.bits), sign: hold("sum_sign", s.sign) }
    }

    fn rounded(&self, sum: Sum) -> Shifted {
        let shifted = self.hold("shifted", self.shared.shift, coarse(self.m, sum, self.shared.coarse));
        let rounded = fine(self.m, shifted, self.shared.fine);
        self.deep.map_or(rounded, |deep| self.hold("rounded", deep.round, rounded))
    }

    fn hold(&self, name: &str, enable: Signal, x: Shifted) -> Shifted {
        let hold = |part: &str, value: Signal| self.m.reg_en(&format!("{name}{part}"), enable, value).q();
        Shifted { bits: hold("", x.bits), sign: hold("_sign", x.sign), beyond: hold("_beyond", x.beyond) }
    }
}
