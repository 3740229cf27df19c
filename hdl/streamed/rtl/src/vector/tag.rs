//! What travels with a word through the pipeline, from the issue of its reads to its write.

use sagen_lang::{Signal, cat};

/// Bits of a packed tag without its part.
pub(super) const TAG_BITS: u32 = 35;

/// The place of a word, or of a part of one, in its row, and where its result goes.
#[derive(Clone, Copy)]
pub(super) struct Tag {
    /// Last part of the descriptor.
    pub(super) last: Signal,
    /// First part of a row.
    pub(super) row_first: Signal,
    /// Last part of a row.
    pub(super) row_last: Signal,
    /// Last part of a segment.
    pub(super) segment_last: Signal,
    /// First part of a group.
    pub(super) group_first: Signal,
    /// Last part of a group, which may be shorter at the end of a row.
    pub(super) group_last: Signal,
    /// Word within the group (2).
    pub(super) quarter: Signal,
    /// Group within the row (7).
    pub(super) group: Signal,
    /// Row (4).
    pub(super) row: Signal,
    /// Address of the result (16).
    pub(super) d: Signal,
    /// Part of the word, where a word has more than one.
    pub(super) part: Option<Signal>,
}

impl Tag {
    /// As one bus.
    #[track_caller]
    pub(super) fn pack(self) -> Signal {
        let flags = [self.last, self.row_first, self.row_last, self.segment_last, self.group_first, self.group_last];
        let word = cat(&[cat(&flags), self.quarter, self.group, self.row, self.d]);
        self.part.map_or(word, |part| cat(&[part, word]))
    }

    /// From one bus.
    #[track_caller]
    pub(super) fn unpack(bus: impl Into<Signal>) -> Tag {
        let bus = bus.into();
        Tag {
            last: bus.bit(34),
            row_first: bus.bit(33),
            row_last: bus.bit(32),
            segment_last: bus.bit(31),
            group_first: bus.bit(30),
            group_last: bus.bit(29),
            quarter: bus.slice(27, 2),
            group: bus.slice(20, 7),
            row: bus.slice(16, 4),
            d: bus.slice(0, 16),
            part: (bus.width() > TAG_BITS).then(|| bus.slice(TAG_BITS, bus.width() - TAG_BITS)),
        }
    }

    /// 1 for the second word of a pair.
    #[track_caller]
    pub(super) fn odd(self) -> Signal {
        self.quarter.bit(0)
    }
}
