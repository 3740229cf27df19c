//! Row scales of a weight block: caught from its scale beats, offered row by row as results reach the lanes.
//! The beats of the next block may arrive while results of the present one are still being scaled.

use crate::compute::block::scale_beats;
use sagen_lang::{Design, ModuleId, Reg, Signal, bit, interface, pack, signed, unsigned};
use sagen_streamed_isa::BLOCK_ROWS;

/// Bits of a mantissa and an exponent.
const ENTRY: u32 = 24;

interface! {
    /// Beats in, the scale of a row out.
    pub(super) struct RowScales(beat: u32) {
        beat: -> unsigned(8 * beat),
        /// The beat holds scales.
        take: -> bit(),
        /// Which of the block's.
        index(optional): -> (scale_beats(beat) > 1).then(|| unsigned(scale_beats(beat).ilog2())),
        /// A result reaches the lanes.
        advance: -> bit(),
        /// It is one of row 0.
        first: -> bit(),
        mantissa: <- unsigned(16),
        exponent: <- signed(8),
    }
}

/// The scales of 16 rows. In the cycle after `advance` the outputs belong to row 0 if `first` was high,
/// else to the next row.
pub(super) fn row_scales(d: &mut Design, beat: u32) -> ModuleId {
    d.module(format!("gemv_row_scales_{beat}"), |m| {
        m.doc("Row scales of a weight block, offered row by row as results reach the lanes.");
        let port = m.slave("", RowScales::layout(beat));
        let RowScales { take, advance, first, .. } = port;
        let entries: Vec<Signal> = port.beat.lanes(32).iter().map(|word| word.slice(0, ENTRY)).collect();
        let entries = pack(&entries);
        let caught: Vec<Signal> = match port.index {
            None => vec![m.reg_en("caught0", take, entries).q()],
            Some(index) => {
                let part = |i: u32| m.reg_en(&format!("caught{i}"), take & index.eq_lit(i), entries).q();
                (0..scale_beats(beat)).map(part).collect()
            }
        };
        let rows: Vec<Reg> = (0..BLOCK_ROWS).map(|i| m.reg(&format!("row{i}"), unsigned(ENTRY))).collect();
        let caught = pack(&caught).lanes(ENTRY);
        m.when(advance & first, || rows.iter().zip(&caught).for_each(|(row, new)| m.set(*row, *new)));
        m.when(advance & !first, || rows.windows(2).for_each(|pair| m.set(pair[0], pair[1])));
        port.mantissa.drive(rows[0].slice(0, 16));
        port.exponent.drive(rows[0].slice(16, 8).as_signed());
    })
}
