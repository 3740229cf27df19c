//! Requantisation lane: one accumulator in, one fixed-point result out per cycle, `latency` cycles later.
//! See `arith::requant`: `linear` (`linear` high) and `scaled` (`linear` low).
//!
//! `base` is the descriptor's shift minus the exponent of the activation (or of the one) scale.

use crate::Depth;
use sagen_arith::contract::ROW_SHIFT;
use sagen_lang::{Design, Module, ModuleId, Signal, bit, interface, signed, unsigned};

/// Bits of `base`: a shift minus exponents.
pub const BASE_BITS: u32 = 10;
/// Bits of the low part of a factor that a deep pipeline multiplies in two parts.
const LOW: u32 = 17;

interface! {
    /// What a lane is given, and its result.
    pub struct Requant() {
        /// An accumulator is there.
        valid: -> bit(),
        /// It is weighted by a row scale.
        linear: -> bit(),
        /// The accumulator.
        acc: -> signed(32),
        /// Mantissa of the row scale.
        row_mantissa: -> unsigned(16),
        /// Exponent of the row scale.
        row_exponent: -> signed(8),
        /// Mantissa of the other scale.
        factor: -> unsigned(16),
        /// The shift less the exponent of the other scale.
        base: -> signed(BASE_BITS),
        /// The result.
        y: <- signed(32),
        /// It is there.
        y_valid: <- bit(),
    }
}

/// Cycles from `valid` to `y_valid`.
#[must_use]
pub fn latency(depth: Depth) -> u32 {
    4 + 2 * multiplier(depth)
}

/// Cycles of each of the two multipliers.
fn multiplier(depth: Depth) -> u32 {
    match depth {
        Depth::Short => 1,
        Depth::Deep => 2,
    }
}

/// One lane. A deep one registers the partial products of its multipliers.
pub fn requant(d: &mut Design, depth: Depth) -> ModuleId {
    d.module(depth.name("requant_lane"), |m| {
        m.doc(
            "y = saturate(round(round(acc * row >> 14) * factor >> n)); without `linear`, acc takes the inner place.",
        );
        let port = m.slave("", Requant::layout());
        let Requant { valid, linear, acc, .. } = port;
        let row_mantissa = port.row_mantissa.as_signed_ext();
        let stages = m.pipeline(valid, latency(depth));
        let enables = |from: u32, to: u32| (from..to).map(|stage| stages.valid(stage)).collect::<Vec<Signal>>();
        let (weigh, scale) = (multiplier(depth), multiplier(depth) + 1);

        let first = [vec![valid & linear], enables(1, weigh)].concat();
        let row = product(m, "row", &first, acc, row_mantissa);
        let plain = m.reg_en("acc1", valid & !linear, acc);
        let plain = stages.delay("acc", 1..weigh, plain.q());
        let linear_late = stages.delay("linear", 0..weigh, linear);
        let zero = m.lit(signed(8), 0);
        let exponent = linear.mux(port.row_exponent, zero).extend(BASE_BITS);
        let shift = stages.delay("shift", 0..scale + weigh, amount(m, port.base - exponent));

        let weighted = linear_late.mux(row.round_shift(ROW_SHIFT).trunc(35), plain.extend(35));
        let weighted = m.reg_en("weighted", stages.valid(weigh), weighted);
        let factor = stages.delay("factor", 0..scale, port.factor);
        let scaled = product(m, "product", &enables(scale, scale + weigh), weighted.q(), factor.as_signed_ext());

        // (((x << 1) >> n) + 1) >> 1 rounds half up for every n, 0 included.
        let at = scale + weigh;
        let doubled = m.net("doubled", scaled.extend(53).shl(1));
        let shifted = m.reg_en("shifted", stages.valid(at), doubled.shr_dyn(shift));
        let rounded = m.reg_en("rounded", stages.valid(at + 1), shifted.add_lit(1).shr(1).trunc(52));
        port.y.drive(m.reg_en("y_late", stages.valid(at + 2), rounded.sat(32)));
        port.y_valid.drive(stages.valid(at + 3));
    })
}

