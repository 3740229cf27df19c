//! Seeded test values. Magnitudes are log-uniform: uniform ones saturate nearly everywhere and hide the rounding.

use crate::scale::Scale;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::RangeInclusive;

/// Seeded cases that follow the chosen ones of an operation.
pub(crate) const CASES: usize = 3000;

/// A source of values; the same seed gives the same values on every platform.
pub struct Draw(ChaCha8Rng);

impl Draw {
    /// A source for this seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }
    /// Uniform over a range.
    pub fn within(&mut self, range: RangeInclusive<i64>) -> i64 {
        self.0.random_range(range)
    }
    /// Uniform over `0..n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0.random_range(0..n)
    }
    /// True once in `n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
    /// Uniform in the number of its bits, 0 to `bits`.
    pub fn unsigned(&mut self, bits: u32) -> u128 {
        match self.below(u64::from(bits) + 1) {
            0 => 0,
            n => (self.0.random::<u128>() | 1 << 127) >> (128 - n),
        }
    }
    /// Two's complement of `bits` bits, magnitude as `unsigned`.
    pub fn signed(&mut self, bits: u32) -> i64 {
        let magnitude = self.unsigned(bits - 1) as i64;
        if self.one_in(2) { magnitude } else { -magnitude }
    }
    /// As `signed`, 32 bits.
    pub fn lane(&mut self) -> i32 {
        self.signed(32) as i32
    }
    /// A normalised scale; its mantissa is often an extreme one.
    pub fn scale(&mut self, exponents: RangeInclusive<i64>) -> Scale {
        let any = self.within(32768..=65535) as u16;
        let mantissa = self.pick(&[any, any, any, 32768, 65535, 49152]);
        Scale { mantissa, exponent: self.within(exponents) as i16 }
    }
    /// A byte.
    pub fn byte(&mut self) -> u8 {
        self.0.random()
    }
    /// A code, magnitude as `unsigned`.
    pub fn code(&mut self) -> i8 {
        self.signed(8) as i8
    }
}
