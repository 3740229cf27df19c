//! Random streams of weight blocks and the products that consume them.

use super::map::{Pool, ROW_EXPONENTS};
use super::{Action, Maker, Recipe, result_registers};
use sagen_streamed_isa::{ComputeOpcode, Matmul, Matvec, Operation, Rows, Stream};

/// Consecutive blocks of a pool.
#[derive(Clone, Copy)]
struct Run {
    pool: Pool,
    first: u64,
    blocks: u64,
}

pub(super) fn recipe(opcode: ComputeOpcode) -> Recipe {
    match opcode {
        ComputeOpcode::Matvec => Recipe(2, Maker::matvec),
        ComputeOpcode::Matmul => Recipe(1, Maker::matmul),
        ComputeOpcode::Score => Recipe(1, Maker::attention),
        // Scores bring it along.
        ComputeOpcode::WeightedSum => Recipe(0, Maker::attention),
    }
}

impl Maker {
    /// GEMV over one run, sometimes fed by several streams, sometimes with an argmax.
    fn matvec(&mut self) -> Action {
        let run = self.run();
        let mut action = self.streams(run);
        if self.draw.one_in(2) {
            action.push(self.matvec_of(run).into());
        } else {
            action.extend(self.argmax(run));
        }
        action
    }

    fn matmul(&mut self) -> Action {
        let run = self.run();
        let mut action = self.streams(run);
        action.push(self.matmul_of(run).into());
        action
    }

    /// Both streams run ahead of both products.
    pub(super) fn two_products(&mut self) -> Action {
        let runs = [self.run(), self.run()];
        let mut action: Action = runs.into_iter().flat_map(|run| self.streams(run)).collect();
        for run in runs {
            let product = match self.draw.one_in(2) {
                true => self.matvec_of(run).into(),
                false => self.matmul_of(run).into(),
            };
            action.push(product);
        }
        action
    }

    fn run(&mut self) -> Run {
        let pool = self.draw.pick(&self.map.pools);
        let blocks = self.draw.within(1..=pool.blocks as i64) as u64;
        Run { pool, first: self.draw.below(pool.blocks - blocks + 1), blocks }
    }

    fn block_beats(&self, pool: Pool) -> u64 {
        pool.block().beats(self.overlay.beat()) as u64
    }

    /// One stream, or two that meet anywhere.
    fn streams(&mut self, run: Run) -> Action {
        let block = self.block_beats(run.pool);
        let port_bytes = self.overlay.port_bytes() as u64;
        let base = run.pool.base + run.first * block * port_bytes;
        let beats = run.blocks * block;
        let cut = if self.draw.one_in(3) { self.draw.below(beats) } else { 0 };
        let stream = |first: u64, beats: u64| {
            let base = base + first * port_bytes;
            Stream { base, port_stride: self.map.weight_stride, beats, ..Stream::default() }.into()
        };
        match cut {
            0 => vec![stream(0, beats)],
            _ => vec![stream(0, cut), stream(cut, beats - cut)],
        }
    }

    fn matvec_of(&mut self, run: Run) -> Matvec {
        let vectors = self.draw.within(1..=4) as u64;
        let codes = self.codes.read_rows(&mut self.draw, vectors, run.pool.groups);
        let to = self.scratch.rows(&mut self.draw, vectors, run.blocks);
        let scales = self.scales.read_rows(&mut self.draw, vectors, 1);
        Matvec {
            codes,
            vectors,
            groups: run.pool.groups,
            blocks: run.blocks,
            to,
            scales,
            shift: self.requant_shift(scales.base, run.pool.groups),
            write: true,
            ..Matvec::default()
        }
    }

    /// The run split over two descriptors of one argmax; the last rows may be padding.
    fn argmax(&mut self, run: Run) -> Action {
        let id_base = self.draw.below(1 << 20);
        let id_limit = id_base + run.blocks * 16 - self.draw.below(8);
        let cut = self.draw.below(run.blocks);
        let register = self.draw.pick(&result_registers());
        let mut part = |first: u64, blocks: u64, argmax_first: bool| {
            let product = self.matvec_of(Run { first: run.first + first, blocks, ..run });
            let (id_base, write) = (id_base + 16 * first, self.draw.below(2) == 1);
            Operation::from(Matvec { write, argmax: true, argmax_first, id_base, id_limit, register, ..product })
        };
        match cut {
            0 => vec![part(0, run.blocks, true)],
            _ => vec![part(0, cut, true), part(cut, run.blocks - cut, false)],
        }
    }

    fn matmul_of(&mut self, run: Run) -> Matmul {
        let most = (self.scratch.entries / run.blocks).min(16) as i64;
        let some = self.draw.within(1..=most) as u64;
        let rows = self.draw.pick(&[some, some, most as u64]);
        let codes = match rows * run.pool.groups <= self.codes.entries {
            true => self.codes.read_rows(&mut self.draw, rows, run.pool.groups),
            false => Rows { base: self.codes.base, stride: 2 },
        };
        let to = self.scratch.rows(&mut self.draw, rows, run.blocks);
        let scales = self.scales.read_rows(&mut self.draw, rows, 1);
        Matmul {
            codes,
            rows,
            groups: run.pool.groups,
            blocks: run.blocks,
            to,
            scales,
            shift: self.requant_shift(scales.base, run.pool.groups),
        }
    }

    /// A shift after which typical results keep some 2 to 36 bits.
    fn requant_shift(&mut self, scale: u64, groups: u64) -> i64 {
        let rows = (ROW_EXPONENTS.start() + ROW_EXPONENTS.end()) / 2;
        let activation = i64::from(self.machine.scale(scale as usize).exponent);
        let product = 32 + groups.ilog2() as i64;
        (product - self.draw.pick(&[2, 8, 12, 16, 24, 30, 36]) + rows + activation).clamp(-128, 127)
    }
}
