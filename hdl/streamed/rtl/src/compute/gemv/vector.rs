//! The multipliers of one resident vector: one multiply-accumulate a byte of the beat.
//!
//! Dot mode: products are summed over the beat, shifted by `3 - shift` and added to one of 16 accumulators.
//! Accumulate mode: every lane adds weight times byte to its own register, read out lane by lane by `drain`.
//! With `multiply` in the cycle after the operands were loaded, a dot product reaches the adder
//! `adder_delay` cycles later; `sum_valid` follows one cycle after the adder or two after `drain`. A deep pipeline has a
//! register more between multiplier and accumulator.

use super::flag;
use sagen_lang::{Design, Module, ModuleId, RamStyle, Reg, Signal, bit, signed, unsigned};
use sagen_streamed_isa::BLOCK_ROWS;

/// Levels of the adder tree between registers.
const LEVELS: u32 = 3;
/// Bits of an accumulator.
const SUM: u32 = 32;

fn tree_stages(beat: u32) -> u32 {
    beat.ilog2().div_ceil(LEVELS)
}

/// Registers between a multiplier and the accumulator behind it.
fn product_stages(deep: bool) -> u32 {
    u32::from(deep)
}

/// Cycles from `multiply` to the adder behind the tree.
pub(super) fn adder_delay(beat: u32, deep: bool) -> u32 {
    1 + product_stages(deep) + tree_stages(beat)
}

/// Lane that a drain reads: bits of its number.
pub(super) fn lane_bits(beat: u32) -> u32 {
    beat.ilog2()
}

/// One vector.
pub(super) fn vector(d: &mut Design, beat: u32, deep: bool) -> ModuleId {
    let suffix = if deep { "_deep" } else { "" };
    d.module(format!("gemv_vector_{beat}{suffix}"), |m| {
        let load_codes = m.input("load_codes", bit());
        let operands = operands(m, load_codes, beat);
        let multiply = m.input("multiply", bit());
        let dot = m.input("dot", bit());
        let products = products(m, &operands, multiply, product_stages(deep));
        let valid = (0..=product_stages(deep)).fold(multiply & dot, |s, i| flag(m, &format!("products{i}"), s));
        let (total, adding) = tree(m, &products, valid);
        let shift = m.reg_en("shift_q", load_codes, m.input("shift", unsigned(2)));
        let shift = m.delay("shift_q", shift, adder_delay(beat, deep));
        let result = accumulate(m, total, shift, adding);
        let (drained, lane) = drain(m, &products, beat);
        let emit = m.input("emit", bit());
        let sum = m.reg("sum_q", signed(32));
        m.when(adding, || m.set(sum, result)).elsewhen(drained, || m.set(sum, lane));
        let sum_valid = m.reg("sum_valid_q", bit()).reset(0);
        m.set(sum_valid, adding & emit | drained);
        m.output("sum", sum);
        m.output("sum_valid", sum_valid);
    })
}

/// One 9-bit operand a lane: a code in dot mode, the weight of a key in accumulate mode.
fn operands(m: &Module, load_codes: Signal, beat: u32) -> Vec<Signal> {
    let codes = m.input("codes", unsigned(8 * beat));
    let load_weight = m.input("load_weight", bit());
    let weight = m.input("weight", unsigned(8)).as_signed_ext();
    let regs: Vec<Reg> = (0..beat).map(|i| m.reg(&format!("x{i}"), signed(9))).collect();
    m.when(load_codes, || {
        for (reg, code) in regs.iter().zip(codes.lanes(8)) {
            m.set(*reg, code.as_signed().extend(9));
        }
    })
    .elsewhen(load_weight, || regs.iter().for_each(|reg| m.set(*reg, weight)));
    regs.iter().map(|r| r.q()).collect()
}

/// The register behind each multiplier, `stages` cycles late.
fn products(m: &Module, operands: &[Signal], multiply: Signal, stages: u32) -> Vec<Signal> {
    let bytes = m.input("beat", unsigned(8 * operands.len() as u32)).lanes(8);
    let accumulate = m.delay("accumulate_q", m.input("accumulate", bit()), stages);
    let add = (0..stages).fold(multiply, |s, i| flag(m, &format!("multiplied{i}"), s));
    let zero = m.lit(signed(SUM), 0);
    // The operand is extended, not the product: a value with one reader is computed only while `multiply` is high.
    let lane = |(i, (x, byte)): (usize, (&Signal, Signal))| {
        let p = m.reg(&format!("p{i}"), signed(SUM)).use_dsp();
        let product = match stages {
            0 => x.extend(SUM - 8) * byte.as_signed(),
            _ => m.delay_en(&format!("product{i}"), multiply, *x * byte.as_signed(), stages).extend(SUM),
        };
        (p, accumulate.mux(p.q(), zero) + product)
    };
    let lanes: Vec<(Reg, Signal)> = operands.iter().zip(bytes).enumerate().map(lane).collect();
    m.when(add, || lanes.iter().for_each(|(p, next)| m.set(*p, *next)));
    lanes.iter().map(|(p, _)| p.q()).collect()
}

/// The sum of all products, and when it is there. All terms have the width of the sum.
fn tree(m: &Module, products: &[Signal], valid: Signal) -> (Signal, Signal) {
    let width = 17 + products.len().ilog2();
    let mut terms: Vec<Signal> = products.iter().map(|p| p.trunc(width)).collect();
    let mut valid = valid;
    let mut stage = 0;
    while terms.len() > 1 {
        stage += 1;
        for _ in 0..LEVELS.min(terms.len().ilog2()) {
            terms = terms.chunks(2).map(|pair| pair[0] + pair[1]).collect();
        }
        let keep = |(i, term): (usize, &Signal)| m.reg_en(&format!("sum{stage}_{i}"), valid, *term).q();
        terms = terms.iter().enumerate().map(keep).collect();
        valid = flag(m, &format!("sum{stage}_valid"), valid);
    }
    (terms[0], valid)
}

/// Adds a shifted sum to the accumulator of its row.
fn accumulate(m: &Module, total: Signal, shift: Signal, adding: Signal) -> Signal {
    let row = m.input("row", unsigned(BLOCK_ROWS.ilog2()));
    let first = m.input("first", bit());
    let wide = m.net("total", total.extend(32));
    let shifted = (!shift).select(&[0, 1, 2, 3].map(|n| wide.shl(n)));
    let sums = m.memory("sums", BLOCK_ROWS as u32, 32).style(RamStyle::Distributed);
    let before = first.mux(m.lit(signed(32), 0), sums.read_async(row).as_signed());
    let result = m.net("result", before + shifted);
    sums.write(adding, row, result.as_unsigned());
    result
}

/// Reads one lane's register in two steps.
fn drain(m: &Module, products: &[Signal], beat: u32) -> (Signal, Signal) {
    let drain = m.input("drain", bit());
    let lane = m.input("lane", unsigned(lane_bits(beat)));
    let drained = m.reg("drained", bit()).reset(0);
    m.set(drained, drain);
    let low = lane_bits(beat).min(4);
    let column =
        |(i, lanes): (usize, &[Signal])| m.reg_en(&format!("column{i}"), drain, lane.slice(0, low).select(lanes)).q();
    let columns: Vec<Signal> = products.chunks(16).enumerate().map(column).collect();
    let value = match lane_bits(beat) - low {
        0 => columns[0],
        high => m.reg_en("column", drain, lane.slice(low, high)).select(&columns),
    };
    (drained.q(), value)
}
