//! Turns the accumulators of finished blocks into results: four a cycle, one word of 16 in four cycles.
//!
//! A word is begun only if the output queue has a place for it, so nothing behind that point ever waits.
//! Stages: decide, read addresses, data, lane inputs; then the lanes' latency; then the queue.

use super::cycle::{Cycle, join, pick};
use super::feed::place_bits;
use super::geometry::{ACC, Geometry, ROWS};
use super::queue::{Results, ResultsContext, context as context_port, tally};
use super::scales::SCALE;
use crate::interface::{ScaleRead, ScratchWrite};
use sagen_blocks::Depth;
use sagen_blocks::requant::{BASE_BITS, Requant, requant};
use sagen_lang::{
    Design, Layout, Module, ModuleId, Output, RamStyle, Reg, Signal, Sink, bit, bundle, cat, high, interface, lit, low,
    pack, signed, unsigned,
};

/// Results that are computed at once.
const LANES: u32 = 4;
const QUARTERS: u32 = ROWS / LANES;
/// Words between the decision and the scratchpad: the latency of a word is about five words long.
const WORDS: u32 = 8;

interface! {
    /// Finished blocks in; what they take up is given back.
    pub(super) struct Drain(g: Geometry) {
        /// A block is finished.
        block_final: -> bit(),
        /// Accumulators are read.
        acc_read: <- bit(),
        acc_at: <- unsigned(place_bits(g) - 1),
        acc_data: -> unsigned(ACC * g.columns()),
        /// Row scales of the block are read.
        scales_read: <- bit(),
        row_scales: -> unsigned(ROWS * SCALE),
        /// Accumulators and row scales of the block are free.
        retire: <- bit(),
        /// The last word of a descriptor is written.
        done: <- bit(),
    }
}

bundle! {
    /// Where a word goes.
    struct Place() {
        at: unsigned(16),
        /// Of its descriptor.
        last: bit(),
    }
}

type Port = Drain<Signal, Output>;
type Ctx = ResultsContext<Signal, Output>;

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

