//! Dot products of weight blocks with resident codes. Every kernel gives the same bits as `scalar`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use sagen_arith::contract::GROUP_SHIFT;
use sagen_arith::scale::Scale;
use sagen_streamed_arch::layout::{Beat, Block, WeightFormat};
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
            (128 * sum) << (GROUP_SHIFT - u32::from(*shift))
        };
        Self { groups, shifts, bias: groups.iter().zip(shifts).map(gain).fold(0, i32::wrapping_add) }
    }
}

/// Accumulators of one block: row n of the block at index n.
pub(crate) type Acc = [i32; BLOCK_ROWS];

/// Consecutive blocks as they lie in DDR, one slice a stream port.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks<'a> {
    /// Equally long slices, at most four.
    pub(crate) ports: &'a [&'a [u8]],
    /// Cut of a beat.
    pub(crate) beat: Beat,
    /// Shape of each block.
    pub(crate) block: Block,
}

impl<'a> Blocks<'a> {
    /// The scales of a block's rows.
    pub(crate) fn scales(&self, index: usize) -> [Scale; BLOCK_ROWS] {
        self.block.scales(self.beat, self.ports, index)
    }
    /// The codes of a block that one port carries: runs of 16 transfers, one a row.
    fn codes(&self, index: usize, port: usize) -> &'a [u8] {
        self.block.codes(self.beat, self.ports[port], index)
    }

    /// `acc[v][n]` = sum over groups of `dot(row n, vector v) << (GROUP_SHIFT - shift)`.
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
        match (blocks.block.format, self) {
            (WeightFormat::Int8, Kernel::Scalar) => scalar::dot(blocks, block, vectors, acc),
            #[cfg(target_arch = "x86_64")]
            (WeightFormat::Int8, Kernel::Avx2(token)) => avx2::dot(token, blocks, block, vectors, acc),
            #[cfg(target_arch = "x86_64")]
            (WeightFormat::Int8, Kernel::Avx512(token)) => avx512::dot(token, blocks, block, vectors, acc),
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
                let beat = Beat { port_bytes, ports };
                let block = Block { format: WeightFormat::Int8, groups, scaled: random.random() };
                let bytes: Vec<Vec<u8>> =
                    (0..ports).map(|_| (0..2 * block.bytes(beat)).map(|_| random.random()).collect()).collect();
                let slices: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
                let blocks = Blocks { ports: &slices, beat, block };
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
        let blocks = Blocks { ports: &slices, beat: Beat { port_bytes: 16, ports: 1 }, block: Block::keys(groups) };
        let (codes, shifts) = (vec![[-127i8; GROUP]; groups], vec![0; groups]);
        for kernel in Kernel::available() {
            let mut acc = [Acc::default()];
            kernel.dot(&blocks, 0, &[Codes::new(&codes, &shifts)], &mut acc);
            assert_eq!(acc[0], [128 * 127 * 8 * 64 * 255; BLOCK_ROWS], "{kernel:?}");
        }
    }
}
