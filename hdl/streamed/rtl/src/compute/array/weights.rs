//! Weight buffer and loader: beats in, one tile row for every array per cycle out, whenever the shadow registers are free.
//!
//! The buffer holds four slabs. The words of a slab are read as soon as they are there, so that a tile loads while its
//! beats arrive; a slab's space is given back as a whole. A word read in cycle t is at `w` with `load` in cycle t + 3.

use super::cycle::{Cycle, advance, join, pick};
use super::geometry::{Geometry, ROWS};
use sagen_lang::{Design, Mem, Module, ModuleId, RamStyle, Signal, bit, cat, high, interface, low, pack, unsigned};

const SLABS: u32 = 4;
const WORDS: u32 = SLABS * ROWS;

interface! {
    /// Weight beats in, tiles out.
    pub(super) struct Tiles(g: Geometry) {
        /// The beat is one of weights.
        write: -> bit(),
        beat: -> unsigned(8 * g.beat),
        /// A step uses the tile up.
        start: -> bit(),
        /// A beat may come.
        room: <- bit(),
        /// The next tile is in the shadow registers, or on its way there.
        tile_ready: <- bit(),
        /// A row of a tile.
        w: <- unsigned(8 * g.channels()),
        load: <- bit(),
    }
}

/// See the file.
pub(super) fn weights(d: &mut Design, g: Geometry) -> ModuleId {
    d.module(format!("array_weights_{}", g.tag()), |m| {
        m.doc("Weight buffer and loader: beats in, one tile row for every array a cycle out.");
        let port = m.slave("", Tiles::layout(g));
        let Tiles { write, beat, start, .. } = port;
        let full = m.reg("full", bit()).reset(0);

        // The rows of a tile, then the other half of the block's rows, then the next channels, then the next slab.
        let row = Cycle::new(m, "row", g.columns());
        let half = Cycle::new(m, "half", g.halves());
        let chunk = Cycle::new(m, "chunk", g.chunks());
        // Both slab counters go twice around, so that a full buffer differs from an empty one.
        let slab = Cycle::new(m, "slab", 2 * SLABS);
        let oldest = slab.index().expect("there are several slabs");
        let word = join(&[half.index(), row.index()]).expect("a block has 16 rows");
        let (buffer, written) = buffer(m, g, write, beat);
        let stored = m.net("stored", written.slab.ne(oldest) | word.lt(written.rows) & written.complete);
        let read = m.net("read", stored & (!full | start));
        let tile_end = m.net("tile_end", read & row.last());
        advance(m, read, &[row, half, chunk, slab]);
        m.when(start, || m.set(full, low()));
        m.when(tile_end, || m.set(full, high()));

        let place = oldest.slice(0, SLABS.ilog2());
        let (tile_row, load) = fetch(m, g, read, buffer, cat(&[place, word]), chunk.index());
        let given_back = m.net("given_back", tile_end & half.last() & chunk.last());
        port.room.drive(room(m, &written, cat(&[!oldest.msb(), place]), given_back));
        port.tile_ready.drive(full);
        port.w.drive(tile_row);
        port.load.drive(load);
    })
}

/// How far the buffer is written: the slab, and its rows that are complete if `complete`; `slab_end` with the last
/// beat of a slab.
struct Written {
    slab: Signal,
    rows: Signal,
    complete: Signal,
    slab_end: Signal,
}

/// Whether a beat may come: a register, since it decides for the whole stream. `limit` is the slab that may not be begun.
fn room(m: &Module, written: &Written, limit: Signal, given_back: Signal) -> Signal {
    let room = m.reg("room_q", bit()).reset(1);
    let fills = m.net("fills", written.slab.add_lit(1).eq(limit));
    m.when(given_back, || m.set(room, high())).elsewhen(written.slab_end & fills, || m.set(room, low()));
    room.q()
}

/// The memory with its write side.
fn buffer(m: &Module, g: Geometry, write: Signal, beat: Signal) -> (Mem, Written) {
    let row = Cycle::new(m, "write_row", ROWS);
    let piece = Cycle::new(m, "write_piece", g.pieces());
    let slab = Cycle::new(m, "write_slab", 2 * SLABS);
    advance(m, write, &[row, piece, slab]);
    let rows = row.index().expect("a block has 16 rows");
    let slab = slab.index().expect("there are several slabs");
    let at = cat(&[slab.slice(0, SLABS.ilog2()), rows]);
    let memory = m.memory("buffer", WORDS, 8 * g.slab()).style(RamStyle::Distributed);
    match piece.index() {
        None => memory.write(write, at, beat),
        Some(piece) => {
            let lanes: Vec<Signal> = (0..g.pieces()).map(|i| piece.eq_lit(i)).collect();
            memory.byte_enable(8 * g.beat).write_masked(write, at, beat.repeat(g.pieces()), pack(&lanes));
        }
    }
    let slab_end = m.net("slab_end", write & row.last() & piece.last());
    (memory, Written { slab, rows, complete: piece.last(), slab_end })
}

/// Address register, buffer output, and the channels of this step.
fn fetch(m: &Module, g: Geometry, read: Signal, buffer: Mem, at: Signal, chunk: Option<Signal>) -> (Signal, Signal) {
    let line = m.history("load_line", read, 3);
    let at1 = m.reg_en("at1", read, at);
    let word = buffer.read(line.bit(0), at1);
    let chunk = chunk.map(|c| m.reg_en("chunk1", read, c));
    let chunk = chunk.map(|c| m.reg_en("chunk2", line.bit(0), c).q());
    let tile_row = m.reg_en("tile_row", line.bit(1), pick(chunk, &word.lanes(8 * g.channels())));
    (tile_row.q(), line.bit(2))
}
