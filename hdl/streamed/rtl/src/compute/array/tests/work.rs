//! Random descriptors with the beats that they take and the words that they must write.

use super::Geometry;
use crate::testing::Random;
use sagen_arith::requant::linear;
use sagen_arith::scale::Scale;
use sagen_streamed_isa::{Matmul, Rows};
use std::collections::BTreeMap;

impl Random {
    /// Mostly anything, sometimes an extreme.
    fn code(&mut self) -> i8 {
        match self.below(8) {
            0 => -128,
            1 => 127,
            _ => self.next() as i8,
        }
    }
    /// Near zero, so that results are neither all zero nor all saturated.
    fn scale(&mut self) -> Scale {
        Scale { mantissa: 0x8000 | self.next() as u16, exponent: self.below(9) as i16 - 4 }
    }
}

/// What the engine reads.
pub(super) struct Memories {
    pub(super) codes: Vec<([i8; 64], u8)>,
    pub(super) scales: Vec<Scale>,
}

impl Memories {
    pub(super) fn random(random: &mut Random) -> Self {
        let codes = (0..256).map(|_| (std::array::from_fn(|_| random.code()), random.below(4) as u8));
        Self { codes: codes.collect(), scales: (0..64).map(|_| random.scale()).collect() }
    }
    /// Two codes in turn.
    pub(super) fn alternating(random: &mut Random, pair: [i8; 2]) -> Self {
        let codes = (0..256).map(|_| (std::array::from_fn(|k| pair[k % 2]), random.below(4) as u8));
        Self { codes: codes.collect(), scales: (0..64).map(|_| random.scale()).collect() }
    }
}

/// One descriptor.
pub(super) struct Work {
    pub(super) matmul: Matmul,
    pub(super) beats: Vec<Vec<u8>>,
    pub(super) expected: BTreeMap<u64, [i32; 16]>,
}

impl Work {
    /// Results go behind `free`, which is moved.
    pub(super) fn random(g: Geometry, memories: &Memories, random: &mut Random, free: &mut u64) -> Self {
        let (rows, groups, blocks) = (1 + random.below(16), 1 + random.below(4), 1 + random.below(5));
        let (x_stride, y_stride) = (random.below(9), blocks + random.below(3));
        let matmul = Matmul {
            codes: Rows { base: random.below(256 - 15 * x_stride - groups), stride: x_stride },
            rows,
            groups,
            blocks,
            to: Rows { base: *free, stride: y_stride },
            scales: Rows { base: random.below(16), stride: random.below(4) },
            shift: 20 + random.below(8) as i64,
        };
        *free += rows * y_stride;
        Self::new(g, memories, random, matmul)
    }

    pub(super) fn new(g: Geometry, memories: &Memories, random: &mut Random, matmul: Matmul) -> Self {
        Self::weighted(g, memories, random, matmul, |random, _, _, _| random.code())
    }

    /// Weights by block, row and channel.
    pub(super) fn weighted(
        g: Geometry,
        memories: &Memories,
        random: &mut Random,
        matmul: Matmul,
        weight: impl Fn(&mut Random, u64, usize, usize) -> i8,
    ) -> Self {
        let mut work = Self { matmul, beats: Vec::new(), expected: BTreeMap::new() };
        for block in 0..matmul.blocks {
            let scales: Vec<Scale> = (0..16).map(|_| random.scale()).collect();
            let channels = 64 * matmul.groups as usize;
            let weights: Vec<Vec<i8>> =
                (0..16).map(|n| (0..channels).map(|k| weight(random, block, n, k)).collect()).collect();
            work.push_beats(g.beat as usize, &scales, &weights);
            for row in 0..matmul.rows {
                let word = std::array::from_fn(|n| result(&matmul, memories, row, scales[n], &weights[n]));
                work.expected.insert(matmul.to.row(row) + block, word);
            }
        }
        work
    }

    fn push_beats(&mut self, beat: usize, scales: &[Scale], weights: &[Vec<i8>]) {
        let word = |s: &Scale| u32::from(s.mantissa) | u32::from(s.exponent as u8) << 16 | 0xa500_0000;
        let bytes: Vec<u8> = scales.iter().flat_map(|s| word(s).to_le_bytes()).collect();
        self.beats.extend(bytes.chunks(beat).map(<[u8]>::to_vec));
        for first in (0..weights[0].len()).step_by(beat) {
            let rows = weights.iter().map(|row| row[first..first + beat].iter().map(|w| *w as u8).collect());
            self.beats.extend(rows);
        }
    }
}

fn result(m: &Matmul, memories: &Memories, row: u64, scale: Scale, weights: &[i8]) -> i32 {
    let groups = weights.chunks(64).enumerate().map(|(group, weights)| {
        let (codes, shift) = &memories.codes[m.codes.row(row) as usize + group];
        let dot: i32 = weights.iter().zip(codes).map(|(w, x)| i32::from(*w) * i32::from(*x)).sum();
        dot << (3 - shift)
    });
    let activation = memories.scales[m.scales.row(row) as usize];
    linear(groups.sum(), scale, activation, m.shift as i32)
}
