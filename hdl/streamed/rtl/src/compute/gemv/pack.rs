//! Packs the results of each vector into scratchpad words and writes them.
//!
//! A *slot* holds one word of every vector. Full slots are
//! written oldest first, vector by vector, whenever `w_ready` allows. The sequencer reserves a slot before
//! results for it are on their way, so a slot is always free; `released` gives it back. The winner of an argmax
//! waits with the last slot of its descriptor and is written one cycle before `done`.

use super::SLOTS;
use super::plan::{self, Plan};
use crate::interface::{ScratchWrite, StepWrite};
use sagen_lang::{
    Design, Layout, Mem, MemOf, Module, ModuleId, Output, Packed, RamStyle, Reg, Signal, Type, bit, bundle, high,
    interface, lit, pack, unsigned,
};
use sagen_streamed_isa::{LANES, VECTORS};

/// Bits of a scratchpad word.
const WORD: u32 = 32 * LANES as u32;
/// Bits of a slot number.
const SLOT: u32 = SLOTS.ilog2();
bundle! {
    /// What is known about a full slot.
    struct Note() {
        y: unsigned(16),
        stride: unsigned(16),
        last_vector: unsigned(2),
        write: bit(),
        /// Last of its descriptor.
        last: bit(),
        /// Of a weighted sum.
        sum: bit(),
        /// Quarter in which a narrow one begins.
        part: unsigned(2),
        argmax: bit(),
        /// Register that an argmax writes.
        reg: unsigned(5),
        id: unsigned(24),
    }
}

interface! {
    /// Results in; slots and descriptors that are done with.
    pub(super) struct Pack() {
        plan: -> Plan::layout().bus(),
        /// Results are there.
        valid: -> bit(),
        /// Of a descriptor.
        first: -> bit(),
        last: -> bit(),
        /// Last of a word.
        word_end: -> bit(),
        /// One a vector.
        y: -> unsigned(32 * VECTORS as u32),
        /// Of which vectors.
        y_valid: -> unsigned(VECTORS as u32),
        /// Winner of an argmax, up to this result.
        best_now: -> unsigned(24),
        done: <- bit(),
        released: <- bit(),
    }
}

type Port = Pack<Signal, Output>;

/// The unit.
pub(super) fn pack_unit(d: &mut Design, beat: u32) -> ModuleId {
    d.module(format!("gemv_pack_{beat}"), |m| {
        m.doc("Packs the results of each vector into scratchpad words and writes them.");
        let port = m.slave("", Pack::layout());
        let fill = m.reg("fill", unsigned(SLOT)).reset(0);
        let full = m.net("full", port.valid & port.word_end);
        m.when(full, || m.set(fill, fill.add_lit(1)));
        let words = words(m, &port, full, fill.q());
        let notes = Note::layout().memory(m, "notes", SLOTS).style(RamStyle::Distributed);
        notes.write(full, fill, note(m, &port, full));
        let waiting = m.reg("waiting", unsigned(SLOT + 1)).reset(0);
        let released = writer(m, &port, &words, notes, !waiting.is_zero(), beat);
        m.when(full & !released, || m.set(waiting, waiting.add_lit(1)));
        m.when(released & !full, || m.set(waiting, waiting.sub_lit(1)));
        port.released.drive(released);
    })
}

/// Results of a word are shifted in from the top, so that a part of a word ends up at its top.
fn words(m: &Module, port: &Port, full: Signal, slot: Signal) -> Vec<Mem> {
    let (results, here) = (port.y.lanes(32), port.y_valid.lanes(1));
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
fn note(m: &Module, port: &Port, full: Signal) -> Packed<Note<Type>> {
    let plan = Plan::layout().packed(port.plan).unpack();
    let opens = m.net("opens", port.valid & port.first);
    let kept = |name: &str, value: Signal| m.reg_en(name, opens, value).q();
    let (stride, active) = (kept("y_stride_q", plan.y_stride), kept("active_q", plan.active));
    let (write, sum) = (kept("write_q", plan.write), kept("sum_q", plan.sum));
    let (part, argmax, reg) = (kept("y_part_q", plan.y_part), kept("argmax_q", plan.argmax), kept("reg_q", plan.reg));
    let y = m.reg("y_at", unsigned(16));
    m.when(full, || m.set(y, y.add_lit(1)));
    m.when(opens, || m.set(y, plan.y));
    Note::layout().pack(Note {
        y: y.q(),
        stride,
        last_vector: plan::last_vector(active),
        write: write | sum,
        last: port.last,
        sum,
        part,
        argmax: argmax & port.last & !sum,
        reg,
        id: port.best_now,
    })
}

/// Writes full slots through an output register; returns when a slot is free again.
fn writer(m: &Module, port: &Port, words: &[Mem], notes: MemOf<Note<Type>>, waiting: Signal, beat: u32) -> Signal {
    let write = m.master("w_", ScratchWrite::layout(true));
    let w_ready = write.ready.expect("the engine may be refused");
    let slot = m.reg("slot", unsigned(SLOT)).reset(0);
    let vector = m.reg("vector", unsigned(2)).reset(0);
    let w_valid = m.reg("w_valid_q", bit()).reset(0);
    let (ends, wins) = (m.reg("ends", bit()).reset(0), m.reg("wins", bit()).reset(0));
    let note = notes.read_async(slot).net(m, "note").unpack();
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
    port.done.drive(m.flag("done_q", ends & step));
    write.valid.drive(w_valid);
    write.addr.drive(addr);
    write.data.drive(w_data);
    write.mask.drive(w_mask);
    let winner = m.master("reg_", StepWrite::layout());
    winner.write.drive(wins & step);
    winner.index.drive(m.reg_en("reg_index_q", released, note.reg));
    winner.data.drive(m.reg_en("reg_data_q", released, note.id).extend(32));
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
