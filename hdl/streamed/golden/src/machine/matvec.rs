//! Matvec: streamed weight blocks times up to four resident vectors, requantised, with argmax.

use super::Machine;
use super::extent::Extent;
use super::fault::{Fault, within};
use crate::kernel::{Acc, Blocks, Codes};
use rayon::prelude::*;
use sagen_arith::requant;
use sagen_arith::scale::Scale;
use sagen_streamed_arch::layout::Block;
use sagen_streamed_isa::{LANES, REGISTERS, VECTORS};
use std::borrow::Cow;

/// Products (block, vector, group) that one thread takes at least: smaller shares cost more than they save.
const PRODUCTS_PER_TASK: usize = 256;

/// A product of resident rows and streamed weight blocks: what Matvec and Matmul have in common.
pub(super) struct Linear {
    pub(super) codes: Extent,
    pub(super) scales: Extent,
    pub(super) block: Block,
    pub(super) blocks: usize,
    pub(super) shift: i32,
}

/// Results by block, then by vector.
pub(super) type Results = Vec<Acc>;

impl Machine {
    pub(super) fn matvec(&mut self, o: &sagen_streamed_isa::Matvec) -> Result<(), Fault> {
        within("vectors", o.vectors, 1, VECTORS as u64)?;
        let linear = Linear {
            codes: self.code_rows("codes", o.codes, o.vectors, o.groups)?,
            scales: self.scale_rows("scales", o.scales, o.vectors, 1)?,
            block: o.into(),
            blocks: o.blocks as usize,
            shift: o.shift as i32,
        };
        let to = match o.write {
            false => None,
            true => Some(self.scratch_rows("to", o.to, o.vectors, o.blocks)?.distinct("to_stride")?),
        };
        if o.argmax {
            within("register", o.register.index() as u64, 1, REGISTERS as u64 - 1)?;
        }
        let results = self.linear(&linear)?;
        if let Some(to) = to {
            self.write_results(to, &results);
        }
        if o.argmax {
            self.argmax(o, &results)?;
        }
        Ok(())
    }

    /// Results of every block. Vectors of one block follow one another.
    pub(super) fn linear(&mut self, l: &Linear) -> Result<Results, Fault> {
        within("groups", l.block.groups as u64, 1, u64::MAX)?;
        within("blocks", l.blocks as u64, 1, u64::MAX)?;
        let beat = self.overlay.beat();
        let ports = self.queue.take(&self.ddr, (l.blocks * l.block.beats(beat)) as u64)?;
        let slices: Vec<&[u8]> = ports.iter().map(Cow::as_ref).collect();
        let blocks = Blocks { ports: &slices, beat, block: l.block };
        let vectors = resident(&self.codes, &self.code_shifts, l.codes);
        let scales: Vec<Scale> = (0..l.scales.rows as usize).map(|v| self.scales[l.scales.start(v)]).collect();
        let mut results = vec![Acc::default(); l.blocks * vectors.len()];
        each_block(&mut results, vectors.len(), l.block.groups, |block, acc| {
            blocks.dot(block, &vectors, acc);
            let rows = blocks.scales(block);
            for (acc, activation) in acc.iter_mut().zip(&scales) {
                for (value, row) in acc.iter_mut().zip(rows) {
                    *value = requant::linear(*value, row, *activation, l.shift);
                }
            }
        });
        Ok(results)
    }

    /// One scratchpad word per block and vector.
    pub(super) fn write_results(&mut self, to: Extent, results: &[Acc]) {
        for (block, vectors) in results.chunks_exact(to.rows as usize).enumerate() {
            for (v, lanes) in vectors.iter().enumerate() {
                let word = to.start(v) + block;
                self.scratch[word * LANES..(word + 1) * LANES].copy_from_slice(lanes);
            }
        }
        self.touched.scratch(to);
    }

    /// The greatest result of vector 0; of equal ones the lowest id.
    fn argmax(&mut self, o: &sagen_streamed_isa::Matvec, results: &[Acc]) -> Result<(), Fault> {
        if o.argmax_first {
            self.best = None;
        }
        let values = results.iter().step_by(o.vectors as usize).flatten();
        for (value, id) in values.zip(o.id_base..o.id_limit) {
            if self.best.is_none_or(|(best, _)| *value > best) {
                self.best = Some((*value, id as u32));
            }
        }
        let (_, id) = self.best.ok_or(Fault::NoCandidate { limit: o.id_limit })?;
        self.registers[o.register.index()] = id;
        self.touched.register(o.register.index());
        Ok(())
    }
}

/// Compute every block's results, on several threads where there is enough to do.
pub(super) fn each_block(
    results: &mut [Acc],
    vectors: usize,
    groups: usize,
    compute: impl Fn(usize, &mut [Acc]) + Sync + Send,
) {
    let least = PRODUCTS_PER_TASK.div_ceil(vectors * groups);
    if results.len() < 2 * least * vectors {
        results.chunks_mut(vectors).enumerate().for_each(|(block, acc)| compute(block, acc));
    } else {
        let blocks = results.par_chunks_mut(vectors).enumerate().with_min_len(least);
        blocks.for_each(|(block, acc)| compute(block, acc));
    }
}

/// The vectors of a descriptor, where they lie.
pub(super) fn resident<'a>(codes: &'a [[i8; 64]], shifts: &'a [u8], of: Extent) -> Vec<Codes<'a>> {
    let vector = |v: usize| {
        let words = of.start(v)..of.start(v) + of.length as usize;
        Codes::new(&codes[words.clone()], &shifts[words])
    };
    (0..of.rows as usize).map(vector).collect()
}