/// The product, one cycle after each enable: partial products first where there are two.
fn product(m: &Module, name: &str, enables: &[Signal], a: Signal, b: Signal) -> Signal {
    let [partial, sum] = enables else { return m.reg_en(name, enables[0], a * b).q() };
    let width = a.width() + b.width();
    let low = m.reg_en(&format!("{name}_low"), *partial, a.slice(0, LOW).as_signed_ext() * b);
    let high = m.reg_en(&format!("{name}_high"), *partial, a.slice(LOW, a.width() - LOW).as_signed() * b);
    m.reg_en(name, *sum, high.extend(width).shl(LOW) + low.extend(width)).q()
}

/// A shift clamped to 0..=63.
fn amount(m: &Module, n: Signal) -> Signal {
    let n = m.net("n", n);
    let most = m.lit(unsigned(6), 63);
    let none = m.lit(unsigned(6), 0);
    let large = n.slice(6, BASE_BITS - 7).reduce_or();
    n.msb().mux(none, large.mux(most, n.slice(0, 6)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_arith::fixed::{self, rsh, sat32};
    use sagen_arith::requant::{Case, cases, linear, scaled};
    use sagen_arith::scale::Scale;
    use sagen_lang::Sim;

    #[test]
    fn every_result_is_that_of_arith() {
        let case = |(c, is_linear): (Case, bool)| match is_linear {
            true => (c, true, linear(c.acc, c.row, c.activation, c.shift)),
            false => (c, false, scaled(c.acc, c.activation, c.shift)),
        };
        check(&cases().flat_map(|c| [(c, true), (c, false)]).map(case).collect::<Vec<_>>());
    }

    /// A factor of 2^15 and fifteen bits more to shift leave the shift alone.
    #[test]
    fn every_shift_of_an_accumulator_is_that_of_arith() {
        let case = |c: fixed::Case| {
            let (acc, one) = (i32::try_from(c.x).ok()?, Scale { mantissa: 1 << 15, exponent: 0 });
            let case = Case { acc, row: Scale::default(), activation: one, shift: c.n + 15 };
            (c.n >= 0).then(|| (case, false, sat32(rsh(c.x, c.n))))
        };
        let all: Vec<_> = fixed::cases().filter_map(case).collect();
        assert!(all.len() > 1000, "{} cases fit an accumulator", all.len());
        check(&all);
    }

    fn offer(sim: &mut Sim, case: Case, linear: bool) {
        sim.set("linear", linear);
        sim.set("acc", case.acc);
        sim.set("row_mantissa", case.row.mantissa);
        sim.set("row_exponent", case.row.exponent);
        sim.set("factor", case.activation.mantissa);
        sim.set("base", case.shift - i32::from(case.activation.exponent));
    }

    /// Lanes of both depths give these results, with a gap after every fifth.
    fn check(all: &[(Case, bool, i32)]) {
        for depth in [Depth::Short, Depth::Deep] {
            for (&(c, is_linear, expected), y) in all.iter().zip(run(depth, all)) {
                assert_eq!(y, expected, "{c:?}, linear: {is_linear}");
            }
        }
    }

    fn run(depth: Depth, all: &[(Case, bool, i32)]) -> Vec<i32> {
        let mut d = Design::new();
        let top = requant(&mut d, depth);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let mut found = Vec::new();
        let mut step = |sim: &mut Sim, valid: bool| {
            sim.set("valid", valid);
            sim.step();
            if sim.get("y_valid").to_u64() == 1 {
                found.push(sim.get("y").to_i64() as i32);
            }
        };
        for (i, &(case, linear, _)) in all.iter().enumerate() {
            offer(&mut sim, case, linear);
            if i % 5 == 0 {
                step(&mut sim, false);
            }
            step(&mut sim, true);
        }
        (0..latency(depth)).for_each(|_| step(&mut sim, false));
        assert_eq!(found.len(), all.len());
        found
    }
}
