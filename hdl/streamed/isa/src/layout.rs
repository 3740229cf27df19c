//! Bit positions of descriptor fields, packing and unpacking.

/// Bytes of one descriptor.
pub const DESCRIPTOR_BYTES: usize = 64;
/// First bit of the wait fields, 16 bits per unit.
pub const WAIT_BIT: u32 = 16;
/// First bit of the body.
pub const BODY_BIT: u32 = 96;

/// A packed descriptor, least significant word first.
pub type Words = [u64; DESCRIPTOR_BYTES / 8];

/// One field of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name as in Rust, lower case.
    pub name: &'static str,
    /// Contract in one or two sentences.
    pub doc: &'static str,
    /// Lowest bit within the descriptor.
    pub lo: u32,
    /// Width in bits.
    pub width: u32,
    /// Two's complement.
    pub signed: bool,
}

impl Field {
    /// Its value in a packed descriptor.
    pub fn value(&self, words: &Words) -> i64 {
        let raw = take(words, self.lo, self.width);
        if self.signed { sign_extend(raw, self.width) } else { raw as i64 }
    }
}

/// One descriptor type.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Name as in Rust.
    pub name: &'static str,
    /// Contract.
    pub doc: &'static str,
    /// Value of bits 0..8.
    pub opcode: u8,
    /// Unit that executes it.
    pub unit: crate::Unit,
    /// Body fields, ascending.
    pub fields: &'static [Field],
}

/// A value that does not fit its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Descriptor type.
    pub descriptor: &'static str,
    /// Field.
    pub field: &'static str,
    /// Value found.
    pub value: i128,
    /// Least value allowed.
    pub min: i128,
    /// Greatest value allowed.
    pub max: i128,
}

impl core::fmt::Display for FieldError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { descriptor, field, value, min, max } = self;
        write!(f, "{descriptor}.{field} = {value} is outside {min}..={max}")
    }
}

impl core::error::Error for FieldError {}

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

pub(crate) fn checked(descriptor: &'static str, field: &Field, value: i128) -> Result<u64, FieldError> {
    let (min, max) = if field.signed {
        (-(1i128 << (field.width - 1)), (1i128 << (field.width - 1)) - 1)
    } else {
        (0, (1i128 << field.width) - 1)
    };
    if value < min || value > max {
        return Err(FieldError { descriptor, field: field.name, value, min, max });
    }
    Ok(value as u64 & (u64::MAX >> (64 - field.width)))
}

pub(crate) fn sign_extend(value: u64, width: u32) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}
