//! Requantisation lane: one accumulator in, one fixed-point result out per cycle, `LATENCY` cycles later.
//! Golden twins: `requant::linear` (`linear` high) and `requant::scaled` (`linear` low).
//!
//! `base` is the descriptor's shift minus the exponent of the activation (or of the one) scale.

use sagen_lang::{Design, Module, ModuleId, Signal, bit, signed, unsigned};

/// Cycles from `valid` to `y_valid`.
pub const LATENCY: u32 = 6;
/// Bits of `base`: a shift minus exponents.
pub const BASE_BITS: u32 = 10;

/// One lane.
pub fn requant_lane(d: &mut Design) -> ModuleId {
    d.module("requant_lane", |m| {
        m.doc(
            "y = saturate(round(round(acc * row >> 14) * factor >> n)); without `linear`, acc takes the inner place.",
        );
        let valid = m.input("valid", bit());
        let linear = m.input("linear", bit());
        let acc = m.input("acc", signed(32));
        let row_mantissa = m.input("row_mantissa", unsigned(16));
        let row_exponent = m.input("row_exponent", signed(8));
        let factor = m.input("factor", unsigned(16));
        let base = m.input("base", signed(BASE_BITS));
        let v: Vec<Signal> = valids(m, valid);

        let row = m.reg_en("row1", valid & linear, acc * row_mantissa.as_signed_ext());
        let acc1 = m.reg_en("acc1", valid & !linear, acc);
        let linear1 = m.reg_en("linear1", valid, linear);
        let zero = m.lit(signed(8), 0);
        let exponent = linear.mux(row_exponent, zero).extend(BASE_BITS);
        let shift1 = m.reg_en("shift1", valid, amount(m, base - exponent));
        let factor1 = m.reg_en("factor1", valid, factor);

        let weighted = linear1.mux(row.round_shift(14).trunc(35), acc1.extend(35));
        let weighted2 = m.reg_en("weighted2", v[0], weighted);
        let factor2 = m.reg_en("factor2", v[0], factor1);
        let shift2 = m.reg_en("shift2", v[0], shift1);

        let product3 = m.reg_en("product3", v[1], weighted2 * factor2.as_signed_ext());
        let shift3 = m.reg_en("shift3", v[1], shift2);

        // (((x << 1) >> n) + 1) >> 1 rounds half up for every n, 0 included.
        let doubled = m.net("doubled", product3.extend(53).shl(1));
        let shifted4 = m.reg_en("shifted4", v[2], doubled.shr_dyn(shift3));
        let rounded5 = m.reg_en("rounded5", v[3], shifted4.add_lit(1).shr(1).trunc(52));
        m.output("y", m.reg_en("y6", v[4], rounded5.sat(32)));
        m.output("y_valid", v[5]);
    })
}

fn valids(m: &Module, valid: Signal) -> Vec<Signal> {
    let mut all = Vec::new();
    let mut last = valid;
    for stage in 1..=LATENCY {
        let q = m.reg(&format!("valid{stage}"), bit()).reset(0);
        m.set(q, last);
        last = q.q();
        all.push(last);
    }
    all
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
    use sagen_golden::requant;
    use sagen_golden::scale::Scale;
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
        let mut state = 1u64;
        let mut next = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
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
        let mut d = Design::new();
        let top = requant_lane(&mut d);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let all = cases();
        let mut found = Vec::new();
        for i in 0..all.len() + LATENCY as usize {
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
