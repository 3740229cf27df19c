//! The DDR image: gigabytes of address space of which only touched pages cost memory, and the ranges of it that were
//! ever written.

use memmap2::MmapMut;
use rangemap::RangeSet;

/// Smallest unit in which the image may be sized, so that whole beats never straddle its end.
const GRAIN: u64 = 4096;

/// The image cannot be made, or an address lies outside it.
#[derive(Debug, thiserror::Error)]
pub enum DdrError {
    /// The size or base is not a multiple of 4 KiB, or zero, or does not fit.
    #[error(
        "DDR of {len:#x} bytes at {base:#x}: both must be multiples of 4096 within 40 bits, and the length not zero"
    )]
    Shape {
        /// First address.
        base: u64,
        /// Length.
        len: u64,
    },
    /// The system refuses that much address space.
    #[error("cannot reserve {len} bytes of address space for the DDR image: {source}")]
    Reserve {
        /// Bytes.
        len: u64,
        /// The system's error.
        source: std::io::Error,
    },
    /// Outside the image.
    #[error("{len} bytes at {address:#x} lie outside the DDR, {base:#x}..{end:#x}")]
    Outside {
        /// First address.
        address: u64,
        /// Length.
        len: u64,
        /// The image's first address.
        base: u64,
        /// The image's end.
        end: u64,
    },
}

/// A DDR image.
pub struct Ddr {
    base: u64,
    len: u64,
    data: MmapMut,
    written: RangeSet<usize>,
}

impl Ddr {
    /// An image of `len` bytes at `base`, nothing of it written.
    pub fn new(base: u64, len: u64) -> Result<Self, DdrError> {
        let end = base.checked_add(len);
        let fits = end.is_some_and(|end| end <= 1 << 40);
        if len == 0 || !base.is_multiple_of(GRAIN) || !len.is_multiple_of(GRAIN) || !fits {
            return Err(DdrError::Shape { base, len });
        }
        let size = usize::try_from(len).expect("64-bit host");
        let data = MmapMut::map_anon(size).map_err(|source| DdrError::Reserve { len, source })?;
        Ok(Self { base, len, data, written: RangeSet::new() })
    }

    /// The first address.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The length in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Never: an image has at least one page.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Writes by the back door.
    pub fn load(&mut self, address: u64, bytes: &[u8]) -> Result<(), DdrError> {
        let at = self.index(address, bytes.len() as u64)?;
        self.put(at, bytes);
        Ok(())
    }

    /// Marks bytes as written without changing them (they are zero if nobody wrote them).
    pub fn mark_written(&mut self, address: u64, len: u64) -> Result<(), DdrError> {
        let at = self.index(address, len)?;
        self.mark(at, len as usize);
        Ok(())
    }

    /// The bytes, by the back door, written or not.
    pub fn bytes(&self, address: u64, len: u64) -> Result<&[u8], DdrError> {
        let at = self.index(address, len)?;
        Ok(&self.data[at..at + len as usize])
    }

    /// The first byte of the range that was never written.
    pub fn first_unwritten(&self, address: u64, len: u64) -> Result<Option<u64>, DdrError> {
        let at = self.index(address, len)?;
        Ok(self.unwritten(at, len as usize).map(|hit| self.base + hit as u64))
    }

    /// Position of `address` in the image, when all of the range lies inside.
    pub(super) fn index(&self, address: u64, len: u64) -> Result<usize, DdrError> {
        let inside =
            address.checked_sub(self.base).filter(|offset| offset.checked_add(len).is_some_and(|end| end <= self.len));
        let outside = || DdrError::Outside { address, len, base: self.base, end: self.base + self.len };
        inside.map(|offset| offset as usize).ok_or_else(outside)
    }

    /// Bytes at a position that `index` gave.
    #[inline]
    pub(super) fn at(&self, at: usize, len: usize) -> &[u8] {
        &self.data[at..at + len]
    }

    /// Writes at a position that `index` gave.
    #[inline]
    pub(super) fn put(&mut self, at: usize, bytes: &[u8]) {
        self.data[at..at + bytes.len()].copy_from_slice(bytes);
        self.mark(at, bytes.len());
    }

    fn mark(&mut self, at: usize, len: usize) {
        if len > 0 {
            self.written.insert(at..at + len);
        }
    }

    /// The first position of the range that was never written.
    pub(super) fn unwritten(&self, at: usize, len: usize) -> Option<usize> {
        self.written.gaps(&(at..at + len)).next().map(|gap| gap.start)
    }
}

#[cfg(test)]
mod tests {
    use super::Ddr;

    #[test]
    fn exactly_the_loaded_bytes_count_as_written() {
        for start in 0..20 {
            for len in 1..40 {
                let mut ddr = Ddr::new(0x1000, 4096).unwrap();
                ddr.load(0x1000 + start, &vec![1; len as usize]).unwrap();
                let unwritten = |at: u64, n: u64| ddr.first_unwritten(0x1000 + at, n).unwrap().map(|a| a - 0x1000);
                assert_eq!(unwritten(start, len), None, "{start} {len}");
                assert_eq!(unwritten(start, len + 1), Some(start + len), "{start} {len}");
                if start > 0 {
                    assert_eq!(unwritten(start - 1, len), Some(start - 1), "{start} {len}");
                }
            }
        }
    }

    #[test]
    fn nothing_is_written_by_no_bytes_and_no_bytes_are_unwritten() {
        let mut ddr = Ddr::new(0x1000, 4096).unwrap();
        ddr.load(0x1004, &[]).unwrap();
        assert_eq!(ddr.first_unwritten(0x1004, 1).unwrap(), Some(0x1004));
        assert_eq!(ddr.first_unwritten(0x1004, 0).unwrap(), None);
    }

    #[test]
    fn a_range_beyond_the_end_is_refused() {
        let mut ddr = Ddr::new(0x1000, 4096).unwrap();
        let e = ddr.load(0x1ffe, &[0; 3]).unwrap_err();
        assert_eq!(e.to_string(), "3 bytes at 0x1ffe lie outside the DDR, 0x1000..0x2000");
    }

    #[test]
    fn four_gigabytes_cost_nothing_until_touched() {
        let mut ddr = Ddr::new(0, 4 << 30).unwrap();
        ddr.load((4 << 30) - 2, &[7, 8]).unwrap();
        assert_eq!(ddr.bytes((4 << 30) - 2, 2).unwrap(), [7, 8]);
    }
}
