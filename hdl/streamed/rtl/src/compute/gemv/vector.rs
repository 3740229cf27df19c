//! The multipliers of one resident vector: one multiply-accumulate a byte of the beat.
//!
//! Dot mode: products are summed over the beat, shifted by `3 - shift` and added to one of 16 accumulators.
//! Accumulate mode: every lane adds weight times byte to its own register, read out lane by lane by `drain`.
//! With `multiply` in the cycle after the operands were loaded, a dot product reaches the adder
//! `adder_delay` cycles later; `sum_valid` follows one cycle after the adder or two after `drain`. A deep pipeline has a
//! register more between multiplier and accumulator.

use sagen_blocks::Depth;
use sagen_lang::{Design, Module, ModuleId, Output, RamStyle, Reg, Signal, bit, interface, signed, unsigned};
use sagen_streamed_isa::BLOCK_ROWS;

/// Levels of the adder tree between registers.
const LEVELS: u32 = 3;
/// Bits of an accumulator.
const SUM: u32 = 32;

interface! {
    /// What the multipliers of one vector are given, and the sums that they make.
    pub(super) struct Multiply(beat: u32) {
        /// Codes of the vector, a byte a lane.
        codes: -> unsigned(8 * beat),
        /// Shift of their group.
        shift: -> unsigned(2),
        /// The codes become the operands.
        load_codes: -> bit(),
        /// Weight of a key.
        weight: -> unsigned(8),
        /// It becomes the operand of all lanes.
        load_weight: -> bit(),
        beat: -> unsigned(8 * beat),
        /// The beat is multiplied.
        multiply: -> bit(),
        /// Products are summed up.
        dot: -> bit(),
        /// A product is added to its lane's.
        accumulate: -> bit(),
        /// Accumulator of a dot product.
        row: -> unsigned(BLOCK_ROWS.ilog2()),
        /// The dot product is the first of its accumulator.
        first: -> bit(),
        /// It is the last.
        emit: -> bit(),
        /// A lane's register is read.
        drain: -> bit(),
        /// Which.
        lane: -> unsigned(lane_bits(beat)),
        sum: <- signed(SUM),
        sum_valid: <- bit(),
    }
}

type Port = Multiply<Signal, Output>;

fn tree_stages(beat: u32) -> u32 {
    beat.ilog2().div_ceil(LEVELS)
}

/// Registers between a multiplier and the accumulator behind it.
fn product_stages(depth: Depth) -> u32 {
    u32::from(depth.is_deep())
}

/// Cycles from `multiply` to the adder behind the tree.
pub(super) fn adder_delay(beat: u32, depth: Depth) -> u32 {
    1 + product_stages(depth) + tree_stages(beat)
}

/// Lane that a drain reads: bits of its number.
pub(super) fn lane_bits(beat: u32) -> u32 {
    beat.ilog2()
}

/// One vector.
pub(super) fn vector(d: &mut Design, beat: u32, depth: Depth) -> ModuleId {
    d.module(depth.name(&format!("gemv_vector_{beat}")), |m| {
        m.doc("The multipliers of one resident vector: one multiply-accumulate a byte of the beat.");
        let port = m.slave("", Multiply::layout(beat));
        let operands = operands(m, &port, beat);
        let products = products(m, &port, &operands, product_stages(depth));
        let valid =
            (0..=product_stages(depth)).fold(port.multiply & port.dot, |s, i| m.flag(&format!("products{i}"), s));
        let (total, adding) = tree(m, &products, valid);
        let shift = m.reg_en("shift_q", port.load_codes, port.shift);
        let shift = m.delay("shift_q", shift, adder_delay(beat, depth));
        let result = accumulate(m, &port, total, shift, adding);
        let (drained, lane) = drain(m, &port, &products, beat);
        let sum = m.reg("sum_q", signed(32));
        m.when(adding, || m.set(sum, result)).elsewhen(drained, || m.set(sum, lane));
        port.sum.drive(sum);
        port.sum_valid.drive(m.flag("sum_valid_q", adding & port.emit | drained));
    })
}

/// One 9-bit operand a lane: a code in dot mode, the weight of a key in accumulate mode.
fn operands(m: &Module, port: &Port, beat: u32) -> Vec<Signal> {
    let weight = port.weight.as_signed_ext();
    let regs: Vec<Reg> = (0..beat).map(|i| m.reg(&format!("x{i}"), signed(9))).collect();
    m.when(port.load_codes, || {
        for (reg, code) in regs.iter().zip(port.codes.lanes(8)) {
            m.set(*reg, code.as_signed().extend(9));
        }
    })
    .elsewhen(port.load_weight, || regs.iter().for_each(|reg| m.set(*reg, weight)));
    regs.iter().map(|r| r.q()).collect()
}

/// The register behind each multiplier, `stages` cycles late.
fn products(m: &Module, port: &Port, operands: &[Signal], stages: u32) -> Vec<Signal> {
    let (bytes, multiply) = (port.beat.lanes(8), port.multiply);
    let accumulate = m.delay("accumulate_q", port.accumulate, stages);
    let add = (0..stages).fold(multiply, |s, i| m.flag(&format!("multiplied{i}"), s));
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
        valid = m.flag(&format!("sum{stage}_valid"), valid);
    }
    (terms[0], valid)
}

/// Adds a shifted sum to the accumulator of its row.
fn accumulate(m: &Module, port: &Port, total: Signal, shift: Signal, adding: Signal) -> Signal {
    let wide = m.net("total", total.extend(32));
    let shifted = (!shift).select(&[0, 1, 2, 3].map(|n| wide.shl(n)));
    let sums = m.memory("sums", BLOCK_ROWS as u32, 32).style(RamStyle::Distributed);
    let before = port.first.mux(m.lit(signed(32), 0), sums.read_async(port.row).as_signed());
    let result = m.net("result", before + shifted);
    sums.write(adding, port.row, result.as_unsigned());
    result
}

/// Reads one lane's register in two steps.
fn drain(m: &Module, port: &Port, products: &[Signal], beat: u32) -> (Signal, Signal) {
    let (drain, lane) = (port.drain, port.lane);
    let drained = m.flag("drained", drain);
    let low = lane_bits(beat).min(4);
    let column =
        |(i, lanes): (usize, &[Signal])| m.reg_en(&format!("column{i}"), drain, lane.slice(0, low).select(lanes)).q();
    let columns: Vec<Signal> = products.chunks(16).enumerate().map(column).collect();
    let value = match lane_bits(beat) - low {
        0 => columns[0],
        high => m.reg_en("column", drain, lane.slice(low, high)).select(&columns),
    };
    (drained, value)
}
