//! The instruction set of the overlay: one descriptor table and one CSR table. Both are data;
//! encoders, decoders, RTL constants, headers and documentation are loops over them.
//!
//! A descriptor is 64 bytes (512 bits, little endian). Bits 0..8 hold the opcode, bits 16..96 five
//! 16-bit *wait* counts, one per unit: the descriptor starts once each unit has completed at least
//! that many descriptors since the program began. The body starts at bit 96.
#![no_std]

mod csr;
mod descriptors;
mod layout;
mod units;

pub use csr::{Access, COUNTERS, CSR_COUNTER_BASE, CSR_REGISTER_BASE, CSRS, Counter, Csr};
pub use descriptors::*;
pub use layout::{BODY_BIT, DESCRIPTOR_BYTES, Field, FieldError, Layout, WAIT_BIT, Words};
pub use units::{UNITS, Unit};

/// Elements that one scratchpad word holds as 32-bit lanes.
pub const LANES: usize = 16;
/// Bytes of one scratchpad word.
pub const WORD_BYTES: usize = 64;
/// Channels that share one activation shift; also the codes in one code-memory word.
pub const GROUP: usize = 64;
/// Rows of one weight block: the outputs that share a scale beat.
pub const BLOCK_ROWS: usize = 16;
/// Rows of one prefill chunk.
pub const CHUNK_ROWS: usize = 16;
/// Vectors that the GEMV unit keeps resident.
pub const VECTORS: usize = 4;
/// Step registers; register 0 reads zero.
pub const REGISTERS: usize = 32;
/// Entries of the scale register file.
pub const SCALES: usize = 1024;
/// Groups of one row that the amax table holds.
pub const AMAX_GROUPS: usize = 128;

/// Names of the step registers that a driver sets before each run of a program.
pub mod register {
    /// Always zero.
    pub const ZERO: u64 = 0;
    /// Position of the first row of this step.
    pub const POSITION: u64 = 1;
    /// Keys present after this step: position + rows.
    pub const KV_LENGTH: u64 = 2;
    /// `KV_LENGTH` in blocks of 16 rows, rounded up.
    pub const KV_BLOCKS: u64 = 3;
    /// `POSITION / 16`.
    pub const POSITION_BLOCK: u64 = 4;
    /// `POSITION % 16`.
    pub const POSITION_IN_BLOCK: u64 = 5;
    /// Row of the chunk that the head reads.
    pub const HEAD_ROW: u64 = 6;
    /// Token chosen by the head's argmax.
    pub const NEXT_TOKEN: u64 = 7;
    /// Token ids of the rows, one register a row: 16..32.
    pub const TOKEN: u64 = 16;

    /// Registers of a step of `rows` rows from `position`, token ids apart.
    pub const fn step(position: usize, rows: usize) -> [(u64, usize); 6] {
        let length = position + rows;
        [
            (POSITION, position),
            (KV_LENGTH, length),
            (KV_BLOCKS, length.div_ceil(crate::BLOCK_ROWS)),
            (POSITION_BLOCK, position / crate::BLOCK_ROWS),
            (POSITION_IN_BLOCK, position % crate::BLOCK_ROWS),
            (HEAD_ROW, 0),
        ]
    }
}
