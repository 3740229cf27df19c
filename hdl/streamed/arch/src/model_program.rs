//! A compiled model: its program, and what whoever drives it must know.

use crate::Program;
use crate::layout::KvLayout;
use crate::step::Slot;

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
    /// Within the part of one slot; the slots of a region follow each other.
    pub layout: KvLayout,
}

impl Cache {
    /// DDR address of a slot's part in each port's region, [`KvLayout::bytes`] long.
    pub fn parts(&self, slot: Slot) -> impl Iterator<Item = u64> + use<> {
        let Self { base, port_stride, layout } = *self;
        let within = u64::from(slot.0) * layout.bytes() as u64;
        (0..layout.beat.ports as u64).map(move |port| base + port * port_stride + within)
    }
}

/// A program and what its driver must know.
#[derive(Clone, Debug)]
pub struct ModelProgram {
    /// The program.
    pub program: Program,
    /// Longest sequence.
    pub context: usize,
    /// Token ids.
    pub vocab: usize,
    /// Sequences that a decode can extend at once.
    pub rows: usize,
    /// Sequences whose keys and values there is room for.
    pub slots: usize,
    /// Logits, where asked for.
    pub logits: Option<Logits>,
    /// Keys and values.
    pub cache: Cache,
    /// Tokens that end a sequence.
    pub stop: Vec<u32>,
}
