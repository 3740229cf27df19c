//! One lane: two 32 x 32 multipliers, an adder, a rounding shift and a saturation.
//!
//! Stages, each under its own enable: operands, products, sum and coarse shift; the word follows from the register
//! of the last one. A deep lane has further registers between partial products and product, after the sum, and after
//! the rounding. `Add` multiplies both operands by 1; `Rope` keeps its pair for two words and exchanges the
//! coefficients; `Glu` passes through the second multiplier, then the first.
//! Golden twins: `golden::fixed`, `golden::rope`, `golden::sfu::gate::glu`.

use super::gate::vector_gate;
use super::multiply::multiply;
use super::rounding::{Shifted, Sum, coarse, fine, saturate, sum};
use super::shape::Shape;
use sagen_lang::{Design, Module, ModuleId, Signal, signed, unsigned};

/// Inputs that all lanes share, and their widths.
const CONTROLS: [(&str, u32); 20] = [
    ("x1_pick", 2),
    ("x2_pick", 2),
    ("y1_pick", 3),
    ("y2_pick", 3),
    ("x1_load", 1),
    ("y1_load", 1),
    ("x2_load", 1),
    ("y2_load", 1),
    ("keep", 1),
    ("gelu", 1),
    ("gate_find", 1),
    ("gate_read", 1),
    ("product1", 1),
    ("product2", 1),
    ("paired", 1),
    ("minus", 1),
    ("shift", 1),
    ("coarse", 4),
    ("fine", 2),
    ("quant", 1),
];

/// Enables of the further registers of a deep lane.
const DEEP_CONTROLS: [(&str, u32); 6] =
    [("gate_fetch", 1), ("gate_multiply", 1), ("combine1", 1), ("combine2", 1), ("add", 1), ("round", 1)];

/// Inputs that all lanes share, with their widths.
pub(super) fn controls(shape: Shape) -> impl Iterator<Item = (&'static str, u32)> {
    CONTROLS.into_iter().chain(DEEP_CONTROLS.into_iter().filter(move |_| shape.deep))
}

/// What the first multiplier takes as `x`, by `x1_pick`.
pub(super) enum X1 {
    A,
    Kept,
    Scalar,
    Gated,
}

/// What it takes as `y`.
pub(super) enum Y1 {
    B,
    Low,
    High,
    Y2,
    Scalar,
}

/// What the second multiplier takes as `x`.
pub(super) enum X2 {
    A,
    B,
    Scalar,
    Gate,
}

/// What it takes as `y`.
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
    let gate = vector_gate(d, shape);
    d.module(shape.by_depth("vector_lane"), |m| {
        m.doc("One lane of the vector unit: value = sat(rsh(x1 * y1 + x2 * y2)).");
        let controls = controls(shape).map(|(name, width)| (name, m.input(name, unsigned(width)))).collect();
        let lane = Lane { m, shape, controls };
        let (p1, p2) = lane.products(gate);
        m.output("square", p2.slice(0, 63));
        let sum = lane.sum(p1, p2);
        let rounded = lane.rounded(sum);
        let (value, code) = saturate(m, rounded);
        m.output("code", code);
        m.output("word", lane.on("quant").mux(m.input("codes", unsigned(32)), value));
    })
}

struct Lane<'a> {
    m: &'a Module,
    shape: Shape,
    controls: Vec<(&'static str, Signal)>,
}

impl Lane<'_> {
    fn on(&self, name: &str) -> Signal {
        self.controls.iter().find(|(n, _)| *n == name).expect("a control of the lane").1
    }

    /// Both products, with their operands. Each operand is loaded and picked by itself.
    fn products(&self, gate: ModuleId) -> (Signal, Signal) {
        let m = self.m;
        let [a, b, scalar] = ["a", "b", "scalar"].map(|n| m.input(n, signed(32)));
        let [low, high] = ["low", "high"].map(|n| m.input(n, signed(16)).extend(32));
        let [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(|n| m.reg(n, signed(32)));
        let p1 = self.product("1", x1.q(), y1.q());
        let p2 = self.product("2", x2.q(), y2.q());
        let kept = m.reg_en("kept", self.on("keep"), a).q();
        let (factor, gate_a) = self.gate(gate, a);
        // |a * factor| is at most 2^47, so the rounded quotient by 2^16 fits a lane.
        let gated = p2.slice(16, 32).as_signed() + p2.bit(15).extend(32).as_signed();
        let operands = [
            ("x1", x1, vec![a, kept, scalar, gated]),
            ("y1", y1, vec![b, low, high, y2.q(), scalar]),
            ("x2", x2, vec![a, b, scalar, gate_a]),
            ("y2", y2, vec![a, high, y1.q(), factor, scalar]),
        ];
        for (name, operand, sources) in operands {
            let picked = self.on(&format!("{name}_pick")).select(&sources);
            m.when(self.on(&format!("{name}_load")), || m.set(operand, picked));
        }
        (p1, p2)
    }

    fn product(&self, number: &str, x: Signal, y: Signal) -> Signal {
        let stages = ["product", "combine"].into_iter().take(self.shape.multiply());
        let enables: Vec<Signal> = stages.map(|stage| self.on(&format!("{stage}{number}"))).collect();
        multiply(self.m, self.shape, &format!("p{number}"), x, y, &enables)
    }

    /// The factor of an earlier word, and that word.
    fn gate(&self, gate: ModuleId, a: Signal) -> (Signal, Signal) {
        let u = self.m.instance("u_gate", gate);
        u.input("a", a);
        u.input("gelu", self.on("gelu"));
        u.input("find", self.on("gate_find"));
        u.input("read", self.on("gate_read"));
        if self.shape.deep {
            u.input("fetch", self.on("gate_fetch"));
            u.input("multiply", self.on("gate_multiply"));
        }
        (u.output("factor").extend(32).as_signed(), u.output("a_out"))
    }

    fn sum(&self, p1: Signal, p2: Signal) -> Sum {
        let s = sum(p1, p2, self.on("paired"), self.on("minus"));
        if !self.shape.deep {
            return s;
        }
        let hold = |name: &str, value: Signal| self.m.reg_en(name, self.on("add"), value).q();
        Sum { bits: hold("sum", s.bits), sign: hold("sum_sign", s.sign) }
    }

    fn rounded(&self, sum: Sum) -> Shifted {
        let shifted = self.hold("shifted", "shift", coarse(self.m, sum, self.on("coarse")));
        let rounded = fine(self.m, shifted, self.on("fine"));
        if self.shape.deep { self.hold("rounded", "round", rounded) } else { rounded }
    }

    fn hold(&self, name: &str, enable: &str, x: Shifted) -> Shifted {
        let hold = |part: &str, value: Signal| self.m.reg_en(&format!("{name}{part}"), self.on(enable), value).q();
        Shifted { bits: hold("", x.bits), sign: hold("_sign", x.sign), beyond: hold("_beyond", x.beyond) }
    }
}
