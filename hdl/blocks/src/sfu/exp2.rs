//! Softmax numerator of one score: `round(255 * 2^(z - max))`, or 0 where the key is not seen.
//! See `arith::sfu::exp2::weight`. One score a cycle, `LATENCY` cycles later.

use sagen_arith::tables::exp2_segments;
use sagen_lang::{Design, ModuleId, Signal, bit, interface, signed, unsigned};

/// Cycles from `valid` to the weight.
pub const LATENCY: u32 = 5;

/// Fraction bits of a score.
const FRACTION: u32 = sagen_arith::contract::SCORE_FRACTION;
/// Bits of a shift; the greatest is 2^(SHIFT - 1), further ones give zero.
const SHIFT: u32 = 5;

interface! {
    /// A score in, its weight out.
    pub struct Exp2() {
        /// A score is there.
        valid: -> bit(),
        /// The key is seen.
        seen: -> bit(),
        /// The score.
        z: -> signed(32),
        /// The greatest score.
        max: -> signed(32),
        /// Its weight.
        weight: <- unsigned(8),
    }
}

/// The pipeline. `max` is not below a `z` that is seen.
pub fn exp2(d: &mut Design) -> ModuleId {
    d.module("softmax_weight", |m| {
        m.doc("Numerator of the softmax: round(255 * 2^(z - max)), or 0 where the key is not seen.");
        let port = m.slave("", Exp2::layout());
        let stages = m.pipeline(port.valid, LATENCY - 1);

        let distance = stages.reg("distance", 0, port.max.sub_full(port.z).as_unsigned());
        let seen = stages.reg("seen", 0, port.seen);

        let low = distance.slice(0, FRACTION);
        let whole = distance.slice(FRACTION, SHIFT) + low.reduce_or().extend(SHIFT);
        let gone = stages.reg("gone", 1, !seen | beyond(distance));
        let shift = stages.reg("shift", 1, whole);
        let fraction = m.net("fraction", -low);
        let table: Vec<u64> = exp2_segments().iter().map(|s| u64::from(s.slope) << 16 | u64::from(s.base)).collect();
        let segment = m.rom("segments", &table, 26).read(stages.valid(1), fraction.slice(6, 6));
        let rest = stages.reg("rest", 1, fraction.slice(0, 6));

        let rise = m.net("rise", segment.slice(16, 10) * rest);
        let power = segment.slice(0, 16).extend(17) + rise.slice(6, 10).extend(17);
        let power = stages.reg("power", 2, power);
        let (shift, gone) = (stages.reg("shift", 2, shift), stages.reg("gone", 2, gone));

        // (((x << 1) >> n) + 1) >> 1 rounds half up for every n, 0 included.
        let doubled = m.net("doubled", power.extend(18).shl(1));
        let scaled = stages.reg("scaled", 3, doubled.shr_dyn(shift).add_lit(1).slice(1, 16));
        let gone = stages.reg("gone", 3, gone);

        let wide = scaled.extend(24);
        let rounded = m.net("rounded", wide.shl(8) - wide + m.lit(unsigned(24), 1 << 14));
        let none = m.lit(unsigned(8), 0);
        port.weight.drive(stages.reg("weight", 4, gone.mux(none, rounded.slice(15, 8))));
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
    use sagen_arith::sfu::exp2::{cases, weight};
    use sagen_lang::Sim;

    #[test]
    fn every_weight_is_that_of_arith() {
        let mut d = Design::new();
        let top = exp2(&mut d);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let seen = |i: usize| !i.is_multiple_of(11);
        let all: Vec<_> = cases().enumerate().collect();
        let mut late = all.iter();
        sim.set("valid", true);
        for i in 0..all.len() + LATENCY as usize - 1 {
            if let Some((_, c)) = all.get(i) {
                sim.set("z", c.z);
                sim.set("max", c.max);
            }
            sim.set("seen", seen(i));
            sim.step();
            if i + 1 < LATENCY as usize {
                continue;
            }
            let (i, c) = late.next().expect("one for each case");
            let expected = if seen(*i) { weight(c.z, c.max) } else { 0 };
            assert_eq!(sim.get("weight").to_u64(), u64::from(expected), "{c:?}");
        }
    }

    #[test]
    fn every_segment_fits_the_table() {
        assert!(exp2_segments().iter().all(|s| s.base < 1 << 16 && s.slope < 1 << 10));
    }
}
