//! Packs the results of each vector into scratchpad words and writes them.
//!
//! A *slot* holds one word of every vector. Full slots are
//! written oldest first, vector by vector, whenever `w_ready` allows. The sequencer reserves a slot before
//! results for it are on their way, so a slot is always free; `released` gives it back. The winner of an argmax
//! waits with the last slot of its descriptor and is written one cycle before `done`.

use super::SLOTS;
use super::plan::{self, field};
use sagen_lang::{Design, Mem, Module, ModuleId, RamStyle, Reg, Signal, bit, high, lit, pack, unsigned};
use sagen_streamed_isa::{LANES, VECTORS};

/// Bits of a scratchpad word.
const WORD: u32 = 32 * LANES as u32;
/// Bits of a slot number.
const SLOT: u32 = SLOTS.ilog2();
/// What is known about a full slot, lowest first: where it goes, whether it is written, whether it is the last of its
/// descriptor, whether it is of a weighted sum and in which quarter a narrow one begins, and the register that an argmax writes.
const NOTE: [u32; 10] = [16, 16, 2, 1, 1, 1, 2, 1, 5, 24];

/// The unit.
pub(super) fn pack_unit(d: &mut Design, beat: u32) -> ModuleId {
    d.module(format!("gemv_pack_{beat}"), |m| {
        let fill = m.reg("fill", unsigned(SLOT)).reset(0);
        let valid = m.input("valid", bit());
        let full = m.net("full", valid & m.input("word_end", bit()));
        m.when(full, || m.set(fill, fill.add_lit(1)));
        let words = words(m, full, fill.q());
        let notes = m.memory("notes", SLOTS, NOTE.iter().sum()).style(RamStyle::Distributed);
        notes.write(full, fill, note(m, valid, full));
        let waiting = m.reg("waiting", unsigned(SLOT + 1)).reset(0);
        let released = writer(m, &words, notes, !waiting.is_zero(), beat);
        m.when(full & !released, || m.set(waiting, waiting.add_lit(1)));
        m.when(released & !full, || m.set(waiting, waiting.sub_lit(1)));
        m.output("released", released);
    })
}

/// Results of a word are shifted in from the top, so that a part of a word ends up at its top.
fn words(m: &Module, full: Signal, slot: Signal) -> Vec<Mem> {
    let results = m.input("y", unsigned(32 * VECTORS as u32)).lanes(32);
    let here = m.input("y_valid", unsigned(VECTORS as u32)).lanes(1);
    let word = |(v, y): (usize, &Signal)| {
        // A register a lane: one wide register that shifts would be copied in every simulated cycle.
        let lane = |i: usize| m.reg(&format!("earlier{v}_{i}"), unsigned(32));
        let earlier: Vec<Reg> = (0..LANES - 1).map(lane).collect();
        let lanes: Vec<Signal> = earlier.iter().map(|r| r.q()).chain([*y]).collect();
        m.when(here[v], || earlier.iter().zip(&lanes[1..]).for_each(|(r, next)| m.set(*r, *next)));
        let mem = m.memory(&format!("words{v}"), SLOTS, WORD).style(RamStyle::Distributed);
        mem.write(full & here[v], slot, pack(&lanes));
        mem
    };
    results.iter().enumerate().map(word).collect()
}

/// What the writer must know of the slot that is filled up now.
fn note(m: &Module, valid: Signal, full: Signal) -> Signal {
    let plan = m.input("plan", unsigned(plan::width()));
    let (first, last) = (m.input("first", bit()), m.input("last", bit()));
    let opens = m.net("opens", valid & first);
    let kept = |name: &str| m.reg_en(&format!("{name}_q"), opens, field(plan, name)).q();
    let (stride, active, write, sum) = (kept("y_stride"), kept("active"), kept("write"), kept("sum"));
    let (part, argmax, reg) = (kept("y_part"), kept("argmax"), kept("reg"));
    let id = m.input("best_now", unsigned(24));
    let y = m.reg("y_at", unsigned(16));
    m.when(full, || m.set(y, y.add_lit(1)));
    m.when(opens, || m.set(y, field(plan, "y")));
    pack(&[y.q(), stride, plan::last_vector(active), write | sum, last, sum, part, argmax & last & !sum, reg, id])
}

