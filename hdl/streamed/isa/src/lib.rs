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

pub use csr::{Access, COUNTERS, CSR_BYTES, CSR_COUNTER_BASE, CSR_ID, CSR_REGISTER_BASE, CSRS, Counter, Csr};
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
    /// A step register with a meaning.
    #[derive(Clone, Copy, Debug)]
    pub struct Named {
        /// Name, lower case.
        pub name: &'static str,
        /// Which register.
        pub index: u64,
        /// What it holds.
        pub doc: &'static str,
    }

    macro_rules! registers {
        ($($name:ident, $lower:literal = $index:literal: $doc:literal;)*) => {
            $(#[doc = $doc] pub const $name: u64 = $index;)*
            /// Every register with a meaning, in order.
            pub const NAMED: &[Named] = &[$(Named { name: $lower, index: $index, doc: $doc }),*];
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
