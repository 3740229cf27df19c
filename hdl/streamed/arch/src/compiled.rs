//! A compiled model: its program, and what whoever drives it must know.

use crate::Program;
use crate::layout::KvLayout;

/// Where a program leaves its logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logits {
    /// DDR address of the logit of id 0; 32-bit little-endian integers follow each other.
    pub address: u64,
    /// Fraction bits.
    pub fraction: i32,
}

/// Where a program keeps keys and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// DDR address of port 0's region.
    pub base: u64,
    /// From one port's region to the next.
    pub port_stride: u64,
    /// Within the regions.
    pub layout: KvLayout,
}

/// A program and what its driver must know.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// Longest sequence.
    pub context: usize,
    /// Token ids.
    pub vocab: usize,
    /// Logits, where asked for.
    pub logits: Option<Logits>,
    /// Keys and values.
    pub cache: Cache,
}
