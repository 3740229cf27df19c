//! What the vector unit does. Mul, Add, Rope and Glu stand here: elementwise over rows of the scratchpad, with magnitudes on the side.

use super::Machine;
use super::extent::Extent;
use super::fault::{Fault, within};
use sagen_arith::fixed::{rsh, sat32};
use sagen_arith::rope::rotate;
use sagen_arith::sfu::gate::{Gate, glu};
use sagen_streamed_isa::{
    AMAX_GROUPS, Add, CHUNK_ROWS, GROUP, GateFunction, Glu, LANES, Mul, Rope, Rows, VectorOperation,
};

/// Elements of one operand row.
enum Operand {
    Rows(Extent),
    Half(Extent),
    Immediate(i32),
}

impl Machine {
    pub(super) fn vector(&mut self, operation: VectorOperation) -> Result<(), Fault> {
        match operation {
            VectorOperation::Mul(o) => self.mul(&o),
            VectorOperation::Add(o) => self.add(&o),
            VectorOperation::Rope(o) => self.rope(&o),
            VectorOperation::Glu(o) => self.glu(&o),
            VectorOperation::Quant(o) => self.quant(&o),
        }
    }

    fn mul(&mut self, o: &Mul) -> Result<(), Fault> {
        shape(o.rows, o.words, o.amax)?;
        within("shift", o.shift, 0, 63)?;
        let (left, right) = (self.left(o)?, self.right(o)?);
        let to = match o.write {
            false => None,
            true => Some(self.result(o.to, o.rows, o.words, &[&left, &right])?),
        };
        let elements = o.words as usize * LANES;
        for row in 0..o.rows as usize {
            let (x, y) = (self.elements(&left, row, elements), self.elements(&right, row, elements));
            if o.sum_squares {
                self.sum_squares[row] = x.iter().map(|x| u128::from(x.unsigned_abs()).pow(2)).sum();
            }
            let product = |(x, y): (&i32, &i32)| sat32(rsh(i64::from(*x) * i64::from(*y), o.shift as i32));
            let result: Vec<i32> = x.iter().zip(&y).map(product).collect();
            self.finish_row(to, row, &result, o.amax);
        }
        Ok(())
    }

    fn left(&self, o: &Mul) -> Result<Operand, Fault> {
        if o.left_immediate {
            return Ok(Operand::Immediate(o.immediate as i32));
        }
        let at = Rows { base: o.left.row(self.value(o.left_register)), ..o.left };
        Ok(Operand::Rows(self.scratch_rows("left + register * left_stride", at, o.rows, o.words)?))
    }

    fn right(&self, o: &Mul) -> Result<Operand, Fault> {
        let rows = |words| self.scratch_rows("right", o.right, o.rows, words);
        match (o.right_immediate, o.right_half) {
            (true, _) => Ok(Operand::Immediate(o.immediate as i32)),
            (false, true) => rows(o.words.div_ceil(2)).map(Operand::Half),
            (false, false) => rows(o.words).map(Operand::Rows),
        }
    }

    fn add(&mut self, o: &Add) -> Result<(), Fault> {
        shape(o.rows, o.words, false)?;
        let left = Operand::Rows(self.scratch_rows("left", o.left, o.rows, o.words)?);
        let right = Operand::Rows(self.scratch_rows("right", o.right, o.rows, o.words)?);
        let to = self.result(o.to, o.rows, o.words, &[&left, &right])?;
        let elements = o.words as usize * LANES;
        for row in 0..o.rows as usize {
            let (x, y) = (self.elements(&left, row, elements), self.elements(&right, row, elements));
            let result: Vec<i32> = x.iter().zip(&y).map(|(x, y)| x.saturating_add(*y)).collect();
            self.finish_row(Some(to), row, &result, false);
        }
        Ok(())
    }

