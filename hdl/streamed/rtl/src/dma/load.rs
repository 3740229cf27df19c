//! Load unit: DDR to scratchpad, whole words of 64 bytes, row by row. Addresses of the next rows are asked for
//! while data of earlier ones arrives; the scratchpad may refuse a word for any number of cycles.

use crate::dma::offset::register_offset;
use crate::fields::Decode;
use crate::interface::{AxiRead, ScratchWrite, StepRead, unit_port};
use sagen_blocks::axi::ADDRESS_BITS;
use sagen_blocks::axi::burst::{BEATS_BITS, bursts};
use sagen_lang::{Design, Instance, Module, ModuleId, Output, Reg, Signal, bit, cat, high, lit, low, unsigned};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{Load, WORD_BYTES};

/// Longest burst in beats; short, since a port may be shared with the stream.
const LONGEST: u32 = 64;

/// The load unit: unit port, one read channel, scratchpad writes.
pub fn load_unit(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let bytes = overlay.port_bytes() as u32;
    // The receiver takes whatever arrives, so a burst always fits.
    let engine = bursts(d, bytes, LONGEST, 9);
    let offset = register_offset(d, 1, 32);
    d.module("load_unit", |m| {
        m.doc("Copies rows of words from DDR to the scratchpad.");
        let (unit, axi) = (unit_port(m), m.master("", AxiRead::layout(bytes, false)));
        let (desc, desc_valid) = (unit.desc, unit.valid);
        let active = m.reg("active", bit()).reset(0);
        let take = m.net("take", desc_valid & !active);
        let held = m.reg_en("held", take, desc);

        let engine = engine.place(m, "u_bursts", &axi);
        engine.room(lit(9, 511));
        let offset = m.instance("u_offset", offset);
        let (start, address, beats) = rows(m, offset, bytes, Held { take, desc, held: held.q() }, engine.idle());
        engine.begin(start, address, beats);

        let last = receive(m, axi, take, held.q(), active.q());
        m.when(take, || m.set(active, high()));
        m.when(last, || m.set(active, low()));
        unit.ready.drive(!active);
        m.output("busy", active);
        unit.done.drive(last);
    })
}

/// A descriptor when it is taken and from then on.
struct Held {
    take: Signal,
    desc: Signal,
    held: Signal,
}

/// Address of each row: base + register * stride + row * row stride. The product takes five cycles, once a descriptor or,
/// in a gather, once a row; the sum takes one. Data of earlier rows hides them.
fn rows(m: &Module, offset: Instance, bytes: u32, of: Held, ready: Signal) -> (Signal, Signal, Signal) {
    let f = Load::FIELDS;
    let stage = m.fsm("row_stage", &["idle", "multiply", "sum", "start"]);
    let start = m.net("row_start", stage.is("start") & ready);
    let gather = of.held.get(f.gather);
    let row = m.reg("row", unsigned(5));
    let (rows_left, row_base) = (m.reg("rows_left", unsigned(16)), m.reg("row_base", unsigned(ADDRESS_BITS)));
    // A row takes more than one cycle, so the comparison may be one late.
    let last = m.reg_next("last_row", rows_left.eq_lit(1));
    m.when(start, || {
        m.set(row, row.add_lit(1));
        m.set(rows_left, rows_left.sub_lit(1));
        m.set(row_base, row_base.add(of.held.get(f.ddr_stride).extend(ADDRESS_BITS)));
    });
    m.when(of.take, || {
        m.set(row, lit(5, 0));
        m.set(rows_left, of.desc.get(f.rows));
        m.set(row_base, of.desc.get(f.base));
    });
    let again = m.net("another_register", start & gather & !last);
    offset.input("start", of.take | again);
    offset.input("stride0", of.held.get(f.register_stride));
    let step = m.master("step_", StepRead::layout());
    offset.input("value", step.value);
    step.index.drive(of.held.get(f.register).add(row & gather.repeat(5)));
    let address = m.reg_en("address", stage.is("sum"), row_base.add(offset.output("offset")));
    m.switch_state(&stage)
        .case("idle", || {
            m.when(of.take, || m.set_state(&stage, "multiply"));
        })
        .case("multiply", || {
            m.when(offset.output("done"), || m.set_state(&stage, "sum"));
        })
        .case("sum", || m.set_state(&stage, "start"))
        .case("start", || {
            m.when(start & last, || m.set_state(&stage, "idle"))
                .elsewhen(again, || m.set_state(&stage, "multiply"))
                .elsewhen(start, || m.set_state(&stage, "sum"));
        });
    let shift = (WORD_BYTES as u32 / bytes).ilog2();
    (start, address.q(), of.held.get(f.row_words).extend(BEATS_BITS).shl(shift))
}

/// Assembles beats to words and writes them; high in the cycle in which the last word is taken.
fn receive(m: &Module, axi: AxiRead<Output, Signal>, take: Signal, held: Signal, active: Signal) -> Signal {
    let f = Load::FIELDS;
    let (r_valid, r_data, width) = (axi.r_valid, axi.r_data, axi.r_data.width());
    let pieces = WORD_BYTES as u32 * 8 / width;
    let write = m.master("w_", ScratchWrite::layout(true));
    let w_ready = write.ready.expect("a load may be refused");
    let full = m.reg("full", bit()).reset(0);
    let word: Vec<Reg> = (0..pieces).map(|i| m.reg(&format!("piece{i}"), unsigned(width))).collect();
    let piece = m.reg("piece", unsigned(pieces.ilog2())).reset(0);
    let written = m.net("written", full & w_ready);
    let r_ready = m.net("accepts", active & (!full | w_ready));
    let got = m.net("got", r_valid & r_ready);
    for (i, part) in word.iter().enumerate() {
        m.when(got & piece.eq_lit(i as u64), || m.set(*part, r_data));
    }
    m.when(written, || m.set(full, low()));
    m.when(got, || {
        m.set(piece, piece.add_lit(1));
        m.when(piece.eq_lit(u64::from(pieces - 1)), || m.set(full, high()));
    });

    let (row_word, row) = (m.reg("word_in_row", unsigned(16)), m.reg("write_row", unsigned(16)));
    let (row_at, at) = (m.reg("row_at", unsigned(16)), m.reg("write_at", unsigned(16)));
    let fresh = m.reg("fresh", bit()).reset(0);
    m.set(fresh, take);
    m.when(fresh, || {
        m.set(row_word, lit(16, 1));
        m.set(row, lit(16, 1));
        m.set(row_at, held.get(f.to.base));
        m.set(at, held.get(f.to.base));
    });
    let row_ends = m.net("row_ends", row_word.eq(held.get(f.row_words)));
    let next_row = m.net("next_row_at", row_at.add(held.get(f.to.stride)));
    m.when(written, || {
        m.when(row_ends, || {
            m.set(row_word, lit(16, 1));
            m.set(row, row.add_lit(1));
            m.set(row_at, next_row);
            m.set(at, next_row);
        })
        .otherwise(|| {
            m.set(row_word, row_word.add_lit(1));
            m.set(at, at.add_lit(1));
        });
    });
    let error = m.reg("error", bit()).reset(0);
    m.set(error, got & axi.r_resp.bit(1));
    axi.r_ready.drive(r_ready);
    m.output("bus_error", error);
    write.valid.drive(full);
    write.addr.drive(at);
    write.data.drive(cat(&word.iter().rev().map(|p| p.q()).collect::<Vec<_>>()));
    write.mask.drive(high().repeat(WORD_BYTES as u32));
    m.net("last_word", written & row_ends & row.eq(held.get(f.rows)))
}
