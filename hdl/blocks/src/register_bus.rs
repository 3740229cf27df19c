//! The register bus: words of 32 bits that its masters write and read. The host is one, by [`crate::axi::lite`].

use sagen_lang::{Signal, lit};

/// A word that a master writes, for one cycle.
#[derive(Clone, Copy, Debug)]
pub struct RegisterWrite {
    /// It is written.
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

    /// High while one of the 2^bits words from `base` on is written, and its number.
    #[track_caller]
    pub fn within(&self, base: u32, bits: u32) -> (Signal, Signal) {
        (self.strobe & within(self.address, base, bits), self.address.slice(2, bits))
    }
}

/// Words that answer reads: 2^bits from a multiple of their size on.
pub struct Window {
    here: Signal,
    word: Signal,
}

impl Window {
    /// What `word` says of the number within the window.
    #[track_caller]
    pub fn new(address: Signal, base: u32, bits: u32, word: impl FnOnce(Signal) -> Signal) -> Self {
        Self { here: within(address, base, bits), word: word(address.slice(2, bits)) }
    }

    /// Words that follow each other from `base` on, then zeros.
    #[track_caller]
    pub fn of(address: Signal, base: u32, words: &[Signal]) -> Self {
        let bits = words.len().next_power_of_two().ilog2();
        let zeros = std::iter::repeat(lit(32, 0));
        let padded: Vec<Signal> = words.iter().copied().chain(zeros).take(1 << bits).collect();
        Self::new(address, base, bits, |number| number.select(&padded))
    }
}

/// The word of the window that has the address, or zero.
#[track_caller]
pub fn read(windows: impl IntoIterator<Item = Window>) -> Signal {
    windows.into_iter().fold(lit(32, 0), |all, w| all | w.word & w.here.repeat(32))
}

#[track_caller]
fn within(address: Signal, base: u32, bits: u32) -> Signal {
    address.slice(2 + bits, address.width() - 2 - bits).eq_lit(u64::from(base >> (2 + bits)))
}
