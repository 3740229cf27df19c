//! Turns the accumulators of finished blocks into results: four a cycle, one word of 16 in four cycles.
//!
//! A word is begun only if the output queue has a place for it, so nothing behind that point ever waits.
//! Stages: decide, read addresses, data, lane inputs; then the lanes' latency; then the queue.

use super::cycle::{Cycle, join, pick};
use super::geometry::{ACC, Geometry, ROWS};
use super::queue::tally;
use super::scales::SCALE;
use crate::compute::requant::{BASE_BITS, requant_lane};
use sagen_lang::{
    Design, Instance, Module, ModuleId, RamStyle, Reg, Signal, bit, cat, high, lit, low, pack, signed, unsigned,
};

/// Results that are computed at once.
const LANES: u32 = 4;
const QUARTERS: u32 = ROWS / LANES;
/// Words between the decision and the scratchpad: the latency of a word is about five words long.
const WORDS: u32 = 8;

/// The descriptor being drained, and how far.
struct Context {
    held: Reg,
    draining: Reg,
    bank: Reg,
    last_row: Reg,
    blocks_left: Reg,
    y_block: Reg,
    y_row: Reg,
    y_stride: Reg,
    scale: Reg,
    scale_row: Reg,
    scale_stride: Reg,
    shift: Reg,
}

/// What the first stage decides.
struct Begin {
    quarter_valid: Signal,
    word: Signal,
    block_end: Signal,
    last_word: Signal,
}

/// `block_final` announces a block; `retire` gives its accumulators and row scales back.
pub(super) fn drain(d: &mut Design, g: Geometry) -> ModuleId {
    let lane = requant_lane(d, g.deep);
    d.module(format!("array_drain_c{}{}", g.columns(), g.variant()), |m| {
        let c = context(m);
        let row = m.reg("row", unsigned(ROWS.ilog2()));
        let quarter = Cycle::new(m, "quarter", QUARTERS);
        let words = m.reg("words", unsigned(WORDS.ilog2() + 1)).reset(0);
        let begin = decide(m, &c, row, quarter, words);
        let lanes = read(m, g, &c, &begin, (row, quarter), lane);
        let y: Vec<Signal> = lanes.iter().map(|u| u.output("y").as_unsigned()).collect();
        let popped = output_queue(m, &c, &begin, lanes[0].output("y_valid"), pack(&y));
        tally(m, "words", words, begin.word, popped);
    })
}

fn context(m: &Module) -> Context {
    let word = |name: &str, width| m.reg(name, unsigned(width));
    Context {
        held: m.reg("held", bit()).reset(0),
        draining: m.reg("draining", bit()).reset(0),
        bank: m.reg("bank", bit()).reset(0),
        last_row: word("last_row", ROWS.ilog2()),
        blocks_left: word("blocks_left", 16),
        y_block: word("y_block", 16),
        y_row: word("y_row", 16),
        y_stride: word("y_step", 16),
        scale: word("scale_base", 12),
        scale_row: word("scale_row", 12),
        scale_stride: word("scale_step", 12),
        shift: m.reg("shift_held", signed(8)),
    }
}

fn decide(m: &Module, c: &Context, row: Reg, quarter: Cycle, words: Reg) -> Begin {
    let (ctx_valid, block_final) = (m.input("ctx_valid", bit()), m.input("block_final", bit()));
    let stored = m.reg("blocks_stored", unsigned(2)).reset(0);
    let last_row = row.eq(c.last_row);
    let room = !words.bit(WORDS.ilog2());
    let quarter_valid = m.net("quarter_valid", c.draining & (!quarter.first() | room));
    let word = m.net("word_begins", quarter_valid & quarter.first());
    let row_end = m.net("row_end", quarter_valid & quarter.last());
    let block_end = m.net("block_end", row_end & last_row);
    let last_block = m.net("last_block", c.blocks_left.eq_lit(1));
    let begins = m.net("begins", c.held & !c.draining & !stored.is_zero());
    let take = m.net("takes_ctx", ctx_valid & !c.held);
    tally(m, "stored", stored, block_final, begins);

    m.when(quarter_valid, || quarter.advance(m));
    m.when(row_end, || {
        m.set(row, row.add_lit(1));
        m.set(c.y_row, c.y_row.q() + c.y_stride);
        m.set(c.scale_row, c.scale_row.q() + c.scale_stride);
    });
    m.when(begins, || {
        m.set(row, lit(ROWS.ilog2(), 0));
        m.set(c.y_row, c.y_block);
        m.set(c.scale_row, c.scale);
        m.set(c.draining, high());
    });
    m.when(block_end, || {
        m.set(c.draining, low());
        m.set(c.bank, !c.bank);
        m.set(c.y_block, c.y_block.add_lit(1));
        m.set(c.blocks_left, c.blocks_left.sub_lit(1));
        m.set(c.held, !last_block);
    });
    m.when(take, || load_context(m, c));
    m.output("ctx_take", take);
    Begin { quarter_valid, word, block_end, last_word: last_row & last_block }
}

fn load_context(m: &Module, c: &Context) {
    m.set(c.held, high());
    m.set(c.last_row, m.input("rows", unsigned(5)).sub_lit(1).trunc(ROWS.ilog2()));
    let inputs = [
        ("blocks", c.blocks_left),
        ("y", c.y_block),
        ("y_stride", c.y_stride),
        ("scale", c.scale),
        ("scale_stride", c.scale_stride),
        ("shift", c.shift),
    ];
    for (name, reg) in inputs {
        m.set(reg, m.input(name, reg.ty()));
    }
}

