//! Strided rows of an on-chip memory: bounds, and what may not overlap.

use super::fault::Fault;
use sagen_streamed_isa::Rows;

/// Rows of a memory: how many, and the entries of each.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Descriptor field of the base, for messages.
    pub field: &'static str,
    /// Where the rows are.
    pub at: Rows,
    /// How many.
    pub rows: u64,
    /// Entries of a row.
    pub length: u64,
}

impl Extent {
    /// First entry of a row.
    pub fn start(&self, row: usize) -> usize {
        self.at.row(row as u64) as usize
    }

    /// All of it lies within a memory of `size` entries.
    pub fn inside(self, space: &'static str, size: usize) -> Result<Self, Fault> {
        let end = self.at.row(self.rows.saturating_sub(1)) + self.length;
        if end <= size as u64 {
            return Ok(self);
        }
        Err(Fault::Space { field: self.field, space, first: self.at.base, end, size: size as u64 })
    }

    /// No entry belongs to two rows: the order of writes within a descriptor is then nobody's business.
    pub fn distinct(self, stride_field: &'static str) -> Result<Self, Fault> {
        if self.rows <= 1 || self.at.stride >= self.length {
            return Ok(self);
        }
        Err(Fault::Stride { field: stride_field, stride: self.at.stride, length: self.length })
    }

    /// Writing `self` in order, word by word, never destroys a word of `operand` that is read later. A unit
    /// that reads ahead of its writes then gives the same result as one that does not. Exactly in place is fine.
    pub fn may_follow(&self, operand: &Extent) -> Result<(), Fault> {
        let words = |e: &Extent, row: u64| (e.at.row(row), e.at.row(row) + e.length);
        for written in 0..self.rows {
            let (d, d_end) = words(self, written);
            for read in written..operand.rows {
                let (a, a_end) = words(operand, read);
                let meets = d < a_end && a < d_end;
                if meets && (read > written || d > a || self.length != operand.length) {
                    return Err(Fault::Overlap { field: operand.field, d, found: a });
                }
            }
        }
        Ok(())
    }
}
