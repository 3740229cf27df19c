//! Denominators of the softmax and the scale that divides by them: `recip(sum of weights) * V scale`.
//! See `arith`: `Scale::from_integer`, `sfu::recip::recip`, `Scale::times`.
//!
//! `finish` comes with the last `add`; `ready` is high for one cycle when the scales of all vectors are at the outputs.

use crate::requant::BASE_BITS;
use sagen_arith::tables::recip_seeds;
use sagen_lang::{Design, Module, ModuleId, Output, Signal, bit, interface, lit, pack, signed, unsigned};

/// Bits of a sum of 2^15 weights of 8 bits, rounded up to what normalises well.
const SUM: u32 = 24;
/// Pipeline stages from a sum to its scale.
const STAGES: u32 = 9;

interface! {
    /// Weights in, the scales that divide by their sums out.
    pub struct Division(vectors: u32) {
        /// The sums begin at zero.
        start: -> bit(),
        /// The weights are added.
        add: -> bit(),
        /// One a vector.
        weights: -> unsigned(8 * vectors),
        /// With the last ones.
        finish: -> bit(),
        /// Mantissa of the scale of V.
        v_mantissa: -> unsigned(16),
        /// Its exponent.
        v_exponent: -> signed(8),
        /// Shift of the descriptor.
        shift: -> signed(8),
        /// Mantissas of the scales.
        mantissas: <- unsigned(16 * vectors),
        /// The shift less their exponents.
        bases: <- unsigned(BASE_BITS * vectors),
        /// They are there.
        ready: <- bit(),
    }
}

type Port = Division<Signal, Output>;

/// The unit, for a power of two of vectors.
pub fn recip(d: &mut Design, vectors: u32) -> ModuleId {
    assert!(vectors.is_power_of_two() && vectors > 1, "{vectors} vectors; a power of two above 1 is allowed");
    d.module("softmax_scale", |m| {
        m.doc("Denominators of the softmax, and the scale that divides by them.");
        let port = m.slave("", Division::layout(vectors));
        let sums = sums(m, &port);
        let (feeding, vector) = (m.reg("feeding", bit()).reset(0), m.reg("vector", unsigned(vectors.ilog2())).reset(0));
        m.when(feeding, || {
            m.set(vector, vector.add_lit(1));
            m.set(feeding, vector.ne_lit(vectors - 1));
        });
        m.when(port.finish, || m.set(feeding, m.lit(bit(), 1)));
        let stages = stages(m, feeding.q(), vector.q());
        let (mantissa, base) = divide(m, &port, vector.select(&sums), &stages);
        let (done, index) = stages[STAGES as usize];
        let (mut mantissas, mut bases) = (Vec::new(), Vec::new());
        for v in 0..vectors {
            let here = m.net(&format!("here{v}"), done & index.eq_lit(v));
            mantissas.push(m.reg_en(&format!("mantissa{v}"), here, mantissa).q());
            bases.push(m.reg_en(&format!("base{v}"), here, base).q());
        }
        port.ready.drive(m.flag("ready_q", done & index.eq_lit(vectors - 1)));
        port.mantissas.drive(pack(&mantissas));
        port.bases.drive(pack(&bases));
    })
}

fn sums(m: &Module, port: &Port) -> Vec<Signal> {
    let (start, add, weights) = (port.start, port.add, port.weights.lanes(8));
    let sum = |(v, weight): (usize, &Signal)| {
        let sum = m.reg(&format!("sum{v}"), unsigned(SUM));
        m.when(start, || m.set(sum, m.lit(unsigned(SUM), 0))).elsewhen(add, || m.set(sum, sum + weight.extend(SUM)));
        sum.q()
    };
    weights.iter().enumerate().map(sum).collect()
}

/// Valid bit and vector of every stage, stage 0 being the input.
fn stages(m: &Module, valid: Signal, vector: Signal) -> Vec<(Signal, Signal)> {
    let mut all = vec![(valid, vector)];
    for stage in 1..=STAGES {
        let (valid, vector) = all[stage as usize - 1];
        let late = m.flag(&format!("valid{stage}"), valid);
        let index = m.reg_en(&format!("vector{stage}"), valid, vector);
        all.push((late, index.q()));
    }
    all
}

/// The pipeline: mantissa of the scale, and shift minus its exponent.
fn divide(m: &Module, port: &Port, sum: Signal, stages: &[(Signal, Signal)]) -> (Signal, Signal) {
    let v = |stage: usize| stages[stage].0;
    let (top, zeros1) = leading(sum, &[16, 8]);
    let top1 = m.reg_en("top1", v(0), top);
    let zeros1 = m.reg_en("zeros1", v(0), zeros1);

    let (top, zeros2) = leading(top1.q(), &[4, 2, 1]);
    let whole2 = m.reg_en("whole2", v(1), top.slice(SUM - 16, 16));
    let zeros2 = m.reg_en("zeros2", v(1), zeros1 + zeros2);

    let seeds = m.rom("seeds", &recip_seeds(), 16);
    let seed3 = m.reg_en("seed3", v(2), seeds.lookup(whole2.slice(9, 6)));
    let whole3 = m.reg_en("whole3", v(2), whole2);

    let product4 = m.reg_en("product4", v(3), whole3 * seed3);
    let seed4 = m.reg_en("seed4", v(3), seed3);

    let error5 = m.reg_en("error5", v(4), (-product4).slice(14, 18));
    let seed5 = m.reg_en("seed5", v(4), seed4);

    let refined6 = m.reg_en("refined6", v(5), seed5 * error5);

    let rounded = m.net("rounded", refined6.add_lit(1 << 16).slice(17, 17));
    let (least, most) = (lit(16, 1 << 15), lit(16, 0xffff));
    let clamped = rounded.bit(16).mux(most, rounded.bit(15).mux(rounded.slice(0, 16), least));
    // A sum of zero has no leading one; its scale is zero.
    let any7 = m.reg_en("any7", v(6), m.delay("any", whole2.msb(), 4));
    let inverse7 = m.reg_en("inverse7", v(6), clamped);

    let product8 = m.reg_en("product8", v(7), inverse7 * port.v_mantissa);
    let any8 = m.reg_en("any8", v(7), any7);

    let high = product8.msb();
    let normal = high.mux(product8.slice(16, 16), product8.slice(15, 16));
    let mantissa9 = m.reg_en("mantissa9", v(8), any8.mux(normal, lit(16, 0)));
    let zeros8 = m.delay("late_zeros", zeros2, 6);
    let base9 = m.reg_en("base9", v(8), base(m, port, zeros8, high));
    (mantissa9.q(), base9.q())
}