/// Three stages from the decision to the inputs of the lanes.
fn read(m: &Module, g: Geometry, c: &Context, b: &Begin, at: (Reg, Cycle), lane: ModuleId) -> Vec<Instance> {
    let (row, quarter) = at;
    let flag = |name: &str, value: Signal| {
        let reg = m.reg(name, bit()).reset(0);
        m.set(reg, value);
        reg.q()
    };
    let quarter0 = quarter.index().expect("a word has four quarters");
    let valid1 = flag("valid1", b.quarter_valid);
    let valid2 = flag("valid2", valid1);
    let valid3 = flag("valid3", valid2);
    let quarter1 = m.reg_en("quarter1", b.quarter_valid, quarter0).q();
    let quarter2 = m.reg_en("quarter2", valid1, quarter1).q();
    let place = m.reg_en("place1", b.quarter_valid, cat(&[c.bank.q(), row.q()]));
    // Quarters of one half lie in one accumulator word.
    let within = 2 - g.halves().ilog2();
    let half = (within < 2).then(|| quarter1.slice(within, 2 - within));
    m.output("acc_read", valid1);
    m.output("acc_at", join(&[Some(place.q()), half]).expect("there is a row"));
    m.output("scales_read", valid1);
    m.output("retire", flag("retire1", b.block_end));
    m.output("scale_en", flag("scale_reads", b.word));
    m.output("scale_addr", m.reg_en("scale_at", b.word, c.scale_row));

    let acc = m.input("acc_data", unsigned(ACC * g.columns())).lanes(ACC * LANES);
    let acc = pick(Some(quarter2.slice(0, within)), &acc);
    let acc = m.reg_en("acc3", valid2, if g.packed { !acc } else { acc });
    let block = m.input("row_scales", unsigned(ROWS * SCALE)).lanes(SCALE * LANES);
    let rows = m.reg_en("rows3", valid2, quarter2.select(&block));
    let new_word = valid2 & quarter2.is_zero();
    let activation = m.input("scale_data", unsigned(SCALE));
    let factor = m.reg_en("factor3", new_word, activation.slice(0, 16));
    let shift = m.reg_en("shift1", b.word, c.shift);
    let shift = m.reg_en("shift2", valid1, shift).extend(BASE_BITS);
    let base = m.reg_en("base3", new_word, shift - activation.slice(16, 8).as_signed().extend(BASE_BITS));
    let mut lanes = Vec::new();
    for i in 0..LANES {
        let u = m.instance(&format!("u_lane{i}"), lane);
        let row = rows.slice(SCALE * i, SCALE);
        u.input("valid", valid3);
        u.input("linear", high());
        u.input("acc", acc.slice(ACC * i, ACC).as_signed());
        u.input("row_mantissa", row.slice(0, 16));
        u.input("row_exponent", row.slice(16, 8).as_signed());
        u.input("factor", factor);
        u.input("base", base);
        lanes.push(u);
    }
    lanes
}

/// Collects quarters to words; the queue's read register is the output. Returns when a word leaves the queue.
fn output_queue(m: &Module, c: &Context, b: &Begin, valid: Signal, quarter_data: Signal) -> Signal {
    let w_ready = m.input("w_ready", bit());
    let bits = WORDS.ilog2();
    let pointer = |name: &str| m.reg(name, unsigned(bits)).reset(0);
    let (begin_at, write_at, read_at) = (pointer("begin_at"), pointer("write_at"), pointer("read_at"));
    let quarter = Cycle::new(m, "result_quarter", QUARTERS);
    let complete = m.reg("complete", unsigned(bits + 1)).reset(0);
    let out_valid = m.reg("out_valid", bit()).reset(0);
    let index = quarter.index().expect("a word has four quarters");
    let word_end = m.net("word_end", valid & quarter.last());
    let accepted = m.net("accepted", out_valid & w_ready);
    let pop = m.net("pop", !complete.is_zero() & (!out_valid | w_ready));
    tally(m, "complete", complete, word_end, pop);
    m.when(valid, || quarter.advance(m));
    m.when(b.word, || m.set(begin_at, begin_at.add_lit(1)));
    m.when(word_end, || m.set(write_at, write_at.add_lit(1)));
    m.when(pop, || {
        m.set(read_at, read_at.add_lit(1));
        m.set(out_valid, high());
    })
    .elsewhen(accepted, || m.set(out_valid, low()));

    let word: Vec<Signal> = (0..QUARTERS)
        .map(|q| {
            let memory = m.memory(&format!("results{q}"), WORDS, LANES * ACC).style(RamStyle::Distributed);
            memory.write(valid & index.eq_lit(q), write_at, quarter_data);
            memory.read(pop, read_at)
        })
        .collect();
    let places = m.memory("places", WORDS, 17).style(RamStyle::Distributed);
    places.write(b.word, begin_at, cat(&[b.last_word, c.y_row.q()]));
    let place = places.read(pop, read_at);
    let done = m.reg("done_pulse", bit()).reset(0);
    m.set(done, accepted & place.msb());
    m.output("w_valid", out_valid);
    m.output("w_addr", place.slice(0, 16));
    m.output("w_data", pack(&word));
    m.output("w_mask", high().repeat(ROWS * ACC / 8));
    m.output("done", done);
    pop
}