    fn rope(&mut self, o: &Rope) -> Result<(), Fault> {
        shape(o.rows, o.words, o.amax)?;
        within("head_words", o.head_words, 2, o.words)?;
        let multiple = |words: u64, unit: u64, what| match words.is_multiple_of(unit) {
            true => Ok(()),
            false => Err(Fault::Multiple { words, unit, what }),
        };
        multiple(o.head_words, 2, "words of one pair block")?;
        multiple(o.words, o.head_words, "words of one head")?;
        let from = Operand::Rows(self.scratch_rows("from", o.from, o.rows, o.words)?);
        let table = Operand::Half(self.scratch_rows("table", o.table, o.rows, o.head_words / 2)?);
        let to = self.result(o.to, o.rows, o.words, &[&from, &table])?;
        let elements = o.words as usize * LANES;
        for row in 0..o.rows as usize {
            let mut x = self.elements(&from, row, elements);
            let table = self.elements(&table, row, o.head_words as usize * LANES);
            for head in x.chunks_exact_mut(o.head_words as usize * LANES) {
                for (pair, factors) in head.chunks_exact_mut(2 * LANES).zip(table.chunks_exact(2 * LANES)) {
                    rotate_block(pair, factors);
                }
            }
            self.finish_row(Some(to), row, &x, o.amax);
        }
        Ok(())
    }

    fn glu(&mut self, o: &Glu) -> Result<(), Fault> {
        shape(o.rows, o.words, o.amax)?;
        within("shift", o.shift, 0, 63)?;
        let gate = Operand::Rows(self.scratch_rows("gate", o.gate, o.rows, o.words)?);
        let up = Operand::Rows(self.scratch_rows("up", o.up, o.rows, o.words)?);
        let to = self.result(o.to, o.rows, o.words, &[&gate, &up])?;
        let function = match o.function {
            GateFunction::Silu => Gate::Silu,
            GateFunction::Gelu => Gate::Gelu,
        };
        let elements = o.words as usize * LANES;
        for row in 0..o.rows as usize {
            let (x, y) = (self.elements(&gate, row, elements), self.elements(&up, row, elements));
            let result: Vec<i32> = x.iter().zip(&y).map(|(x, y)| glu(function, *x, *y, o.shift as i32)).collect();
            self.finish_row(Some(to), row, &result, o.amax);
        }
        Ok(())
    }

    /// The result rows, which must not destroy operands that are still needed.
    fn result(&self, to: Rows, rows: u64, words: u64, operands: &[&Operand]) -> Result<Extent, Fault> {
        let to = self.scratch_rows("to", to, rows, words)?.distinct("to_stride")?;
        for operand in operands {
            match operand {
                Operand::Rows(r) | Operand::Half(r) => to.may_follow(r)?,
                Operand::Immediate(_) => {}
            }
        }
        Ok(to)
    }

    fn elements(&self, operand: &Operand, row: usize, elements: usize) -> Vec<i32> {
        match operand {
            Operand::Immediate(value) => vec![*value; elements],
            Operand::Rows(r) => self.scratch[r.start(row) * LANES..][..elements].to_vec(),
            Operand::Half(r) => {
                let words = &self.scratch[r.start(row) * LANES..][..elements.div_ceil(2)];
                let halves = words.iter().flat_map(|w| [i32::from(*w as i16), w >> 16]);
                halves.take(elements).collect()
            }
        }
    }

    /// Write one row of results and record the magnitudes of its groups.
    fn finish_row(&mut self, to: Option<Extent>, row: usize, result: &[i32], amax: bool) {
        if let Some(to) = to {
            self.scratch[to.start(row) * LANES..][..result.len()].copy_from_slice(result);
            let at = Rows { base: to.start(row) as u64, ..to.at };
            self.touched.scratch(Extent { at, rows: 1, ..to });
        }
        if amax {
            for (group, entry) in result.chunks(GROUP).zip(&mut self.amax[row]) {
                *entry = group.iter().map(|x| x.unsigned_abs()).max().expect("a group is not empty");
            }
        }
    }
}

/// 16 pairs: first halves, second halves; 16 cosines, 16 sines.
fn rotate_block(pair: &mut [i32], factors: &[i32]) {
    let (first, second) = pair.split_at_mut(LANES);
    let (cos, sin) = factors.split_at(LANES);
    for i in 0..LANES {
        (first[i], second[i]) = rotate(first[i], second[i], cos[i] as i16, sin[i] as i16);
    }
}

fn shape(rows: u64, words: u64, amax: bool) -> Result<(), Fault> {
    within("rows", rows, 1, CHUNK_ROWS as u64)?;
    let table = (AMAX_GROUPS * GROUP / LANES) as u64;
    within("words", words, 1, if amax { table } else { u64::MAX })
}
