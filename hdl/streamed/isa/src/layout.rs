//! Bit positions of a descriptor's parts, packing and unpacking of bits.

use crate::{Field, Opcode, UNITS, Unit};

/// Bytes of one descriptor.
pub const DESCRIPTOR_BYTES: usize = 64;
/// Width of the opcode, which is the lowest field.
pub const OPCODE_BITS: u32 = 8;
/// First bit of the wait fields, one a unit.
pub const WAIT_BIT: u32 = 16;
/// Width of one wait field.
pub const WAIT_BITS: u32 = 16;
/// First bit of the body.
pub const BODY_BIT: u32 = WAIT_BIT + WAIT_BITS * UNITS.len() as u32;

/// Lowest bit of a unit's wait field.
pub const fn wait_bit(unit: Unit) -> u32 {
    WAIT_BIT + WAIT_BITS * unit.index() as u32
}

/// Descriptors that each unit must have completed, by `Unit::index`.
pub type Waits = [u16; UNITS.len()];

/// A packed descriptor, least significant word first.
pub type Words = [u64; DESCRIPTOR_BYTES / 8];

/// One descriptor type.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Name as in Rust.
    pub name: &'static str,
    /// Contract.
    pub doc: &'static str,
    /// Value of the lowest bits.
    pub opcode: Opcode,
    /// Unit that executes it.
    pub unit: Unit,
    /// Body fields, ascending.
    pub fields: &'static [Field],
}

pub(crate) fn put(words: &mut Words, lo: u32, width: u32, value: u64) {
    for i in 0..width {
        let (bit, at) = (value >> i & 1, lo + i);
        words[(at / 64) as usize] |= bit << (at % 64);
    }
}

pub(crate) fn take(words: &Words, lo: u32, width: u32) -> u64 {
    let (word, at) = ((lo / 64) as usize, lo % 64);
    let low = words[word] >> at;
    let high = if at + width > 64 { words[word + 1] << (64 - at) } else { 0 };
    (low | high) & (u64::MAX >> (64 - width))
}

pub(crate) fn sign_extend(value: u64, width: u32) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}
