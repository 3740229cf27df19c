//! Gate factor of the feed-forward unit: sigmoid or the GELU gate as Q16, by linear segments, two registers deep.
//! Golden twin: `golden::sfu::gate::factor`.

use sagen_arch::tables::{Segment, gelu_segments, sigmoid_segments};
use sagen_lang::{Design, ModuleId, Signal, bit, cat, lit, signed};

/// Bits of a segment's base, slope, and of the position within a segment of sigmoid.
const BASE: u32 = 17;
const SLOPE: u32 = 12;
const LOW: u32 = 9;
/// Half the span of the sigmoid table in Q12; that of the GELU table is half as much.
const HALF: i32 = 8 << 12;

/// `a` enters with `find`, the segment is read with `read`; then `factor` and the delayed `a_out` are valid.
pub(super) fn vector_gate(d: &mut Design) -> ModuleId {
    d.module("vector_gate", |m| {
        m.doc("Factor of the gate for an argument in Q12, as Q16: 0 below the table, 65536 above it.");
        let (a, gelu) = (m.input("a", signed(32)), m.input("gelu", bit()));
        let (find, read) = (m.input("find", bit()), m.input("read", bit()));

        let half = gelu.mux(m.lit(signed(33), HALF / 2), m.lit(signed(33), HALF));
        let at = m.net("at", a.extend(33).add(half));
        // Within the table, `at` has 16 bits for sigmoid and 15 for GELU.
        let index = gelu.mux(at.slice(8, 7), at.slice(9, 7));
        let low = gelu.mux(at.slice(0, 8).extend(LOW).shl(1), at.slice(0, LOW));
        let beyond = at.slice(16, 16).reduce_or() | (gelu & at.bit(15));
        let index1 = m.reg_en("index1", find, cat(&[gelu, index]));
        let low1 = m.reg_en("low1", find, low);
        let below1 = m.reg_en("below1", find, at.msb());
        let above1 = m.reg_en("above1", find, !at.msb() & beyond);
        let a1 = m.reg_en("a1", find, a);

        let segments: Vec<Segment> = sigmoid_segments().into_iter().chain(gelu_segments()).collect();
        let words: Vec<u64> = segments.iter().map(word).collect();
        let rom = m.rom("segments", &words, BASE + SLOPE);
        let segment2 = m.reg_en("segment2", read, rom.lookup(index1));
        let low2 = m.reg_en("low2", read, low1);
        let below2 = m.reg_en("below2", read, below1);
        let above2 = m.reg_en("above2", read, above1);
        let a2 = m.reg_en("a2", read, a1);

        m.output("factor", below2.mux(lit(BASE, 0), above2.mux(lit(BASE, 1 << 16), line(segment2.q(), low2.q()))));
        m.output("a_out", a2);
    })
}

fn word(segment: &Segment) -> u64 {
    assert!(segment.slope < 1 << SLOPE && segment.base < 1 << BASE, "{segment:?} does not fit the table");
    u64::from(segment.base) << SLOPE | u64::from(segment.slope)
}

/// `base + (slope * low >> 9)`.
fn line(segment: Signal, low: Signal) -> Signal {
    let (base, slope) = (segment.slice(SLOPE, BASE), segment.slice(0, SLOPE));
    base.add(slope.mul(low).slice(LOW, SLOPE).extend(BASE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_golden::sfu::gate::{Gate, factor};
    use sagen_lang::Sim;

    #[test]
    fn every_argument_around_the_tables_gets_the_golden_factor() {
        let mut d = Design::new();
        let top = vector_gate(&mut d);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.set("find", true);
        sim.set("read", true);
        let around =
            (-33_000..33_000).step_by(7).chain([i32::MIN, i32::MAX, -16385, -16384, 16383, 16384, 32767, 32768]);
        for (gate, gelu) in [(Gate::Silu, false), (Gate::Gelu, true)] {
            sim.set("gelu", gelu);
            for x in around.clone() {
                sim.set("a", x);
                sim.step();
                sim.step();
                assert_eq!(sim.get("factor").to_u64(), u64::from(factor(gate, x)), "{gate:?} {x}");
                assert_eq!(sim.get("a_out").to_i64(), i64::from(x));
            }
        }
    }
}
