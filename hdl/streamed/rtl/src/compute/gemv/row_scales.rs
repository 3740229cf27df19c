//! Row scales of a weight block: caught from its scale beats, offered row by row as results reach the lanes.
//! The beats of the next block may arrive while results of the present one are still being scaled.

use sagen_lang::{Design, ModuleId, Reg, Signal, bit, pack, unsigned};
use sagen_streamed_isa::BLOCK_ROWS;

/// Bits of a mantissa and an exponent.
const ENTRY: u32 = 24;

/// Scale beats of one block.
pub(super) fn beats(beat: u32) -> u32 {
    BLOCK_ROWS as u32 * 4 / beat
}

/// The scales of 16 rows. In the cycle after `advance` the outputs belong to row 0 if `first` was high,
/// else to the next row.
pub(super) fn row_scales(d: &mut Design, beat: u32) -> ModuleId {
    d.module(format!("gemv_row_scales_{beat}"), |m| {
        let bus = m.input("beat", unsigned(8 * beat));
        let take = m.input("take", bit());
        let advance = m.input("advance", bit());
        let first = m.input("first", bit());
        let entries: Vec<Signal> = bus.lanes(32).iter().map(|word| word.slice(0, ENTRY)).collect();
        let entries = pack(&entries);
        let caught: Vec<Signal> = match beats(beat) {
            1 => vec![m.reg_en("caught0", take, entries).q()],
            n => {
                let index = m.input("index", unsigned(n.ilog2()));
                let part = |i: u32| m.reg_en(&format!("caught{i}"), take & index.eq_lit(i), entries).q();
                (0..n).map(part).collect()
            }
        };
        let rows: Vec<Reg> = (0..BLOCK_ROWS).map(|i| m.reg(&format!("row{i}"), unsigned(ENTRY))).collect();
        let caught = pack(&caught).lanes(ENTRY);
        m.when(advance & first, || rows.iter().zip(&caught).for_each(|(row, new)| m.set(*row, *new)));
        m.when(advance & !first, || rows.windows(2).for_each(|pair| m.set(pair[0], pair[1])));
        m.output("mantissa", rows[0].slice(0, 16));
        m.output("exponent", rows[0].slice(16, 8).as_signed());
    })
}
