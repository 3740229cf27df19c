//! Weight buffer and loader: beats in, one tile row for every array per cycle out, whenever the shadow registers are free.
//!
//! The buffer holds four slabs. The words of a slab are read as soon as they are there, so that a tile loads while its
//! beats arrive; a slab's space is given back as a whole. A word read in cycle t is at `w` with `load` in cycle t + 3.

use super::cycle::{Cycle, advance, join, pick};
use super::geometry::{Geometry, ROWS};
use sagen_lang::{Design, Mem, Module, ModuleId, RamStyle, Reg, Signal, bit, cat, high, low, pack, unsigned};

const SLABS: u32 = 4;
const WORDS: u32 = SLABS * ROWS;
/// Counts words from the oldest slab on, 0 ..= WORDS.
const LEVEL: u32 = WORDS.ilog2() + 1;

/// `tile_ready`: the next tile is in the shadow registers, or on its way there. `start` uses it up and begins the next.
pub(super) fn weights(d: &mut Design, g: Geometry) -> ModuleId {
    d.module(format!("array_weights_{}", g.tag()), |m| {
        let (write, beat) = (m.input("write", bit()), m.input("beat", unsigned(8 * g.beat)));
        let start = m.input("start", bit());
        let level = m.reg("level", unsigned(LEVEL)).reset(0);
        let full = m.reg("full", bit()).reset(0);

        // The rows of a tile, then the other half of the block's rows, then the next channels, then the next slab.
        let row = Cycle::new(m, "row", g.side);
        let half = Cycle::new(m, "half", g.halves());
        let chunk = Cycle::new(m, "chunk", g.chunks());
        let slab = Cycle::new(m, "slab", SLABS);
        let word = join(&[half.index(), row.index()]).expect("a block has 16 rows");
        let stored = m.net("stored", word.extend(LEVEL).lt(level));
        let read = m.net("read", stored & (!full | start));
        let tile_end = m.net("tile_end", read & row.last());
        let slab_end = m.net("slab_end", tile_end & half.last() & chunk.last());
        advance(m, read, &[row, half, chunk, slab]);
        m.when(start, || m.set(full, low()));
        m.when(tile_end, || m.set(full, high()));

        let (buffer, word_stored) = buffer(m, g, write, beat);
        count_level(m, level, word_stored, slab_end);
        let slab = slab.index().expect("there are several slabs");
        let (tile_row, load) = fetch(m, g, read, buffer, cat(&[slab, word]), chunk.index());
        m.output("room", !level.bit(LEVEL - 1));
        m.output("tile_ready", full);
        m.output("w", tile_row);
        m.output("load", load);
    })
}

/// The memory with its write side; also the cycles in which a word becomes complete.
fn buffer(m: &Module, g: Geometry, write: Signal, beat: Signal) -> (Mem, Signal) {
    let row = Cycle::new(m, "write_row", ROWS);
    let piece = Cycle::new(m, "write_piece", g.pieces());
    let slab = Cycle::new(m, "write_slab", SLABS);
    advance(m, write, &[row, piece, slab]);
    let at = join(&[slab.index(), row.index()]).expect("the buffer has several words");
    let memory = m.memory("buffer", WORDS, 8 * g.slab()).style(RamStyle::Distributed);
    match piece.index() {
        None => memory.write(write, at, beat),
        Some(piece) => {
            let lanes: Vec<Signal> = (0..g.pieces()).map(|i| piece.eq_lit(i)).collect();
            memory.byte_enable(8 * g.beat).write_masked(write, at, beat.repeat(g.pieces()), pack(&lanes));
        }
    }
    (memory, m.net("word_stored", write & piece.last()))
}

fn count_level(m: &Module, level: Reg, word_stored: Signal, slab_end: Signal) {
    let one_more = level.add(word_stored.extend(LEVEL));
    m.when(slab_end, || m.set(level, one_more.sub_lit(ROWS))).elsewhen(word_stored, || m.set(level, one_more));
}

/// Address register, buffer output, and the channels of this step.
fn fetch(m: &Module, g: Geometry, read: Signal, buffer: Mem, at: Signal, chunk: Option<Signal>) -> (Signal, Signal) {
    let line = m.reg("load_line", unsigned(3)).reset(0);
    m.set(line, cat(&[line.slice(0, 2), read]));
    let at1 = m.reg_en("at1", read, at);
    let word = buffer.read(line.bit(0), at1);
    let chunk = chunk.map(|c| m.reg_en("chunk1", read, c));
    let chunk = chunk.map(|c| m.reg_en("chunk2", line.bit(0), c).q());
    let tile_row = m.reg_en("tile_row", line.bit(1), pick(chunk, &word.lanes(8 * g.channels())));
    (tile_row.q(), line.bit(2))
}
