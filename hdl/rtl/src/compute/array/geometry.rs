//! Sizes of the array engine, derived from the overlay once.
//!
//! A *slab* is the 16 rows of a weight block times as many channels as one buffer word holds. A *step* loads one
//! weight tile into every array and passes 16 activation rows over it; a slab takes `chunks * halves` steps.

use sagen_arch::Overlay;
use sagen_isa::{BLOCK_ROWS, GROUP};

/// Rows of a weight block, and activation rows of a step.
pub(super) const ROWS: u32 = BLOCK_ROWS as u32;
/// Bits of an accumulator, and of a lane that carries one.
pub(super) const ACC: u32 = 32;

/// Side, number of arrays and width of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// Rows and columns of one array.
    pub(crate) side: u32,
    /// Arrays that work side by side on different channels.
    pub(crate) arrays: u32,
    /// Bytes of a beat.
    pub(crate) beat: u32,
}

impl Geometry {
    /// That of an overlay.
    pub(crate) fn of(overlay: &Overlay) -> Self {
        let (side, arrays, beat) = (overlay.side(), overlay.arrays(), overlay.beat_bytes());
        Self { side: side as u32, arrays: arrays as u32, beat: beat as u32 }
    }
    /// Channels of one step.
    pub(super) fn channels(self) -> u32 {
        self.side * self.arrays
    }
    /// Channels of one slab: a beat, or the side of the array where a beat is narrower.
    pub(super) fn slab(self) -> u32 {
        self.beat.max(self.side)
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
        ROWS / self.side
    }
    /// Steps that divide the 64 channels of a code word.
    pub(super) fn parts(self) -> u32 {
        GROUP as u32 / self.channels()
    }
    /// Runs of 16 beats in a group of 64 channels; also the scale beats of a block.
    pub(super) fn runs(self) -> u32 {
        GROUP as u32 / self.beat
    }
    /// Bits of the sum that leaves the bottom of a column: `side` products of 15 bits and sign.
    pub(super) fn psum(self) -> u32 {
        16 + self.side.ilog2()
    }
    /// Suffix of module names.
    pub(super) fn tag(self) -> String {
        format!("d{}_a{}_b{}", self.side, self.arrays, self.beat)
    }
}
