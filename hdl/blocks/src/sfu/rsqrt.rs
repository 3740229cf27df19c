//! `rsqrt(Scale::from_integer(sum + epsilon))`, see `arith::sfu::rsqrt::rsqrt`.
//!
//! One at a time: `valid` comes 6 to 11 cycles after `start`, 10 to 15 in a deep unit, which takes two cycles for a
//! product and for the normalisation; the result stays until the next one.

use crate::Depth;
use crate::multiply::{Settled, in_turn};
use crate::scale::{clamp, shift_out_zeros};
use sagen_arith::tables::rsqrt_seeds;
use sagen_lang::{Design, Fsm, Module, ModuleId, Signal, bit, cat, lit, low, signed, unsigned};

/// Bits of a sum of squares, rounded up to whole steps of the alignment.
const WIDE: u32 = 96;
const STEP: u32 = 16;
/// Bits of the exponent of a sum, -15..=80, and of the root's, -64..=-16.
const EXPONENT: u32 = 8;

/// The root of a sum of so many bits, 80 at most.
pub fn rsqrt(d: &mut Design, depth: Depth, sum_bits: u32) -> ModuleId {
    assert!(sum_bits < WIDE - STEP + 1, "a sum has {} bits at most, found {sum_bits}", WIDE - STEP);
    d.module(depth.name("vector_root"), |m| {
        m.doc("Reciprocal square root of a sum of squares.");
        let states = ["idle", "align", "halfway", "normal", "seed", "square", "error", "newton"];
        let states: Vec<&str> = states.into_iter().filter(|s| depth.is_deep() || *s != "halfway").collect();
        let state = m.fsm("state", &states);
        let (wide, exponent) = align(m, &state, depth, sum_bits);
        let (v, root) = normal(m, &state, depth, wide, exponent);
        let v = m.reg_en("v", state.is("normal"), v).q();
        m.output("exponent", m.reg_en("root", state.is("normal"), root));

        // `v` has 17 bits and is at least 2^15.
        let seed = m.rom("seeds", &rsqrt_seeds(), 16).lookup(v.slice(9, 8).sub_lit(64)).extend(17);
        let (x, y, mantissa) = (m.reg("x", unsigned(17)), m.reg("y", unsigned(17)), m.reg("mantissa_q", unsigned(16)));
        let multiplying = state.is("square") | state.is("error") | state.is("newton");
        let Settled { product, settled } = in_turn(m, depth, "product", x.mul(y), multiplying);
        let error = lit(34, 3 << 32) - product;
        let rounded = product.add_lit(1 << 15).slice(16, 18);
        let valid = m.reg("valid_q", bit()).reset(0);
        m.set(valid, state.is("newton") & settled);
        let go = |next: &str| m.set_state(&state, next);
        m.switch_state(&state)
            .case("normal", || go("seed"))
            .case("seed", || {
                m.set(x, seed);
                m.set(y, seed);
                go("square");
            })
            .case("square", || {
                m.when(settled, || {
                    m.set(x, product.slice(15, 17));
                    m.set(y, v);
                    go("error");
                });
            })
            .case("error", || {
                m.when(settled, || {
                    m.set(x, seed);
                    m.set(y, error.slice(17, 17));
                    go("newton");
                });
            })
            .case("newton", || {
                m.when(settled, || {
                    m.set(mantissa, clamp(rounded));
                    go("idle");
                });
            })
            .otherwise(|| ());
        m.output("valid", valid);
        m.output("mantissa", mantissa);
    })
}

/// Moves the sum up by whole steps until one of the highest bits is set or no step is left.
fn align(m: &Module, state: &Fsm, depth: Depth, sum_bits: u32) -> (Signal, Signal) {
    let start = m.input("start", bit());
    let sum = m.input("sum", unsigned(sum_bits)).add_full(m.input("epsilon", unsigned(40)).extend(sum_bits));
    let wide = m.reg("wide", unsigned(WIDE));
    let exponent = m.reg("exponent_q", signed(EXPONENT));
    let empty = wide.slice(WIDE - STEP, STEP).is_zero() & !exponent.is_zero();
    m.when(state.is("idle") & start, || {
        m.set(wide, sum.extend(WIDE));
        m.set(exponent, m.lit(signed(EXPONENT), WIDE - STEP));
        m.set_state(state, "align");
    });
    m.when(state.is("align"), || {
        m.when(empty, || {
            m.set(wide, wide.shl(STEP));
            m.set(exponent, exponent.sub_lit(STEP));
        })
        .otherwise(|| m.set_state(state, if depth.is_deep() { "halfway" } else { "normal" }));
    });
    (wide.q(), exponent.q())
}

