//! The descriptors of an overlay as a value, for headers and tables.

use serde::Serialize;

/// A part of a descriptor.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct BitField {
    /// Name, lower case.
    pub name: String,
    /// Contract.
    pub doc: String,
    /// Lowest bit.
    pub lo: u32,
    /// Highest bit.
    pub hi: u32,
    /// Bits.
    pub width: u32,
    /// Two's complement.
    pub signed: bool,
    /// Names of its values, from 0 on; empty where it is a number.
    pub values: Vec<String>,
}

/// A descriptor.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct DescriptorTable {
    /// Name.
    pub name: String,
    /// Contract.
    pub doc: String,
    /// First byte.
    pub opcode: u8,
    /// Who executes it.
    pub unit: String,
    /// Its fields, ascending.
    pub fields: Vec<BitField>,
}

/// All descriptors, and what they have in common.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct InstructionSet {
    /// Bytes of a descriptor.
    pub bytes: usize,
    /// Fields of every descriptor that say what must be completed before.
    pub waits: Vec<BitField>,
    /// By opcode.
    pub descriptors: Vec<DescriptorTable>,
}
