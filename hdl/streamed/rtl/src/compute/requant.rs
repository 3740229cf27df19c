//! Requantisation lane: one accumulator in, one fixed-point result out per cycle, `latency` cycles later.
//! Golden twins: `requant::linear` (`linear` high) and `requant::scaled` (`linear` low).
//!
//! `base` is the descriptor's shift minus the exponent of the activation (or of the one) scale.

use sagen_lang::{Design, Module, ModuleId, Signal, bit, signed, unsigned};

/// Bits of `base`: a shift minus exponents.
pub const BASE_BITS: u32 = 10;
/// Bits of the low part of a factor that a deep pipeline multiplies in two parts.
const LOW: u32 = 17;

/// Cycles from `valid` to `y_valid`.
pub const fn latency(deep: bool) -> u32 {
    4 + 2 * multiplier(deep) as u32
}

/// Cycles of each of the two multipliers.
const fn multiplier(deep: bool) -> usize {
    if deep { 2 } else { 1 }
}

/// One lane. A deep one registers the partial products of its multipliers.
pub fn requant_lane(d: &mut Design, deep: bool) -> ModuleId {
    d.module(if deep { "requant_lane_deep" } else { "requant_lane" }, |m| {
        m.doc(
            "y = saturate(round(round(acc * row >> 14) * factor >> n)); without `linear`, acc takes the inner place.",
        );
        let linear = m.input("linear", bit());
        let acc = m.input("acc", signed(32));
        let row_mantissa = m.input("row_mantissa", unsigned(16)).as_signed_ext();
        let row_exponent = m.input("row_exponent", signed(8));
        let factor = m.input("factor", unsigned(16));
        let base = m.input("base", signed(BASE_BITS));
        let stages = Stages::new(m, deep);
        let v = &stages.valid;
        let (weigh, scale) = (multiplier(deep), multiplier(deep) + 1);

        let first = [&[v[0] & linear], &v[1..weigh]].concat();
        let row = product(m, "row", &first, acc, row_mantissa);
        let plain = m.reg_en("acc1", v[0] & !linear, acc);
        let plain = stages.delayed("acc", 1..weigh, plain.q());
        let linear_late = stages.delayed("linear", 0..weigh, linear);
        let zero = m.lit(signed(8), 0);
        let exponent = linear.mux(row_exponent, zero).extend(BASE_BITS);
        let shift = stages.delayed("shift", 0..scale + weigh, amount(m, base - exponent));

        let weighted = linear_late.mux(row.round_shift(14).trunc(35), plain.extend(35));
        let weighted = m.reg_en("weighted", v[weigh], weighted);
        let factor = stages.delayed("factor", 0..scale, factor);
        let scaled = product(m, "product", &v[scale..scale + weigh], weighted.q(), factor.as_signed_ext());

        // (((x << 1) >> n) + 1) >> 1 rounds half up for every n, 0 included.
        let at = scale + weigh;
        let doubled = m.net("doubled", scaled.extend(53).shl(1));
        let shifted = m.reg_en("shifted", v[at], doubled.shr_dyn(shift));
        let rounded = m.reg_en("rounded", v[at + 1], shifted.add_lit(1).shr(1).trunc(52));
        m.output("y", m.reg_en("y_late", v[at + 2], rounded.sat(32)));
        m.output("y_valid", v[at + 3]);
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

/// `valid` of every stage, item i after i cycles.
struct Stages<'a> {
    m: &'a Module,
    valid: Vec<Signal>,
}

impl<'a> Stages<'a> {
    fn new(m: &'a Module, deep: bool) -> Self {
        let mut valid = vec![m.input("valid", bit())];
        for stage in 0..latency(deep) as usize {
            let q = m.reg(&format!("valid{}", stage + 1), bit()).reset(0);
            m.set(q, valid[stage]);
            valid.push(q.q());
        }
        Self { m, valid }
    }

    /// The value on its way through some stages.
    fn delayed(&self, name: &str, stages: std::ops::Range<usize>, value: Signal) -> Signal {
        stages.fold(value, |x, i| self.m.reg_en(&format!("{name}{}", i + 1), self.valid[i], x).q())
    }
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
    use crate::testing::Random;
    use sagen_arith::requant;
    use sagen_arith::scale::Scale;
    use sagen_lang::Sim;

    struct Case {
        linear: bool,
        acc: i32,
        row: Scale,
        factor: Scale,
        shift: i32,
    }

    /// Log-uniform values: uniform ones would saturate and hide the rounding.
    fn cases() -> Vec<Case> {
        let mut random = Random::new(1);
        let mut next = move || random.next() >> 33;
        let mut mantissa = {
            let mut n = 0u64;
            move |x: u64| {
                n += 1;
                if n.is_multiple_of(50) { 0 } else { 1 << 15 | x as u16 }
            }
        };
        let case = |i: u64| {
            let (magnitude, sign, extreme) = (next() as i32 >> (next() % 31), next() & 1, i % 40);
            let acc = match extreme {
                0 => i32::MIN,
                1 => i32::MAX,
                _ if sign == 1 => -magnitude,
                _ => magnitude,
            };
            let row = Scale { mantissa: mantissa(next()), exponent: (next() % 256) as i16 - 128 };
            let factor = Scale { mantissa: mantissa(next()), exponent: (next() % 256) as i16 - 128 };
            let fitting = i32::from(row.exponent) + i32::from(factor.exponent) + (next() % 80) as i32 - 8;
            Case { linear: i & 1 == 0, acc, row, factor, shift: fitting.clamp(-128, 127) }
        };
        (0..4000).map(case).collect()
    }

    #[test]
    fn every_result_is_the_golden_one() {
        [false, true].into_iter().for_each(check);
    }

    fn check(deep: bool) {
        let mut d = Design::new();
        let top = requant_lane(&mut d, deep);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let all = cases();
        let mut found = Vec::new();
        for i in 0..all.len() + latency(deep) as usize {
            // Every fifth cycle is a gap.
            if let Some(c) = all.get(i) {
                for gap in [true, false].into_iter().skip(usize::from(i % 5 != 0)) {
                    sim.set("valid", !gap);
                    sim.set("linear", c.linear);
                    sim.set("acc", c.acc);
                    sim.set("row_mantissa", c.row.mantissa);
                    sim.set("row_exponent", c.row.exponent);
                    sim.set("factor", c.factor.mantissa);
                    sim.set("base", c.shift - i32::from(c.factor.exponent));
                    sim.step();
                    if sim.get("y_valid").to_u64() == 1 {
                        found.push(sim.get("y").to_i64() as i32);
                    }
                }
            } else {
                sim.set("valid", false);
                sim.step();
                if sim.get("y_valid").to_u64() == 1 {
                    found.push(sim.get("y").to_i64() as i32);
                }
            }
        }
        assert_eq!(found.len(), all.len());
        for (c, y) in all.iter().zip(found) {
            let expected = match c.linear {
                true => requant::linear(c.acc, c.row, c.factor, c.shift),
                false => requant::scaled(c.acc, c.factor, c.shift),
            };
            assert_eq!(y, expected, "{} {:?} {:?} {}", c.acc, c.row, c.factor, c.shift);
        }
    }
}
