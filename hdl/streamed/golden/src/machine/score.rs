//! Score: streamed K rows times query codes; scaled scores and their running maximum stay in the score buffer.

use super::Machine;
use super::fault::{Fault, within};
use super::matvec::{each_block, resident};
use crate::kernel::{Acc, Blocks};
use sagen_arith::requant;
use sagen_arith::scale::Scale;
use sagen_streamed_arch::layout::Block;
use sagen_streamed_isa::{BLOCK_ROWS, VECTORS};
use std::borrow::Cow;

/// The score buffer.
#[derive(Default)]
pub(super) struct Scores {
    /// Scores by key, then by vector, in blocks of 16 keys.
    pub(super) z: Vec<[i32; BLOCK_ROWS]>,
    /// Vectors.
    pub(super) vectors: usize,
    /// Last key that each vector sees, and the greatest score up to there.
    pub(super) seen: Vec<(u64, i32)>,
}

impl Scores {
    /// Score of a key.
    pub(super) fn at(&self, key: usize, vector: usize) -> i32 {
        self.z[key / BLOCK_ROWS * self.vectors + vector][key % BLOCK_ROWS]
    }
    /// Keys scored.
    pub(super) fn keys(&self) -> u64 {
        (self.z.len() / self.vectors.max(1) * BLOCK_ROWS) as u64
    }
}

impl Machine {
    pub(super) fn score(&mut self, o: &sagen_streamed_isa::Score) -> Result<(), Fault> {
        within("vectors", o.vectors, 1, VECTORS as u64)?;
        within("groups", o.groups, 1, u64::MAX)?;
        let blocks = o.blocks + self.value(o.register);
        within("blocks + register", blocks, 1, (self.overlay.score_rows() / BLOCK_ROWS) as u64)?;
        let codes = self.code_rows("codes", o.codes, o.vectors, o.groups)?;
        let entries = self.scale_rows("scales", o.scales, o.vectors, 1)?;
        let (beat, block) = (self.overlay.beat(), Block::from(o));
        let ports = self.queue.take(&self.ddr, blocks * block.beats(beat) as u64)?;
        let slices: Vec<&[u8]> = ports.iter().map(Cow::as_ref).collect();
        let keys = Blocks { ports: &slices, beat, block };
        let queries = resident(&self.codes, &self.code_shifts, codes);
        let scales: Vec<Scale> = (0..queries.len()).map(|v| self.scales[entries.start(v)]).collect();
        let mut z = vec![Acc::default(); blocks as usize * queries.len()];
        each_block(&mut z, queries.len(), block.groups, |block, z| {
            keys.dot(block, &queries, z);
            for (z, scale) in z.iter_mut().zip(&scales) {
                *z = z.map(|acc| requant::scaled(acc, *scale, o.shift as i32));
            }
        });
        self.scores = Scores { z, vectors: queries.len(), seen: Vec::new() };
        let limits = o.row.map(|row| self.value(o.limit_register) + row);
        let seen = |v: usize| (limits[v], self.scores.max(limits[v], v));
        self.scores.seen = (0..self.scores.vectors).map(seen).collect();
        Ok(())
    }
}

impl Scores {
    fn max(&self, limit: u64, vector: usize) -> i32 {
        let keys = self.keys().min(limit + 1) as usize;
        (0..keys).map(|key| self.at(key, vector)).max().expect("key 0 is always seen")
    }
}