/// Shifts left by each step whose bits are all zero on top; also returns the shift.
fn leading(x: Signal, steps: &[u32]) -> (Signal, Signal) {
    let mut x = x;
    let mut zeros = lit(5, 0);
    for &step in steps {
        let empty = x.slice(x.width() - step, step).is_zero();
        x = empty.mux(x.shl(step), x);
        zeros = zeros | empty.mux(lit(5, u64::from(step)), lit(5, 0));
    }
    (x, zeros)
}

/// The exponent of the sum is `SUM - zeros - 16`, that of its inverse the negative less 31, and the
/// product with the V scale drops 15 bits, or 16 if it is `high`.
fn base(m: &Module, port: &Port, zeros: Signal, high: Signal) -> Signal {
    let (shift, v_exponent) = (port.shift.extend(BASE_BITS), port.v_exponent.extend(BASE_BITS));
    let sum_exponent = i64::from(SUM) - 16;
    let constant = m.lit(signed(BASE_BITS), 31 + sum_exponent - 15);
    let zeros = zeros.extend(BASE_BITS).as_signed();
    shift - v_exponent + constant - zeros - high.extend(BASE_BITS).as_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_arith::scale::{self, Scale};
    use sagen_arith::sfu::recip;
    use sagen_lang::Sim;

    /// What follows the sums.
    #[derive(Clone, Copy, Debug)]
    struct Rest {
        v: Scale,
        shift: i32,
    }

    fn unit() -> Sim {
        let mut d = Design::new();
        let top = super::recip(&mut d, 4);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        sim
    }

    fn begin(sim: &mut Sim, rest: Rest) {
        sim.set("v_mantissa", rest.v.mantissa);
        sim.set("v_exponent", rest.v.exponent);
        sim.set("shift", rest.shift);
        sim.set("start", true);
        sim.step();
        sim.set("start", false);
    }

    fn add(sim: &mut Sim, weights: [u8; 4], last: bool) {
        sim.set("weights", u32::from_le_bytes(weights));
        sim.set("add", true);
        sim.set("finish", last);
        sim.step();
        sim.set("add", false);
        sim.set("finish", false);
    }

    /// The scales of these sums are those of arith.
    fn compare(sim: &mut Sim, sums: [u32; 4], rest: Rest) {
        while sim.get("ready").to_u64() == 0 {
            sim.step();
        }
        let (mantissas, bases) = (sim.get("mantissas").to_u64(), sim.get("bases").to_u64());
        for (i, sum) in sums.into_iter().enumerate() {
            let scale = match sum {
                0 => Scale::default(),
                _ => recip::recip(Scale::from_integer(u128::from(sum))).times(rest.v),
            };
            assert_eq!((mantissas >> (16 * i)) as u16, scale.mantissa, "sum {sum} {rest:?}");
            // Nothing is shifted where the mantissa is zero.
            if scale.mantissa == 0 {
                continue;
            }
            let base = (bases >> (BASE_BITS * i as u32)) as i64 & 0x3ff;
            let expected = i64::from(rest.shift) - i64::from(scale.exponent);
            assert_eq!(base, expected & 0x3ff, "sum {sum} {rest:?}");
        }
    }

    #[test]
    fn every_scale_is_that_of_arith() {
        let mut sim = unit();
        for case in 1..300u32 {
            let n = 1 + case * case % 400;
            let weights = [255, (case % 255) as u8 + 1, 1, 128];
            let v = Scale { mantissa: 1 << 15 | (case * 977) as u16 & 0x7fff, exponent: case as i16 % 256 - 128 };
            let rest = Rest { v, shift: case as i32 * 7 % 256 - 128 };
            begin(&mut sim, rest);
            (1..=n).for_each(|i| add(&mut sim, weights, i == n));
            compare(&mut sim, weights.map(|w| u32::from(w) * n), rest);
        }
    }

    /// The unit normalises sums itself: arith's mantissas are its sums, and V has the factors of arith's products.
    #[test]
    fn sums_at_both_ends_of_every_seed_get_the_scale_of_arith() {
        let sums: Vec<u32> = recip::cases().map(|s| u32::from(s.mantissa)).collect();
        let factors: Vec<Scale> = scale::cases().map(|c| c.factor).collect();
        let mut factors = factors.into_iter().rev();
        let mut sim = unit();
        for four in sums.chunks_exact(4) {
            let sums: [u32; 4] = four.try_into().expect("four of them");
            let rest = Rest { v: factors.next().expect("there are more factors than sums"), shift: 7 };
            begin(&mut sim, rest);
            let beats = sums.into_iter().map(|sum| sum.div_ceil(255)).fold(1, u32::max);
            for beat in 0..beats {
                add(&mut sim, sums.map(|sum| sum.saturating_sub(255 * beat).min(255) as u8), beat + 1 == beats);
            }
            compare(&mut sim, sums, rest);
        }
    }
}
