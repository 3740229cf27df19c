//! Load unit: DDR to scratchpad, whole words of 64 bytes, row by row. Addresses of the next rows are asked for
//! while data of earlier ones arrives; the scratchpad may refuse a word for any number of cycles.

use crate::dma::burst::{ADDRESS_BITS, BEATS_BITS, bursts};
use crate::fields::{field, register};
use sagen_arch::Overlay;
use sagen_isa::WORD_BYTES;
use sagen_lang::{Design, Module, ModuleId, Reg, Signal, bit, cat, high, lit, low, unsigned};

/// Longest burst in beats; short, since a port may be shared with the stream.
const LONGEST: u32 = 64;

/// The load unit: unit port, one read channel, scratchpad writes.
pub fn load_unit(d: &mut Design, overlay: &Overlay) -> ModuleId {
    let bytes = overlay.port_bytes() as u32;
    // The receiver takes whatever arrives, so a burst always fits.
    let engine = bursts(d, bytes, LONGEST, 9);
    d.module("load_unit", |m| {
        m.doc("Copies rows of words from DDR to the scratchpad.");
        let (desc, regs) = (m.input("desc", unsigned(512)), m.input("regs", unsigned(1024)));
        let desc_valid = m.input("desc_valid", bit());
        let active = m.reg("active", bit()).reset(0);
        let take = m.net("take", desc_valid & !active);
        let held = m.reg_en("held", take, desc);

        let engine = m.instance("u_bursts", engine);
        engine.input("ready_in", m.input("ar_ready", bit()));
        engine.input("room", lit(9, 511));
        let (start, address, beats) = rows(m, bytes, take, held.q(), regs, engine.output("ready"));
        engine.input("start", start);
        engine.input("address", address);
        engine.input("beats", beats);

        let last = receive(m, bytes, take, held.q(), active.q());
        m.when(take, || m.set(active, high()));
        m.when(last, || m.set(active, low()));
        m.output("desc_ready", !active);
        m.output("busy", active);
        m.output("done", last);
        m.output("ar_valid", engine.output("valid_out"));
        m.output("ar_addr", engine.output("addr"));
        m.output("ar_len", engine.output("len"));
    })
}

/// Address of each row: base + register * stride + row * row stride; four cycles a row, hidden by its data.
fn rows(m: &Module, bytes: u32, take: Signal, held: Signal, regs: Signal, ready: Signal) -> (Signal, Signal, Signal) {
    let get = |name: &str| field(held, "Load", name);
    let stage = m.fsm("row_stage", &["idle", "select", "product", "sum", "start"]);
    let row = m.reg("row", unsigned(16)).reset(0);
    let row_offset = m.reg("row_offset", unsigned(ADDRESS_BITS));
    let step = m.net("register_step", row.slice(0, 5) & get("reg_step").repeat(5));
    let index = m.net("register_index", get("reg").add(step));
    let value = m.reg_en("value", stage.is("select"), register(regs, index));
    let product = m.reg_en("product", stage.is("product"), value.mul(get("reg_stride")).slice(0, ADDRESS_BITS));
    let sum = product.add(get("base")).add(row_offset.q());
    let address = m.reg_en("address", stage.is("sum"), sum);
    let start = m.net("row_start", stage.is("start") & ready);
    let next = row.add_lit(1);
    m.when(take, || {
        m.set(row, lit(16, 0));
        m.set(row_offset, lit(ADDRESS_BITS, 0));
    });
    m.when(start, || {
        m.set(row, next);
        m.set(row_offset, row_offset.add(get("ddr_stride").extend(ADDRESS_BITS)));
    });
    m.switch_state(&stage)
        .case("idle", || {
            m.when(take, || m.set_state(&stage, "select"));
        })
        .case("select", || m.set_state(&stage, "product"))
        .case("product", || m.set_state(&stage, "sum"))
        .case("sum", || m.set_state(&stage, "start"))
        .case("start", || {
            m.when(ready, || {
                m.when(next.eq(get("rows")), || m.set_state(&stage, "idle"))
                    .otherwise(|| m.set_state(&stage, "select"));
            });
        });
    let shift = (WORD_BYTES as u32 / bytes).ilog2();
    (start, address.q(), get("row_words").extend(BEATS_BITS).shl(shift))
}

/// Assembles beats to words and writes them; high in the cycle in which the last word is taken.
fn receive(m: &Module, bytes: u32, take: Signal, held: Signal, active: Signal) -> Signal {
    let get = |name: &str| field(held, "Load", name);
    let width = bytes * 8;
    let pieces = WORD_BYTES as u32 / bytes;
    let (r_valid, r_data) = (m.input("r_valid", bit()), m.input("r_data", unsigned(width)));
    let r_resp = m.input("r_resp", unsigned(2));
    let w_ready = m.input("w_ready", bit());
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
        m.set(row_at, get("v"));
        m.set(at, get("v"));
    });
    let row_ends = m.net("row_ends", row_word.eq(get("row_words")));
    let next_row = m.net("next_row_at", row_at.add(get("v_stride")));
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
    m.set(error, got & r_resp.bit(1));
    m.output("r_ready", r_ready);
    m.output("bus_error", error);
    m.output("w_valid", full);
    m.output("w_addr", at);
    m.output("w_data", cat(&word.iter().rev().map(|p| p.q()).collect::<Vec<_>>()));
    m.output("w_mask", high().repeat(WORD_BYTES as u32));
    m.net("last_word", written & row_ends & row.eq(get("rows")))
}
