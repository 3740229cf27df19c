//! Dot products of weight blocks with resident codes. Every kernel gives the same bits as `scalar`.

mod scalar;

use sagen_isa::{BLOCK_ROWS, GROUP};

/// One vector of codes, resident in the code memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codes<'a> {
    /// 64 codes a group.
    pub(crate) groups: &'a [[i8; GROUP]],
    /// Shift of each group, 0..=3.
    pub(crate) shifts: &'a [u8],
}

/// Accumulators of one block: row n of the block at index n.
pub(crate) type Acc = [i32; BLOCK_ROWS];

/// Consecutive weight blocks as they lie in DDR, one slice a stream port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    /// Equally long slices.
    pub(crate) ports: &'a [&'a [u8]],
    /// Bytes of one transfer.
    pub(crate) port_bytes: usize,
    /// Scale beats before the codes of a block.
    pub(crate) scale_beats: usize,
    /// Channels / 64.
    pub(crate) groups: usize,
}

impl Blocks<'_> {
    fn beat_bytes(&self) -> usize {
        self.ports.len() * self.port_bytes
    }
    /// Transfers of one port in a block.
    pub(crate) fn block_beats(&self) -> usize {
        self.scale_beats + self.groups * GROUP / self.beat_bytes() * BLOCK_ROWS
    }
    /// The scale words of a block: 16 little-endian words over its scale beats.
    pub(crate) fn scale_words(&self, block: usize) -> [u32; BLOCK_ROWS] {
        let lane = |n: usize| {
            let (beat, at) = (4 * n / self.beat_bytes(), 4 * n % self.beat_bytes());
            let (port, byte) = (at / self.port_bytes, at % self.port_bytes);
            let first = (block * self.block_beats() + beat) * self.port_bytes + byte;
            let bytes = &self.ports[port][first..first + 4];
            u32::from_le_bytes(bytes.try_into().expect("four bytes"))
        };
        std::array::from_fn(lane)
    }
    /// The codes of a block that one port carries: runs of 16 transfers, one a row.
    fn codes(&self, block: usize, port: usize) -> &[u8] {
        let beats = self.block_beats();
        let first = (block * beats + self.scale_beats) * self.port_bytes;
        &self.ports[port][first..(block + 1) * beats * self.port_bytes]
    }

    /// `acc[v][n]` = sum over groups of `dot(row n, vector v) << (3 - shift)`.
    pub(crate) fn dot(&self, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
        scalar::dot(self, block, vectors, acc);
    }
}
