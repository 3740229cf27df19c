//! Sizes of the array engine, derived from the overlay once.
//!
//! An *array* of side D takes D channels down and `columns` weight rows across; a weight block has 16 rows, so an array
//! of side 32 is two halves side by side, each with its own 32 channels. Arrays and halves alike are stacks of *bands*:
//! 8 channels whose partial sums pass from one to the next. All bands start together, and their sums are added at the end.
//!
//! A *slab* is the 16 rows of a weight block times as many channels as one buffer word holds. A *step* loads one
//! weight tile into every array and passes 16 activation rows over it; a slab takes `chunks * halves` steps.

use crate::compute::block;
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{BLOCK_ROWS, GROUP};

/// Rows of a weight block, and activation rows of a step.
pub(super) const ROWS: u32 = BLOCK_ROWS as u32;
/// Bits of the multiplier's wider operand when it holds two weights.
const PACKED_BITS: u32 = 27;
/// Bits of an accumulator, and of a lane that carries one.
pub(super) const ACC: u32 = 32;
/// Channels of a band: as many negative products as a sum of `BAND_SUM` bits holds.
pub(super) const BAND: u32 = 8;
/// Bits of the negative of a band's sum for one weight row; the sum itself, at most 2^17, has one more.
pub(super) const BAND_SUM: u32 = 18;

/// Side, number of arrays, width of the stream, and what the part and the clock ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Channels down one array.
    pub(crate) side: u32,
    /// Arrays that work side by side on different channels.
    pub(crate) arrays: u32,
    /// Bytes of a beat.
    pub(crate) beat: u32,
    /// Two columns share a multiplier.
    pub(crate) packed: bool,
    /// Products are registered.
    pub(crate) deep: bool,
}

impl Geometry {
    /// That of an overlay.
    pub(crate) fn of(overlay: &StreamedConfig) -> Self {
        let (side, arrays, beat) = (overlay.side(), overlay.arrays(), overlay.beat_bytes());
        Self {
            side: side as u32,
            arrays: arrays as u32,
            beat: beat as u32,
            packed: overlay.board().family.multiplier_bits() >= PACKED_BITS,
            deep: overlay.deep_pipeline(),
        }
    }
    /// Weight rows that an array takes at once.
    pub(super) fn columns(self) -> u32 {
        self.side.min(ROWS)
    }
    /// Channels of one array.
    fn array_channels(self) -> u32 {
        self.side * (self.side / self.columns())
    }
    /// Channels of one step.
    pub(super) fn channels(self) -> u32 {
        self.array_channels() * self.arrays
    }
    /// Bands of all arrays.
    pub(super) fn bands(self) -> u32 {
        self.channels() / BAND
    }
    /// Channels of one slab: a beat, or those of an array where a beat is narrower.
    pub(super) fn slab(self) -> u32 {
        self.beat.max(self.array_channels())
    }
    /// Beats that make one buffer word.
    pub(super) fn pieces(self) -> u32 {
        self.slab() / self.beat
    }
    /// Steps that divide the channels of a slab.
    pub(super) fn chunks(self) -> u32 {
        self.slab() / self.channels()
    }
    /// Steps that divide the 16 rows of a weight block.
    pub(super) fn halves(self) -> u32 {
        ROWS / self.columns()
    }
    /// Steps that divide the 64 channels of a code word.
    pub(super) fn parts(self) -> u32 {
        GROUP as u32 / self.channels()
    }
    /// Runs of 16 beats in a group of 64 channels.
    pub(super) fn runs(self) -> u32 {
        block::group_beats(self.beat)
    }
    /// Beats of a block's scales.
    pub(super) fn scale_beats(self) -> u32 {
        block::scale_beats(self.beat)
    }
    /// Cycles from a code in the first row of a band to the sum that it is part of.
    pub(super) fn latency(self) -> u32 {
        BAND + u32::from(self.deep)
    }
    /// Suffix of module names.
    pub(super) fn tag(self) -> String {
        format!("d{}_a{}_b{}", self.side, self.arrays, self.beat)
    }
    /// Suffix of modules that hold multipliers.
    pub(super) fn variant(self) -> String {
        format!("{}{}", self.signs(), self.pipeline())
    }
    /// Suffix of modules that depend on the sign of the sums.
    pub(super) fn signs(self) -> &'static str {
        if self.packed { "_packed" } else { "" }
    }
    /// Suffix of modules whose registers depend on the clock.
    pub(super) fn pipeline(self) -> &'static str {
        if self.deep { "_deep" } else { "" }
    }
}
