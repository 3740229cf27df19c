//! What travels with a word through the pipeline, from the issue of its reads to its write.

use super::shape::Shape;
use sagen_lang::{Signal, bit, bundle, unsigned};

bundle! {
    /// The place of a word, or of a part of one, in its row, and where its result goes.
    pub(super) struct Tag(shape: Shape) {
        /// Address of the result.
        d: unsigned(16),
        row: unsigned(4),
        /// Group within the row.
        group: unsigned(7),
        /// Word within the group.
        quarter: unsigned(2),
        /// Last part of a group, which may be shorter at the end of a row.
        group_last: bit(),
        group_first: bit(),
        segment_last: bit(),
        row_last: bit(),
        row_first: bit(),
        /// Last part of the descriptor.
        last: bit(),
        /// Part of the word, where a word has more than one.
        part(optional): shape.part(),
    }
}

impl Tag {
    /// 1 for the second word of a pair.
    #[track_caller]
    pub(super) fn odd(self) -> Signal {
        self.quarter.bit(0)
    }
}
