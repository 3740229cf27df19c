//! Softmax numerator of one score: `round(255 * 2^(z - max))`, or 0 where the key is not seen.
//! Golden twin: `sfu::exp2::weight`. One score a cycle, `LATENCY` cycles later.

use sagen_arith::tables::exp2_segments;
use sagen_lang::{Design, ModuleId, Signal, bit, signed, unsigned};

/// Cycles from `valid` to the weight.
pub(super) const LATENCY: u32 = 5;

/// Fraction bits of a score.
const FRACTION: u32 = 12;
/// Bits of a shift; the greatest is 2^(SHIFT - 1), further ones give zero.
const SHIFT: u32 = 5;

/// The pipeline. `max` is not below a `z` that is seen.
pub(super) fn weight(d: &mut Design) -> ModuleId {
    d.module("softmax_weight", |m| {
        let valid = m.input("valid", bit());
        let seen = m.input("seen", bit());
        let (z, max) = (m.input("z", signed(32)), m.input("max", signed(32)));
        let v: Vec<_> = (1..LATENCY)
            .scan(valid, |last, stage| {
                let q = m.reg(&format!("valid{stage}"), bit()).reset(0);
                m.set(q, *last);
                *last = q.q();
                Some(*last)
            })
            .collect();

        let distance = m.reg_en("distance1", valid, max.sub_full(z).as_unsigned());
        let seen1 = m.reg_en("seen1", valid, seen);

        let low = distance.slice(0, FRACTION);
        let whole = distance.slice(FRACTION, SHIFT) + low.reduce_or().extend(SHIFT);
        let gone2 = m.reg_en("gone2", v[0], !seen1 | beyond(distance.q()));
        let shift2 = m.reg_en("shift2", v[0], whole);
        let fraction = m.net("fraction", -low);
        let table: Vec<u64> = exp2_segments().iter().map(|s| u64::from(s.slope) << 16 | u64::from(s.base)).collect();
        let segment = m.rom("segments", &table, 26).read(v[0], fraction.slice(6, 6));
        let rest2 = m.reg_en("rest2", v[0], fraction.slice(0, 6));

        let rise = m.net("rise", segment.slice(16, 10) * rest2);
        let power = segment.slice(0, 16).extend(17) + rise.slice(6, 10).extend(17);
        let power3 = m.reg_en("power3", v[1], power);
        let (shift3, gone3) = (m.reg_en("shift3", v[1], shift2), m.reg_en("gone3", v[1], gone2));

        // (((x << 1) >> n) + 1) >> 1 rounds half up for every n, 0 included.
        let doubled = m.net("doubled", power3.extend(18).shl(1));
        let scaled = doubled.shr_dyn(shift3).add_lit(1).slice(1, 16);
        let scaled4 = m.reg_en("scaled4", v[2], scaled);
        let gone4 = m.reg_en("gone4", v[2], gone3);

        let wide = scaled4.extend(24);
        let rounded = m.net("rounded", wide.shl(8) - wide + m.lit(unsigned(24), 1 << 14));
        let none = m.lit(unsigned(8), 0);
        m.output("weight", m.reg_en("weight5", v[3], gone4.mux(none, rounded.slice(15, 8))));
    })
}

/// The shift, which is the distance rounded up, would be greater than the greatest.
fn beyond(distance: Signal) -> Signal {
    let top = FRACTION + SHIFT - 1;
    let more = distance.slice(top + 1, distance.width() - top - 1).reduce_or();
    more | distance.bit(top) & distance.slice(0, top).reduce_or()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_arith::sfu::exp2;
    use sagen_lang::Sim;

    #[test]
    fn every_weight_is_the_golden_one() {
        let mut d = Design::new();
        let top = weight(&mut d);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let max = 123_456;
        let near = (0..40_000).step_by(7).map(|i| max - i);
        let far = [max - 65_535, max - 65_536, max - 65_537, max - 69_632, max - 69_633, i32::MIN, max - 131_072];
        let all: Vec<i32> = near.chain(far).collect();
        sim.set("max", max);
        for i in 0..all.len() + LATENCY as usize - 1 {
            sim.set("valid", true);
            sim.set("seen", i % 11 != 0);
            sim.set("z", all.get(i).copied().unwrap_or(max));
            sim.step();
            let Some(at) = (i + 1).checked_sub(LATENCY as usize) else { continue };
            let expected = if at.is_multiple_of(11) { 0 } else { exp2::weight(all[at], max) };
            assert_eq!(
                sim.get("weight").to_u64(),
                u64::from(expected),
                "z - max = {}",
                i64::from(all[at]) - i64::from(max)
            );
        }
    }
    #[test]
    fn every_segment_fits_the_table() {
        assert!(exp2_segments().iter().all(|s| s.base < 1 << 16 && s.slope < 1 << 10));
    }
}