/// The sum as `v * 2^even` with v in [1, 4) as Q15, and the exponent of its root.
fn normal(m: &Module, state: &Fsm, depth: Depth, wide: Signal, exponent: Signal) -> (Signal, Signal) {
    let (mut x, mut zeros) = shift_out_zeros(wide.slice(WIDE - 31, 31), &[8, 4]);
    if depth.is_deep() {
        m.when(state.is("halfway"), || m.set_state(state, "normal"));
        x = m.reg_en("halfway_x", state.is("halfway"), x).q();
        zeros = m.reg_en("halfway_zeros", state.is("halfway"), zeros).q();
    }
    let (x, fewer) = shift_out_zeros(x, &[2, 1]);
    let zeros = cat(&[zeros, fewer]);
    let some = m.net("some", x.msb());
    // Zero counts as 1: mantissa 2^15, exponent -15.
    let zeros = zeros.extend(EXPONENT).as_signed();
    let above = some.mux(exponent - zeros, m.lit(signed(EXPONENT), -15)).add_lit(15);
    let mantissa = some.mux(x.slice(15, 16), lit(16, 1 << 15));
    let odd = above.bit(0);
    let v = odd.mux(cat(&[mantissa, low()]), mantissa.extend(17));
    (v, m.lit(signed(EXPONENT), -16) - above.shr(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_arith::scale::{self, Scale};
    use sagen_arith::sfu::rsqrt;
    use sagen_lang::{Bits, Sim};

    const SUM: u32 = 80;

    /// A unit that is asked for one root after another.
    struct Unit(Sim);

    impl Unit {
        fn new(depth: Depth) -> Self {
            let mut d = Design::new();
            let top = super::rsqrt(&mut d, depth, SUM);
            let mut sim = Sim::new(&d, top).unwrap();
            sim.reset();
            Self(sim)
        }

        fn root(&mut self, sum: u128, epsilon: u64) -> Scale {
            let sim = &mut self.0;
            sim.set("sum", Bits::from_limbs(&[sum as u64, (sum >> 64) as u64], SUM));
            sim.set("epsilon", Bits::from_limbs(&[epsilon], 40));
            sim.set("start", true);
            sim.step();
            sim.set("start", false);
            let cycles = (1..20).find(|_| {
                sim.step();
                sim.get("valid").bit(0)
            });
            assert!(cycles.is_some(), "no root of {sum:x} + {epsilon:x}");
            Scale { mantissa: sim.get("mantissa").to_u64() as u16, exponent: sim.get("exponent").to_i64() as i16 }
        }
    }

    fn check(mut root: impl FnMut(&mut Unit)) {
        [Depth::Short, Depth::Deep].map(Unit::new).iter_mut().for_each(&mut root);
    }

    #[test]
    fn sums_of_every_length_get_the_root_of_arith() {
        let patterns = [0u128, 1, 3, 0x1_2345_6789_abcd_ef01_2345, u128::MAX >> 48];
        let sums = patterns.iter().flat_map(|p| (0..80).map(move |n| p >> n)).chain((0..80).map(|n| 1 << n));
        let sums: Vec<u128> = sums.map(|sum| sum & ((1 << SUM) - 1)).collect();
        check(|unit| {
            for (i, &sum) in sums.iter().enumerate() {
                let epsilon = [0, 1, (1u64 << 40) - 1, 12345][i % 4];
                let expected = rsqrt::rsqrt(Scale::from_integer(sum + u128::from(epsilon)));
                assert_eq!(unit.root(sum, epsilon), expected, "{sum:x} + {epsilon:x}");
            }
        });
    }

    /// The unit normalises sums itself, so of arith's scales it can be given those of integers: the mantissa
    /// decides the digits, the parity of the exponent the half of the table.
    #[test]
    fn scales_of_every_seed_get_the_root_of_arith() {
        check(|unit| {
            for s in rsqrt::cases().filter(|s| (-15..=64).contains(&s.exponent)) {
                let mantissa = u128::from(s.mantissa);
                let sum = if s.exponent >= 0 { mantissa << s.exponent } else { mantissa >> -s.exponent };
                assert_eq!(unit.root(sum, 0), rsqrt::rsqrt(Scale::from_integer(sum)), "{s:?}");
            }
        });
    }

    #[test]
    fn integers_become_the_scales_of_arith_before_their_root() {
        check(|unit| {
            for c in scale::cases() {
                let expected = rsqrt::rsqrt(Scale::from_integer(c.x));
                assert_eq!(unit.root(c.x, 0), expected, "{c:?}");
            }
        });
    }
}
