//! Row scales of the blocks between the stream and the drain: 16 entries of 16-bit mantissa and 8-bit exponent each.

use super::cycle::Cycle;
use super::geometry::{Geometry, ROWS};
use sagen_lang::{Design, ModuleId, RamStyle, Signal, bit, interface, lit, pack, unsigned};

/// Bits of a stored scale.
pub(super) const SCALE: u32 = 24;
/// Blocks whose scales are held. There is always room: four blocks at most wait in the weight buffer, one in the
/// shadow registers, two have accumulators, and one has scales but no weights yet.
const DEPTH: u32 = 8;

interface! {
    /// Scale beats in, the scales of a block out.
    pub(super) struct BlockScales(g: Geometry) {
        /// The beat is one of scales.
        write: -> bit(),
        beat: -> unsigned(8 * g.beat),
        read: -> bit(),
        retire: -> bit(),
        block: <- unsigned(ROWS * SCALE),
    }
}

/// `read` of the oldest block: all its scales one cycle later. `retire` discards that block.
pub(super) fn scales(d: &mut Design, g: Geometry) -> ModuleId {
    d.module(format!("array_scales_b{}", g.beat), |m| {
        m.doc("Row scales of the blocks between the stream and the drain.");
        let port = m.slave("", BlockScales::layout(g));
        let BlockScales { write, beat, read, retire, .. } = port;
        let bits = DEPTH.ilog2();
        let piece = Cycle::new(m, "piece", g.scale_beats());
        let write_at = m.reg("write_at", unsigned(bits)).reset(0);
        let read_at = m.reg("read_at", unsigned(bits)).reset(0);

        let words: Vec<Signal> = beat.lanes(32).iter().map(|w| w.slice(0, SCALE)).collect();
        let entries = m.memory("entries", DEPTH, ROWS * SCALE).style(RamStyle::Distributed);
        let entries = entries.byte_enable(ROWS * SCALE / g.scale_beats());
        let lanes: Vec<Signal> =
            (0..g.scale_beats()).map(|i| piece.index().map_or(lit(1, 1), |p| p.eq_lit(i))).collect();
        entries.write_masked(write, write_at, pack(&words).repeat(g.scale_beats()), pack(&lanes));
        let complete = m.net("complete", write & piece.last());
        m.when(write, || piece.advance(m));
        m.when(complete, || m.set(write_at, write_at.add_lit(1)));
        m.when(retire, || m.set(read_at, read_at.add_lit(1)));
        port.block.drive(entries.read(read, read_at));
    })
}
