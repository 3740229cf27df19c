//! The golden case lists through the whole unit, 16 cases a word where the case allows it.

use super::bench::{Bench, SPREAD};
use sagen_arith::fixed::{rsh, sat32};
use sagen_arith::quantise::{CodeCase, FixedCase, ScaleCase, check_codes, check_fixed, check_scales};
use sagen_arith::rope;
use sagen_arith::scale::Scale;
use sagen_arith::sfu::gate::{self, Gate};
use sagen_lang::Bits;
use sagen_streamed_golden::Write;
use sagen_streamed_isa::{Add, GateFunction, Glu, Mul, Operation, Quant, Rope, Rows};

/// Run one descriptor and return what it wrote.
fn one(bench: &mut Bench, operation: impl Into<Operation>) -> Vec<Write> {
    bench.run(&[operation.into()]).remove(0).writes
}

fn lane(write: &Write, i: usize) -> i32 {
    let Write::Scratch { bytes, .. } = write else { panic!("not a scratchpad word: {write:?}") };
    i32::from_le_bytes(*bytes[4 * i..].first_chunk().unwrap())
}

#[test]
fn products_and_sums_of_extreme_operands_round_and_saturate_as_golden() {
    for form in SPREAD {
        let mut bench = Bench::new(form, 1);
        let edges =
            [0, 1, -1, 2, -2, 3, -3, 32767, -32768, 65536, i32::MAX, i32::MIN, i32::MAX - 1, i32::MIN + 1, 5, -7];
        bench.put(1, edges);
        for b in edges {
            bench.put(0, [b; 16]);
            for shift in 0..64 {
                let mul = Mul {
                    rows: 1,
                    words: 1,
                    left: Rows::at(0),
                    right: Rows::at(1),
                    to: Rows::at(2),
                    shift,
                    write: true,
                    ..Mul::default()
                };
                let found = one(&mut bench, mul);
                for (i, a) in edges.into_iter().enumerate() {
                    let expected = sat32(rsh(i64::from(a) * i64::from(b), shift as i32));
                    assert_eq!(lane(&found[0], i), expected, "{a} * {b} >> {shift}");
                }
            }
            let found =
                one(&mut bench, Add { rows: 1, words: 1, left: Rows::at(0), right: Rows::at(1), to: Rows::at(2) });
            for (i, a) in edges.into_iter().enumerate() {
                assert_eq!(lane(&found[0], i), a.saturating_add(b), "{a} + {b}");
            }
        }
    }
}

#[test]
fn every_gate_case_gets_the_golden_result() {
    for form in SPREAD {
        let mut bench = Bench::new(form, 2);
        gate::check(|c| {
            bench.put(0, [c.a; 16]);
            bench.put(1, [c.b; 16]);
            let function = match c.function {
                Gate::Silu => GateFunction::Silu,
                Gate::Gelu => GateFunction::Gelu,
            };
            let glu = Glu {
                rows: 1,
                words: 1,
                gate: Rows::at(0),
                up: Rows::at(1),
                to: Rows::at(2),
                function,
                shift: c.shift as u64,
                ..Glu::default()
            };
            lane(&one(&mut bench, glu)[0], 7)
        });
    }
}

#[test]
fn every_rotation_case_gets_the_golden_result() {
    for form in SPREAD {
        let mut bench = Bench::new(form, 3);
        rope::check(|c| {
            bench.put(0, [c.x; 16]);
            bench.put(1, [c.y; 16]);
            let pair = |v: i16| i32::from(v as u16) | i32::from(v) << 16;
            bench.put(2, std::array::from_fn(|i| if i < 8 { pair(c.cos) } else { pair(c.sin) }));
            let rope = Rope {
                rows: 1,
                words: 2,
                from: Rows::at(0),
                table: Rows::at(2),
                to: Rows::at(4),
                head_words: 2,
                ..Rope::default()
            };
            let found = one(&mut bench, rope);
            (lane(&found[0], 3), lane(&found[1], 3))
        });
    }
}

/// One segment of two groups; the first has the case's amax.
fn quant(bench: &mut Bench, c: CodeCase) -> Vec<Write> {
    bench.sim.poke_word("u_amax.magnitudes", 0, c.group_amax);
    bench.sim.poke_word("u_amax.magnitudes", 1, c.amax);
    (0..4).for_each(|word| bench.put(word, [c.t; 16]));
    one(bench, Quant { rows: 1, segments: 1, segment_words: 8, ..Quant::default() })
}

#[test]
fn every_code_case_gets_the_golden_shift_and_code() {
    for form in SPREAD {
        let mut bench = Bench::new(form, 4);
        check_codes(|c| {
            let found = quant(&mut bench, c);
            let Write::Code { codes, shift, .. } = found[0] else { panic!("not a code word: {found:?}") };
            (shift, codes[17])
        });
    }
}

#[test]
fn every_scale_case_gets_the_golden_scale() {
    for form in SPREAD {
        let mut bench = Bench::new(form, 5);
        check_scales(|c: ScaleCase| {
            bench.sim.poke_word("u_amax.magnitudes", 0, c.amax);
            let (squares, epsilon) = c.norm.unwrap_or_default();
            let limbs = [squares as u64, (squares >> 64) as u64];
            bench.sim.poke_word("u_squares.rows", 0, Bits::from_limbs(&limbs, 80));
            let quant = Quant {
                rows: 1,
                segments: 1,
                segment_words: 4,
                norm: c.norm.is_some(),
                epsilon,
                factor_mantissa: u64::from(c.factor.mantissa),
                factor_exponent: i64::from(c.factor.exponent),
                ..Quant::default()
            };
            let found = one(&mut bench, quant);
            let Some(Write::Scale { value, .. }) = found.get(1) else { panic!("no scale: {found:?}") };
            Scale { mantissa: *value as u16, exponent: i16::from((value >> 16) as u8 as i8) }
        });
    }
}

#[test]
fn every_fixed_case_gets_the_golden_code_in_both_memories() {
    for form in SPREAD {
        let mut bench = Bench::new(form, 6);
        check_fixed(|c: FixedCase| {
            (0..4).for_each(|word| bench.put(word, [c.t; 16]));
            let (multiplier, shift) = (u64::from(c.multiplier), c.shift as u64);
            let quant =
                Quant { rows: 1, segments: 1, segment_words: 4, fixed: true, multiplier, shift, ..Quant::default() };
            let Write::Code { codes, shift: 0, .. } = one(&mut bench, quant)[0] else { panic!("not a code word") };
            let bytes =
                one(&mut bench, Quant { to_scratchpad: true, to: Rows { base: 9, ..quant.to }, ..quant }).remove(0);
            assert!((0..16).all(|i| lane(&bytes, i).to_le_bytes() == [codes[0] as u8; 4]), "{bytes:?}");
            codes[63]
        });
    }
}
