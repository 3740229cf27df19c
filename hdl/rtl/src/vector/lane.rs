//! One of the 16 lanes: two 32 x 32 multipliers, an adder, a rounding shift and two saturations.
//!
//! Stages, each under its own enable: operands (`select`), products, `sum` with the coarse shift; `value` and
//! `code` follow from the register of the last one. `Add` multiplies both operands by 1; `Rope` keeps its pair
//! for two words and exchanges the coefficients; `Glu` passes through the first multiplier, then the second.
//! Golden twins: `golden::fixed`, `golden::rope`, `golden::sfu::gate::glu`.

use super::gate::vector_gate;
use sagen_lang::{Design, Module, ModuleId, Reg, Signal, bit, cat, lit, signed, unsigned};

/// Inputs of one bit that all lanes share.
pub(super) const CONTROLS: [&str; 19] = [
    "add",
    "rope",
    "glu",
    "quant",
    "gelu",
    "a_immediate",
    "b_immediate",
    "b_half",
    "squares",
    "exact",
    "odd",
    "keep",
    "select",
    "gate_find",
    "gate_read",
    "gate_select",
    "product1",
    "product2",
    "sum",
];

struct Operands {
    x1: Reg,
    y1: Reg,
    x2: Reg,
    y2: Reg,
}

/// The lane: `a` and `b` are its words, `low` and `high` its 16-bit elements of the halves of word b.
pub(super) fn vector_lane(d: &mut Design) -> ModuleId {
    let gate = vector_gate(d);
    d.module("vector_lane", |m| {
        m.doc("One lane of the vector unit: value = sat(rsh(x1 * y1 + x2 * y2)).");
        let controls = CONTROLS.map(|name| (name, m.input(name, bit())));
        let on = |name: &str| controls.iter().find(|(n, _)| *n == name).expect("a control of the lane").1;
        let [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(|n| m.reg(n, signed(32)));
        let operands = Operands { x1, y1, x2, y2 };
        let p1 = m.reg_en("p1", on("product1"), x1.mul(y1)).q();
        let p2 = m.reg_en("p2", on("product2"), x2.mul(y2)).q();
        let a = m.input("a", signed(32));
        operands.select(m, a, p1, &on);
        operands.gate(m, a, gate, &on);
        m.output("square", p2.slice(0, 63));

        // Masks and sum share the LUTs of one carry chain.
        let none = m.lit(signed(64), 0);
        let paired = on("rope") | on("add") | on("glu");
        let total = on("glu").mux(none, p1) + paired.mux(p2, none);
        let (coarse, fine) = (m.input("coarse", unsigned(4)), m.input("fine", unsigned(2)));
        let shifted = m.reg_en("shifted", on("sum"), total.shr_dyn(cat(&[coarse, lit(2, 0)])));
        round(m, shifted.q(), fine, on("exact"));
    })
}

impl Operands {
    /// From the words, at `select`.
    fn select(&self, m: &Module, a: Signal, p1: Signal, on: &impl Fn(&str) -> Signal) {
        let Operands { x1, y1, x2, y2 } = *self;
        let [b, immediate] = ["b", "immediate"].map(|n| m.input(n, signed(32)));
        let [low, high] = ["low", "high"].map(|n| m.input(n, signed(16)).extend(32));
        let multiplier = m.input("multiplier", unsigned(16)).extend(32).as_signed();
        let one = m.lit(signed(32), 1);
        let kept = m.reg_en("kept", on("keep"), a).q();
        // |a * factor| is at most 2^47, so the rounded quotient by 2^16 fits a lane.
        let gated = p1.slice(16, 32).as_signed() + p1.bit(15).extend(32).as_signed();
        let half = on("odd").mux(high, low);
        let factor_a = m.net("factor_a", on("a_immediate").mux(immediate, a));
        let factor_b = on("b_immediate").mux(immediate, on("b_half").mux(half, b));
        let set = |pairs: &[(Reg, Signal)]| pairs.iter().for_each(|(r, v)| m.set(*r, *v));
        m.when(on("select"), || {
            m.when(on("rope"), || {
                // First x cos + y (-sin), then x sin + y cos.
                m.when(on("odd"), || set(&[(y1, negated(y2.q())), (y2, y1.q())]))
                    .otherwise(|| set(&[(x1, kept), (y1, low), (x2, a), (y2, negated(high))]));
            })
            .elsewhen(on("glu"), || set(&[(x2, gated), (y2, b)]))
            .elsewhen(on("add"), || set(&[(x1, a), (y1, one), (x2, b), (y2, one)]))
            .elsewhen(on("quant"), || set(&[(x1, a), (y1, multiplier)]))
            .otherwise(|| {
                set(&[(x1, factor_a), (y1, factor_b)]);
                m.when(on("squares"), || set(&[(x2, factor_a), (y2, factor_a)]));
            });
        });
    }

    /// From the gate, at `gate_select`: the first multiplier serves a later word than the second.
    fn gate(&self, m: &Module, a: Signal, gate: ModuleId, on: &impl Fn(&str) -> Signal) {
        let u = m.instance("u_gate", gate);
        u.input("a", a);
        u.input("gelu", on("gelu"));
        u.input("find", on("gate_find"));
        u.input("read", on("gate_read"));
        m.when(on("gate_select"), || {
            m.set(self.x1, u.output("a_out"));
            m.set(self.y1, u.output("factor").extend(32).as_signed());
        });
    }
}

/// Minus a number of at most 17 bits.
fn negated(x: Signal) -> Signal {
    x.trunc(17).neg().extend(32)
}

/// Round half up and saturate. `shifted` still has to move by `fine` and, unless `exact`, one more.
fn round(m: &Module, shifted: Signal, fine: Signal, exact: Signal) {
    let y = m.net("y", shifted.shr_dyn(fine));
    m.output("value", nearest(y, exact, 32));
    // -128 is never produced.
    let code = nearest(y, exact, 8);
    let lowest = m.lit(signed(8), -127);
    m.output("code", code.lt(lowest).mux(lowest, code).as_unsigned());
}

/// `y`, or half of it rounded up, saturated to `width` bits. What does not fit is not rounded any further.
fn nearest(y: Signal, exact: Signal, width: u32) -> Signal {
    let above = y.slice(width, 64 - width);
    let agrees = !exact | y.bit(width).eq(y.bit(width - 1));
    let fits = agrees & (above.reduce_and() | !above.reduce_or());
    let floor = exact.mux(y.slice(0, width), y.slice(1, width));
    let extreme = cat(&[y.msb(), y.msb().not().repeat(width - 1)]);
    let up = fits & !exact & y.bit(0);
    fits.mux(floor, extreme).as_signed().extend(width + 1).add(up.extend(width + 1).as_signed()).sat(width)
}