/// See the file.
pub(super) fn drain(d: &mut Design, g: Geometry) -> ModuleId {
    let lane = requant(d, Depth::of(g.deep));
    d.module(format!("array_drain_c{}{}", g.columns(), g.variant()), |m| {
        m.doc("Turns the accumulators of finished blocks into results, four a cycle.");
        let (port, ctx) = (m.slave("", Drain::layout(g)), m.slave(context_port(), ResultsContext::layout()));
        let c = context(m);
        let row = m.reg("row", unsigned(ROWS.ilog2()));
        let quarter = Cycle::new(m, "quarter", QUARTERS);
        let words = m.reg("words", unsigned(WORDS.ilog2() + 1)).reset(0);
        let begin = decide(m, (&port, &ctx), &c, row, quarter, words);
        let lanes = read(m, g, &port, &c, &begin, (row, quarter), lane);
        let y: Vec<Signal> = lanes.iter().map(|u| u.y.as_unsigned()).collect();
        let (popped, done) = output_queue(m, &c, &begin, lanes[0].y_valid, pack(&y));
        port.done.drive(done);
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

fn decide(m: &Module, (port, ctx): (&Port, &Ctx), c: &Context, row: Reg, quarter: Cycle, words: Reg) -> Begin {
    let stored = m.reg("blocks_stored", unsigned(2)).reset(0);
    let last_row = row.eq(c.last_row);
    let room = !words.bit(WORDS.ilog2());
    let quarter_valid = m.net("quarter_valid", c.draining & (!quarter.first() | room));
    let word = m.net("word_begins", quarter_valid & quarter.first());
    let row_end = m.net("row_end", quarter_valid & quarter.last());
    let block_end = m.net("block_end", row_end & last_row);
    let last_block = m.net("last_block", c.blocks_left.eq_lit(1));
    let begins = m.net("begins", c.held & !c.draining & !stored.is_zero());
    let take = m.net("takes_ctx", ctx.valid & !c.held);
    tally(m, "stored", stored, port.block_final, begins);

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
    m.when(take, || load_context(m, c, &ctx.of));
    ctx.take.drive(take);
    Begin { quarter_valid, word, block_end, last_word: last_row & last_block }
}

fn load_context(m: &Module, c: &Context, of: &Results) {
    m.set(c.held, high());
    m.set(c.last_row, of.rows.sub_lit(1).trunc(ROWS.ilog2()));
    m.set(c.blocks_left, of.blocks);
    m.set(c.y_block, of.y);
    m.set(c.y_stride, of.y_stride);
    m.set(c.scale, of.scale);
    m.set(c.scale_stride, of.scale_stride);
    m.set(c.shift, of.shift);
}

/// Three stages from the decision to the inputs of the lanes.
fn read(
    m: &Module,
    g: Geometry,
    port: &Port,
    c: &Context,
    b: &Begin,
    (row, quarter): (Reg, Cycle),
    lane: ModuleId,
) -> Vec<Requant<Sink, Signal>> {
    let stages = m.pipeline(b.quarter_valid, 3);
    let quarter0 = quarter.index().expect("a word has four quarters");
    let quarter1 = stages.reg("quarter", 0, quarter0);
    let quarter2 = stages.reg("quarter", 1, quarter1);
    let place = stages.reg("place", 0, cat(&[c.bank.q(), row.q()]));
    // Quarters of one half lie in one accumulator word.
    let within = 2 - g.halves().ilog2();
    let half = (within < 2).then(|| quarter1.slice(within, 2 - within));
    port.acc_read.drive(stages.valid(1));
    port.acc_at.drive(join(&[Some(place), half]).expect("there is a row"));
    port.scales_read.drive(stages.valid(1));
    port.retire.drive(m.flag("retire1", b.block_end));
    let scale = m.master("scale_", ScaleRead::layout());
    scale.en.drive(m.flag("scale_reads", b.word));
    scale.addr.drive(m.reg_en("scale_at", b.word, c.scale_row));

    let acc = pick(Some(quarter2.slice(0, within)), &port.acc_data.lanes(ACC * LANES));
    let acc = stages.reg("acc", 2, if g.packed { !acc } else { acc });
    let rows = stages.reg("rows", 2, quarter2.select(&port.row_scales.lanes(SCALE * LANES)));
    let new_word = stages.valid(2) & quarter2.is_zero();
    let activation = scale.data;
    let factor = m.reg_en("factor3", new_word, activation.slice(0, 16));
    let shift = m.reg_en("shift1", b.word, c.shift);
    let shift = stages.reg("shift", 1, shift).extend(BASE_BITS);
    let base = m.reg_en("base3", new_word, shift - activation.slice(16, 8).as_signed().extend(BASE_BITS));
    let mut lanes = Vec::new();
    for i in 0..LANES {
        let u = m.instance(&format!("u_lane{i}"), lane).slave::<Requant>("").ports();
        let row = rows.slice(SCALE * i, SCALE);
        u.valid.drive(stages.valid(3));
        u.linear.drive(high());
        u.acc.drive(acc.slice(ACC * i, ACC).as_signed());
        u.row_mantissa.drive(row.slice(0, 16));
        u.row_exponent.drive(row.slice(16, 8).as_signed());
        u.factor.drive(factor);
        u.base.drive(base);
        lanes.push(u);
    }
    lanes
}

/// Collects quarters to words; the queue's read register is the output. Returns when a word leaves the queue, and when
/// a descriptor is done.
fn output_queue(m: &Module, c: &Context, b: &Begin, valid: Signal, quarter_data: Signal) -> (Signal, Signal) {
    let write = m.master("w_", ScratchWrite::layout(true));
    let w_ready = write.ready.expect("the engine may be refused");
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
    let places = Place::layout().memory(m, "places", WORDS).style(RamStyle::Distributed);
    places.write(b.word, begin_at, Place::layout().pack(Place { at: c.y_row.q(), last: b.last_word }));
    let place = places.read(pop, read_at).unpack();
    let done = m.flag("done_pulse", accepted & place.last);
    write.valid.drive(out_valid);
    write.addr.drive(place.at);
    write.data.drive(pack(&word));
    write.mask.drive(high().repeat(ROWS * ACC / 8));
    (pop, done)
}
