//! The register map of an overlay as a value: every register with its parts, for all interfaces alike.

use serde::Serialize;

/// A part of a register.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct RegisterField {
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
    /// Ones in its bits.
    pub mask: u32,
    /// Names of its values, from 0 on; empty where it is a number.
    pub values: Vec<String>,
}

/// A register of 32 bits.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Register {
    /// Name, lower case.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// The same in hexadecimal.
    pub address: String,
    /// `read`, `read/write` or `trigger`.
    pub access: &'static str,
    /// Contract.
    pub doc: String,
    /// Value where it is always the same.
    pub constant: Option<u32>,
    /// Parts, ascending; one called `value` where the register is one number.
    pub fields: Vec<RegisterField>,
}

/// All registers, ascending, and the bytes that they lie in.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct RegisterMap {
    /// Bytes of the window.
    pub bytes: u32,
    /// Registers.
    pub registers: Vec<Register>,
}
