//! Dot products of weight blocks with resident codes. Every kernel gives the same bits as `scalar`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use sagen_streamed_isa::{BLOCK_ROWS, GROUP};
use std::sync::LazyLock;

/// One vector of codes, resident in the code memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codes<'a> {
    /// 64 codes a group.
    groups: &'a [[i8; GROUP]],
    /// Shift of each group, 0..=3.
    shifts: &'a [u8],
    /// What every row's dot product gains where 128 is added to each weight.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "a kernel of x86-64 needs it"))]
    bias: i32,
}

impl<'a> Codes<'a> {
    pub(crate) fn new(groups: &'a [[i8; GROUP]], shifts: &'a [u8]) -> Self {
        let gain = |(codes, shift): (&[i8; GROUP], &u8)| {
            let sum: i32 = codes.iter().map(|x| i32::from(*x)).sum();
            (128 * sum) << (3 - shift)
        };
        Self { groups, shifts, bias: groups.iter().zip(shifts).map(gain).fold(0, i32::wrapping_add) }
    }
}

/// Accumulators of one block: row n of the block at index n.
pub(crate) type Acc = [i32; BLOCK_ROWS];

/// Consecutive weight blocks as they lie in DDR, one slice a stream port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    /// Equally long slices, at most four.
    pub(crate) ports: &'a [&'a [u8]],
    /// Bytes of one transfer.
    pub(crate) port_bytes: usize,
    /// Scale beats before the codes of a block.
    pub(crate) scale_beats: usize,
    /// Channels / 64.
    pub(crate) groups: usize,
}

impl<'a> Blocks<'a> {
    fn beat_bytes(&self) -> usize {
        self.ports.len() * self.port_bytes
    }
    /// Transfers of one port in a block.
    fn block_beats(&self) -> usize {
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
    fn codes(&self, block: usize, port: usize) -> &'a [u8] {
        let beats = self.block_beats();
        let first = (block * beats + self.scale_beats) * self.port_bytes;
        &self.ports[port][first..(block + 1) * beats * self.port_bytes]
    }

    /// `acc[v][n]` = sum over groups of `dot(row n, vector v) << (3 - shift)`.
    pub(crate) fn dot(&self, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
        static KERNEL: LazyLock<Kernel> = LazyLock::new(Kernel::fastest);
        KERNEL.dot(self, block, vectors, acc);
    }
}

/// An implementation of the block dot product that this processor can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Token),
    #[cfg(target_arch = "x86_64")]
    Avx512(avx512::Token),
}

impl Kernel {
    /// Slowest first.
    fn available() -> Vec<Self> {
        let mut all = vec![Kernel::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(avx2::Token::detect().map(Kernel::Avx2));
            all.extend(avx512::Token::detect().map(Kernel::Avx512));
        }
        all
    }

    fn fastest() -> Self {
        *Self::available().last().expect("the scalar kernel is always available")
    }

    fn dot(self, blocks: &Blocks<'_>, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
        assert_eq!(vectors.len(), acc.len(), "one accumulator a vector");
        match self {
            Kernel::Scalar => scalar::dot(blocks, block, vectors, acc),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(token) => avx2::dot(token, blocks, block, vectors, acc),
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(token) => avx512::dot(token, blocks, block, vectors, acc),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Ports and bytes of a transfer.
    const GEOMETRIES: [(usize, usize); 8] = [(1, 4), (1, 8), (1, 16), (2, 4), (2, 8), (2, 16), (4, 8), (4, 16)];

    #[test]
    fn every_kernel_equals_the_scalar_one() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for (ports, port_bytes) in GEOMETRIES {
            for (groups, vectors) in [(1, 1), (1, 16), (3, 2), (9, 3), (9, 4), (2, 5), (24, 7)] {
                let scale_beats = random.random_range(0..3);
                let beats = 2 * (scale_beats + groups * GROUP / (ports * port_bytes) * BLOCK_ROWS);
                let bytes: Vec<Vec<u8>> =
                    (0..ports).map(|_| (0..beats * port_bytes).map(|_| random.random()).collect()).collect();
                let slices: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
                let blocks = Blocks { ports: &slices, port_bytes, scale_beats, groups };
                let codes: Vec<[i8; GROUP]> =
                    (0..groups * vectors).map(|_| std::array::from_fn(|_| random.random_range(-127..=127))).collect();
                let shifts: Vec<u8> = (0..groups * vectors).map(|_| random.random_range(0..4)).collect();
                let vectors: Vec<Codes<'_>> =
                    codes.chunks(groups).zip(shifts.chunks(groups)).map(|(c, s)| Codes::new(c, s)).collect();
                for block in 0..2 {
                    let run = |kernel: Kernel| {
                        let mut acc = vec![[7; BLOCK_ROWS]; vectors.len()];
                        kernel.dot(&blocks, block, &vectors, &mut acc);
                        acc
                    };
                    for kernel in Kernel::available() {
                        assert_eq!(run(kernel), run(Kernel::Scalar), "{kernel:?}, {ports} x {port_bytes}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_widest_product_does_not_overflow() {
        let groups = 255;
        let bytes = [vec![0x80u8; groups * 4 * BLOCK_ROWS * 16]];
        let slices: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let blocks = Blocks { ports: &slices, port_bytes: 16, scale_beats: 0, groups };
        let (codes, shifts) = (vec![[-127i8; GROUP]; groups], vec![0; groups]);
        for kernel in Kernel::available() {
            let mut acc = [Acc::default()];
            kernel.dot(&blocks, 0, &[Codes::new(&codes, &shifts)], &mut acc);
            assert_eq!(acc[0], [128 * 127 * 8 * 64 * 255; BLOCK_ROWS], "{kernel:?}");
        }
    }
}
