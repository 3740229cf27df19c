//! Step registers: what a driver sets before each run of a program, and what descriptors add to counts and addresses.

use crate::{BLOCK_ROWS, CHUNK_ROWS};

/// Step registers; register 0 reads zero.
pub const REGISTERS: usize = 32;
/// Bits of a register's number.
pub const REGISTER_BITS: u32 = REGISTERS.ilog2();

/// A step register. There is no value of this type for a register that does not exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(u8);

impl Register {
    /// The register with this number, below [`REGISTERS`].
    pub const fn new(index: usize) -> Option<Self> {
        if index < REGISTERS { Some(Self(index as u8)) } else { None }
    }
    /// The register whose number is in the lowest bits.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self((bits % REGISTERS as u64) as u8)
    }
    /// Its number.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
    /// The register that many further.
    pub const fn after(self, registers: usize) -> Option<Self> {
        Self::new(self.index() + registers)
    }
    /// Every register.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..REGISTERS as u8).map(Self)
    }
}

impl core::fmt::Display for Register {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A step register with a meaning.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// Name, lower case.
    pub name: &'static str,
    /// Which register.
    pub register: Register,
    /// What it holds.
    pub doc: &'static str,
}

macro_rules! registers {
    ($($name:ident, $lower:literal = $index:literal: $doc:literal;)*) => {
        $(#[doc = $doc] pub const $name: Register = Register::new($index).expect("it exists");)*
        /// Every register with a meaning, in order.
        pub const NAMED: &[Named] = &[$(Named { name: $lower, register: $name, doc: $doc }),*];
    };
}

registers! {
    ZERO, "zero" = 0: "Always zero.";
    POSITION, "position" = 1: "Position of the first row of this step.";
    KV_LENGTH, "kv_length" = 2: "Keys present after this step: position + rows.";
    KV_BLOCKS, "kv_blocks" = 3: "`kv_length` in blocks of 16 rows, rounded up.";
    POSITION_BLOCK, "position_block" = 4: "`position / 16`.";
    POSITION_IN_BLOCK, "position_in_block" = 5: "`position % 16`.";
    HEAD_ROW, "head_row" = 6: "Row of the chunk that the head reads.";
    NEXT_TOKEN, "next_token" = 7: "Token chosen by the head's argmax.";
    TOKEN, "token" = 16: "Token ids of the rows, one register a row: 16..32.";
}

/// The registers of the rows' token ids, row 0 first.
pub fn tokens() -> impl Iterator<Item = Register> {
    (0..CHUNK_ROWS).map(|row| TOKEN.after(row).expect("a chunk has as many rows as there are token registers"))
}

/// Registers of a step of `rows` rows from `position`, token ids apart.
pub const fn step(position: usize, rows: usize) -> [(Register, usize); 6] {
    let length = position + rows;
    [
        (POSITION, position),
        (KV_LENGTH, length),
        (KV_BLOCKS, length.div_ceil(BLOCK_ROWS)),
        (POSITION_BLOCK, position / BLOCK_ROWS),
        (POSITION_IN_BLOCK, position % BLOCK_ROWS),
        (HEAD_ROW, 0),
    ]
}
