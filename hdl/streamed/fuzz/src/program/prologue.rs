//! The first descriptors of every program: they write everything that later ones may read.

use super::window::Window;
use super::{Action, Maker};
use sagen_streamed_isa::{CHUNK_ROWS, Load, Mul, Quant, Rows};

/// Scratchpad words used.
pub(super) const SCRATCH_WORDS: u64 = 120;
/// Code words used: rows * segments * groups of a segment.
pub(super) const CODE_WORDS: u64 = ROWS * GROUPS;
/// Scale entries used: one a row and segment.
pub(super) const SCALE_ENTRIES: u64 = ROWS * SEGMENTS;
/// Amax groups of each row that are recorded; no quantiser may look further.
pub(super) const GROUPS: u64 = 16;
/// Words of 16-bit elements at the end of the scratchpad's window.
const TABLE_WORDS: u64 = 40;
const ROWS: u64 = 4;
const SEGMENTS: u64 = 4;

impl Maker {
    /// Where 16-bit elements were loaded; later results may have replaced some.
    pub(super) fn tables(&self) -> Window {
        Window { base: self.scratch.base + SCRATCH_WORDS - TABLE_WORDS, entries: TABLE_WORDS }
    }

    /// Fill the windows and the amax table.
    pub(super) fn prologue(&mut self) -> Action {
        let load = Load {
            base: self.map.parameters,
            rows: 1,
            row_words: SCRATCH_WORDS - TABLE_WORDS,
            to: Rows::at(self.scratch.base),
            ..Load::default()
        };
        let tables = self.tables();
        let halves = Load {
            base: self.map.tables,
            rows: 1,
            row_words: TABLE_WORDS,
            to: Rows::at(tables.base),
            ..Load::default()
        };
        let magnitudes = Mul {
            rows: CHUNK_ROWS as u64,
            words: GROUPS * 4,
            left: Rows { base: self.scratch.base, stride: 3 },
            right_immediate: true,
            immediate: 1,
            amax: true,
            sum_squares: true,
            ..Mul::default()
        };
        let codes = Quant {
            rows: ROWS,
            segments: SEGMENTS,
            segment_words: GROUPS * 4 / SEGMENTS,
            from: Rows { base: self.scratch.base, stride: 3 },
            to: Rows { base: self.codes.base, stride: GROUPS },
            factor_mantissa: 50_000,
            factor_exponent: -30,
            scales: Rows { base: self.scales.base, stride: SEGMENTS },
            ..Quant::default()
        };
        vec![load.into(), halves.into(), magnitudes.into(), codes.into()]
    }
}