struct Note {
    y: Signal,
    stride: Signal,
    last_vector: Signal,
    write: Signal,
    last: Signal,
    sum: Signal,
    part: Signal,
    argmax: Signal,
    reg: Signal,
    id: Signal,
}

fn read_note(bits: Signal) -> Note {
    let mut lo = 0;
    let [y, stride, last_vector, write, last, sum, part, argmax, reg, id] = NOTE.map(|width| {
        lo += width;
        bits.slice(lo - width, width)
    });
    Note { y, stride, last_vector, write, last, sum, part, argmax, reg, id }
}

/// Writes full slots through an output register; returns when a slot is free again.
fn writer(m: &Module, words: &[Mem], notes: Mem, waiting: Signal, beat: u32) -> Signal {
    let w_ready = m.input("w_ready", bit());
    let slot = m.reg("slot", unsigned(SLOT)).reset(0);
    let vector = m.reg("vector", unsigned(2)).reset(0);
    let w_valid = m.reg("w_valid_q", bit()).reset(0);
    let (ends, wins) = (m.reg("ends", bit()).reset(0), m.reg("wins", bit()).reset(0));
    let note = read_note(m.net("note", notes.read_async(slot)));
    let step = m.net("step", !w_valid | w_ready);
    let take = m.net("take", step & waiting);
    let released = m.net("released_q", take & (!note.write | vector.eq(note.last_vector)));
    let addr = m.reg("w_addr_q", unsigned(16));
    let put = m.net("put", take & note.write);
    let data: Vec<Signal> = words.iter().map(|w| w.read_async(slot)).collect();
    let (data, mask) = place(&note, vector.select(&data), beat);
    let w_data = m.reg_en("w_data_q", put, data);
    let w_mask = m.reg_en("w_mask_q", put, mask);
    m.when(put, || m.set(addr, vector.is_zero().mux(note.y, addr + note.stride)));
    m.when(step, || {
        m.set(w_valid, put);
        m.set(ends, released & note.last);
        m.set(wins, released & note.argmax);
    });
    m.when(put, || m.set(vector, vector.add_lit(1)));
    m.when(released, || {
        m.set(slot, slot.add_lit(1));
        m.set(vector, lit(2, 0));
    });
    let done = m.reg("done_q", bit()).reset(0);
    m.set(done, ends & step);
    m.output("w_valid", w_valid);
    m.output("w_addr", addr);
    m.output("w_data", w_data);
    m.output("w_mask", w_mask);
    m.output("done", done);
    m.output("reg_write", wins & step);
    m.output("reg_index", m.reg_en("reg_index_q", released, note.reg));
    m.output("reg_data", m.reg_en("reg_data_q", released, note.id).extend(32));
    released
}

/// A word and its mask. A weighted sum of a narrow beat is the top of the word, to be written to a part of it.
fn place(note: &Note, word: Signal, beat: u32) -> (Signal, Signal) {
    let parts = LANES as u32 / beat.min(LANES as u32);
    let width = WORD / parts;
    let part = note.part.slice(2 - parts.ilog2().max(1), parts.ilog2().max(1));
    let top = word.slice(WORD - width, width);
    let data = |i: u32| if i + 1 < parts { note.sum.mux(top, word.slice(width * i, width)) } else { top };
    let chosen = |i: u32| if parts > 1 { !note.sum | part.eq_lit(u64::from(i)) } else { high() };
    let data: Vec<Signal> = (0..parts).map(data).collect();
    let mask: Vec<Signal> = (0..parts).map(|i| chosen(i).repeat(width / 8)).collect();
    (pack(&data), pack(&mask))
}
