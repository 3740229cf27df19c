//! The register bus: words of 32 bits that its masters write and read. The host is one, by [`crate::axi::lite`].
//!
//! One rule for addresses: all bits count. A word is at a multiple of four bytes within a range of the map.

use sagen_lang::{Signal, lit, low};

/// A word that a master writes, for one cycle.
#[derive(Clone, Copy, Debug)]
pub struct RegisterWrite {
    /// It is written; its address is in the map.
    pub strobe: Signal,
    /// Byte address.
    pub address: Signal,
    /// The word.
    pub data: Signal,
}

impl RegisterWrite {
    /// High while the word at this offset is written.
    #[track_caller]
    pub fn to(&self, offset: u32) -> Signal {
        self.strobe & self.address.eq_lit(u64::from(offset))
    }

    /// High while one of the words of a range is written, and its number.
    #[track_caller]
    pub fn within(&self, range: Range) -> (Signal, Signal) {
        (self.strobe & range.has(self.address), range.number(self.address))
    }
}

/// Words that follow each other; the base is a multiple of their number, rounded up to a power of two.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Byte address of the first.
    pub base: u32,
    /// Words.
    pub words: u32,
}

impl Range {
    fn bits(self) -> u32 {
        self.words.next_power_of_two().ilog2()
    }

    /// Number of the word at an address of the range.
    #[track_caller]
    pub fn number(self, address: Signal) -> Signal {
        address.slice(2, self.bits())
    }

    /// The address is that of a word of the range.
    #[track_caller]
    pub fn has(self, address: Signal) -> Signal {
        let low = 2 + self.bits();
        let here = address.slice(low, address.width() - low).eq_lit(u64::from(self.base >> low));
        let aligned = address.slice(0, 2).is_zero();
        let exists = match self.words.is_power_of_two() {
            true => here,
            false => here & self.number(address).lt_lit(u64::from(self.words)),
        };
        exists & aligned
    }
}

/// The address is that of a word of one of the ranges.
#[track_caller]
pub fn known(address: Signal, ranges: &[Range]) -> Signal {
    ranges.iter().fold(low(), |all, range| all | range.has(address))
}

/// Words that answer reads.
pub struct Window {
    here: Signal,
    word: Signal,
}

impl Window {
    /// What `word` says of the number within the range.
    #[track_caller]
    pub fn new(address: Signal, range: Range, word: impl FnOnce(Signal) -> Signal) -> Self {
        Self { here: range.has(address), word: word(range.number(address)) }
    }

    /// These words from `base` on.
    #[track_caller]
    pub fn of(address: Signal, base: u32, words: &[Signal]) -> Self {
        Self::new(address, Range { base, words: words.len() as u32 }, |number| number.select(words))
    }
}

/// The word of the window that has the address, or zero, and whether one has it.
#[track_caller]
pub fn read(windows: impl IntoIterator<Item = Window>) -> (Signal, Signal) {
    let none = (lit(32, 0), low());
    windows.into_iter().fold(none, |(word, known), w| (word | w.word & w.here.repeat(32), known | w.here))
}
