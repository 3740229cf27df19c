//! Matvec: streamed weight blocks times up to four resident vectors, requantised, with argmax.

use super::Machine;
use super::fault::{Fault, within};
use super::rows::Rows;
use crate::kernel::{Acc, Blocks, Codes};
use rayon::prelude::*;
use sagen_arith::requant;
use sagen_arith::scale::Scale;
use sagen_streamed_isa::{BLOCK_ROWS, LANES, VECTORS};
use std::borrow::Cow;

/// Products (block, vector, group) that one thread takes at least: smaller shares cost more than they save.
const PRODUCTS_PER_TASK: usize = 256;

/// A product of resident rows and streamed weight blocks: what Matvec and Matmul have in common.
pub(super) struct Linear {
    pub(super) x: Rows,
    pub(super) scale: Rows,
    pub(super) groups: usize,
    pub(super) blocks: usize,
    pub(super) shift: i32,
}

/// Results by block, then by vector.
pub(super) type Results = Vec<Acc>;

impl Machine {
    pub(super) fn matvec(&mut self, o: &sagen_streamed_isa::Matvec) -> Result<(), Fault> {
        within("vectors", o.vectors, 1, VECTORS as u64)?;
        let linear = Linear {
            x: self.code_rows("x", o.x, o.x_stride, o.vectors, o.groups)?,
            scale: self.scale_rows("scale", o.scale, o.scale_stride, o.vectors, 1)?,
            groups: o.groups as usize,
            blocks: o.blocks as usize,
            shift: o.shift as i32,
        };
        let y = match o.write {
            0 => None,
            _ => Some(self.scratch_rows("y", o.y, o.y_stride, o.vectors, o.blocks)?.distinct("y_stride")?),
        };
        if o.argmax == 1 {
            within("reg", o.reg, 1, 31)?;
        }
        let results = self.linear(&linear)?;
        if let Some(y) = y {
            self.write_results(y, &results);
        }
        if o.argmax == 1 {
            self.argmax(o, &results)?;
        }
        Ok(())
    }

    /// Results of every block. Vectors of one block follow one another.
    pub(super) fn linear(&mut self, l: &Linear) -> Result<Results, Fault> {
        within("groups", l.groups as u64, 1, u64::MAX)?;
        within("blocks", l.blocks as u64, 1, u64::MAX)?;
        let scale_beats = self.overlay.group_beats();
        let beats = l.blocks * (scale_beats + l.groups * self.overlay.group_beats() * BLOCK_ROWS);
        let ports = self.queue.take(&self.ddr, beats as u64)?;
        let slices: Vec<&[u8]> = ports.iter().map(Cow::as_ref).collect();
        let blocks = Blocks { ports: &slices, port_bytes: self.overlay.port_bytes(), scale_beats, groups: l.groups };
        let vectors = resident(&self.codes, &self.code_shifts, l.x);
        let scales: Vec<Scale> = (0..l.scale.rows as usize).map(|v| self.scales[l.scale.start(v)]).collect();
        let mut results = vec![Acc::default(); l.blocks * vectors.len()];
        each_block(&mut results, vectors.len(), l.groups, |block, acc| {
            blocks.dot(block, &vectors, acc);
            let rows = blocks.scale_words(block).map(row_scale);
            for (acc, activation) in acc.iter_mut().zip(&scales) {
                for (value, row) in acc.iter_mut().zip(rows) {
                    *value = requant::linear(*value, row, *activation, l.shift);
                }
            }
        });
        Ok(results)
    }

    /// One scratchpad word per block and vector.
    pub(super) fn write_results(&mut self, y: Rows, results: &[Acc]) {
        for (block, vectors) in results.chunks_exact(y.rows as usize).enumerate() {
            for (v, lanes) in vectors.iter().enumerate() {
                let word = y.start(v) + block;
                self.scratch[word * LANES..(word + 1) * LANES].copy_from_slice(lanes);
            }
        }
        self.touched.scratch(y);
    }

    /// The greatest result of vector 0; of equal ones the lowest id.
    fn argmax(&mut self, o: &sagen_streamed_isa::Matvec, results: &[Acc]) -> Result<(), Fault> {
        if o.argmax_first == 1 {
            self.best = None;
        }
        let values = results.iter().step_by(o.vectors as usize).flatten();
        for (value, id) in values.zip(o.id_base..o.id_limit) {
            if self.best.is_none_or(|(best, _)| *value > best) {
                self.best = Some((*value, id as u32));
            }
        }
        let (_, id) = self.best.ok_or(Fault::NoCandidate { limit: o.id_limit })?;
        self.registers[o.reg as usize] = id;
        self.touched.register(o.reg as usize);
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
pub(super) fn resident<'a>(codes: &'a [[i8; 64]], shifts: &'a [u8], x: Rows) -> Vec<Codes<'a>> {
    let vector = |v: usize| {
        let words = x.start(v)..x.start(v) + x.length as usize;
        Codes::new(&codes[words.clone()], &shifts[words])
    };
    (0..x.rows as usize).map(vector).collect()
}

/// Mantissa in bits 0..16, exponent in bits 16..24.
fn row_scale(word: u32) -> Scale {
    Scale { mantissa: word as u16, exponent: i16::from((word >> 16) as u8 as i8) }
}
