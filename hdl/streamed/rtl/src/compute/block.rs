//! The beats of a weight block as the engines count them: the layout's own numbers.

use sagen_streamed_arch::layout::{Beat, Block, WEIGHTS};
use sagen_streamed_isa::GROUP;

/// Beats of a block's scales, for a beat of that many bytes.
pub(super) const fn scale_beats(beat: u32) -> u32 {
    Block::weights(WEIGHTS, 1).scale_beats(Beat::whole(beat as usize)) as u32
}

/// Beats of one row of a group.
pub(super) const fn group_beats(beat: u32) -> u32 {
    (GROUP / Beat::whole(beat as usize).channels(WEIGHTS)) as u32
}
