//! The part of an on-chip memory that a program uses: small, so that descriptors meet, and anywhere.

use sagen_arith::draw::Draw;
use sagen_streamed_isa::Rows;

/// Consecutive entries, all initialised by the prologue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) base: u64,
    pub(super) entries: u64,
}

impl Window {
    /// At either end of the memory or anywhere between.
    pub(super) fn new(draw: &mut Draw, size: usize, entries: u64) -> Self {
        let last = size as u64 - entries;
        let anywhere = draw.below(last + 1);
        Self { base: draw.pick(&[0, last, anywhere, anywhere]), entries }
    }

    /// Rows that do not overlap.
    pub(super) fn rows(&self, draw: &mut Draw, rows: u64, length: u64) -> Rows {
        let spare = (self.entries - length) / (rows - 1).max(1);
        let stride = (length + draw.pick(&[0, 0, 1, 3])).min(spare.max(length));
        self.at(draw, rows, stride, length)
    }

    /// Rows to read: they may also overlap or coincide.
    pub(super) fn read_rows(&self, draw: &mut Draw, rows: u64, length: u64) -> Rows {
        match draw.below(4) {
            0 => {
                let stride = draw.below(2);
                self.at(draw, rows, stride, length)
            }
            _ => self.rows(draw, rows, length),
        }
    }

    fn at(&self, draw: &mut Draw, rows: u64, stride: u64, length: u64) -> Rows {
        let extent = (rows - 1) * stride + length;
        assert!(extent <= self.entries, "{rows} rows of {length}, {stride} apart, exceed {}", self.entries);
        Rows { base: self.base + draw.below(self.entries - extent + 1), stride }
    }
}
