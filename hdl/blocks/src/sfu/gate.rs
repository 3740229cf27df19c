//! Gate factor of the feed-forward unit: sigmoid or the GELU gate as Q16, by linear segments in block RAM, two
//! registers deep, or four. See `arith::sfu::gate::factor`.

use crate::Depth;
use sagen_arith::contract::GATE_FRACTION;
use sagen_arith::tables::{Segment, gelu_segments, sigmoid_segments};
use sagen_lang::{Design, Module, ModuleId, RamStyle, Reg, Signal, bit, cat, lit, signed};

/// Bits of a segment's base, slope, and of the position within a segment of sigmoid.
const BASE: u32 = 17;
const SLOPE: u32 = 12;
const LOW: u32 = 9;
/// Half the span of the sigmoid table; that of the GELU table is half as much.
const HALF: i32 = 8 << GATE_FRACTION;

/// `a` enters with `find`, the segment is read with `read`, and in a deep gate it passes a register with `fetch` and its
/// slope is multiplied with `multiply`; then `factor` and the delayed `a_out` are valid.
pub fn gate(d: &mut Design, depth: Depth) -> ModuleId {
    d.module(depth.name("vector_gate"), |m| {
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
        let rom = m.rom("segments", &words, BASE + SLOPE).style(RamStyle::Block);
        let segment = rom.read(read, index1);
        let hold = |name: &str, value: Reg| m.reg_en(name, read, value).q();
        let low = hold("low2", low1);
        let found =
            Found { segment, low, below: hold("below2", below1), above: hold("above2", above1), a: hold("a2", a1) };
        let line = if depth.is_deep() { found.hold(m).line().hold(m) } else { found.line() };
        m.output("factor", line.factor());
        m.output("a_out", line.a);
    })
}

/// The segment of an argument, and the place in it.
struct Found {
    segment: Signal,
    low: Signal,
    below: Signal,
    above: Signal,
    a: Signal,
}

impl Found {
    /// A register between the table and the multiplier.
    fn hold(&self, m: &Module) -> Self {
        let fetch = m.input("fetch", bit());
        let hold = |name: &str, value: Signal| m.reg_en(name, fetch, value).q();
        Self {
            segment: hold("segment3", self.segment),
            low: hold("low3", self.low),
            below: hold("below3", self.below),
            above: hold("above3", self.above),
            a: hold("a3", self.a),
        }
    }

    fn line(&self) -> Line {
        let (base, slope) = (self.segment.slice(SLOPE, BASE), self.segment.slice(0, SLOPE));
        let rise = slope.mul(self.low).slice(LOW, SLOPE);
        Line { base, rise, below: self.below, above: self.above, a: self.a }
    }
}

/// The line of a segment at an argument.
struct Line {
    base: Signal,
    rise: Signal,
    below: Signal,
    above: Signal,
    a: Signal,
}

impl Line {
    /// A register between the multiplier and the adder.
    fn hold(&self, m: &Module) -> Self {
        let multiply = m.input("multiply", bit());
        let hold = |name: &str, value: Signal| m.reg_en(name, multiply, value).q();
        Self {
            base: hold("base4", self.base),
            rise: hold("rise4", self.rise),
            below: hold("below4", self.below),
            above: hold("above4", self.above),
            a: hold("a4", self.a),
        }
    }

    fn factor(&self) -> Signal {
        let inside = self.base.add(self.rise.extend(BASE));
        self.below.mux(lit(BASE, 0), self.above.mux(lit(BASE, 1 << 16), inside))
    }
}

fn word(segment: &Segment) -> u64 {
    assert!(segment.slope < 1 << SLOPE && segment.base < 1 << BASE, "{segment:?} does not fit the table");
    u64::from(segment.base) << SLOPE | u64::from(segment.slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_arith::sfu::gate::{Gate, cases, factor};
    use sagen_lang::Sim;

    #[test]
    fn every_factor_is_that_of_arith() {
        for depth in [Depth::Short, Depth::Deep] {
            check(depth);
        }
    }

    /// The arguments of the operation's cases, then every seventh one around the tables.
    fn arguments() -> impl Iterator<Item = (Gate, i32)> {
        let around = (-33_000..33_000).step_by(7);
        let both = around.flat_map(|a| [(Gate::Silu, a), (Gate::Gelu, a)]);
        cases().map(|c| (c.function, c.a)).chain(both)
    }

    fn check(depth: Depth) {
        let mut d = Design::new();
        let top = gate(&mut d, depth);
        let mut sim = Sim::new(&d, top).unwrap();
        let enables: &[&str] = if depth.is_deep() { &["find", "read", "fetch", "multiply"] } else { &["find", "read"] };
        enables.iter().for_each(|name| sim.set(name, true));
        for (function, a) in arguments() {
            sim.set("gelu", function == Gate::Gelu);
            sim.set("a", a);
            enables.iter().for_each(|_| sim.step());
            assert_eq!(sim.get("factor").to_u64(), u64::from(factor(function, a)), "{function:?} {a}");
            assert_eq!(sim.get("a_out").to_i64(), i64::from(a));
        }
    }
}
