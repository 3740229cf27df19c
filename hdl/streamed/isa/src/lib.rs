//! The instruction set of the overlay: one descriptor table and one CSR table. Both are data;
//! encoders, decoders, RTL constants, headers and documentation are loops over them.
//!
//! A descriptor is 64 bytes (512 bits, little endian). Bits 0..8 hold the opcode, bits 16..96 five
//! 16-bit *wait* counts, one per unit: the descriptor starts once each unit has completed at least
//! that many descriptors since the program began. The body starts at bit 96.
#![no_std]

mod choice;
pub mod csr;
mod descriptor;
mod descriptors;
mod error_source;
mod field;
mod layout;
pub mod protocol;
pub mod register;
mod table;
mod units;

pub use choice::*;
pub use csr::{Access, COUNTERS, CSR_BYTES, CSR_COUNTER_BASE, CSR_ID, CSR_REGISTER_BASE, CSRS, Counter, Csr};
pub use descriptor::Descriptor;
pub use descriptors::*;
pub use error_source::ErrorSource;
pub use field::{Field, FieldError, Kind, Loop, Packer, Rows, Value};
pub use layout::{BODY_BIT, DESCRIPTOR_BYTES, Layout, OPCODE_BITS, WAIT_BIT, WAIT_BITS, Waits, Words, wait_bit};
pub use register::{REGISTER_BITS, REGISTERS, Register};
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
/// Entries of the scale register file.
pub const SCALES: usize = 1024;
/// Groups of one row that the amax table holds.
pub const AMAX_GROUPS: usize = 128;
/// Bytes that no burst on a memory port crosses; regions of DDR begin at a multiple.
pub const PAGE_BYTES: u64 = 4096;
