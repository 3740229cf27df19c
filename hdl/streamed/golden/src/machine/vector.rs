//! Mul, Add, Rope and Glu: elementwise over rows of the scratchpad, with magnitudes on the side.

use super::Machine;
use super::fault::{Fault, within};
use super::rows::Rows;
use sagen_arith::fixed::{rsh, sat32};
use sagen_arith::rope::rotate;
use sagen_arith::sfu::gate::{Gate, glu};
use sagen_streamed_isa::{AMAX_GROUPS, CHUNK_ROWS, GROUP, LANES};

/// Elements of one operand row.
enum Operand {
    Rows(Rows),
    Half(Rows),
    Immediate(i32),
}

impl Machine {
    pub(super) fn mul(&mut self, o: &sagen_streamed_isa::Mul) -> Result<(), Fault> {
        shape(o.rows, o.words, o.amax == 1)?;
        within("shift", o.shift, 0, 63)?;
        let a = if o.a_immediate == 1 {
            Operand::Immediate(o.immediate as i32)
        } else {
            let base = o.a + self.value(o.a_reg) * o.a_stride;
            Operand::Rows(self.scratch_rows("a + register * a_stride", base, o.a_stride, o.rows, o.words)?)
        };
        let b = match (o.b_immediate, o.b_half) {
            (1, _) => Operand::Immediate(o.immediate as i32),
            (_, 1) => Operand::Half(self.scratch_rows("b", o.b, o.b_stride, o.rows, o.words.div_ceil(2))?),
            _ => Operand::Rows(self.scratch_rows("b", o.b, o.b_stride, o.rows, o.words)?),
        };
        let d = match o.write {
            0 => None,
            _ => Some(self.result(o.d, o.d_stride, o.rows, o.words, &[&a, &b])?),
        };
        let elements = o.words as usize * LANES;
        for row in 0..o.rows as usize {
            let (x, y) = (self.elements(&a, row, elements), self.elements(&b, row, elements));
            if o.sum_squares == 1 {
                self.sum_squares[row] = x.iter().map(|x| u128::from(x.unsigned_abs()).pow(2)).sum();
            }
            let product = |(x, y): (&i32, &i32)| sat32(rsh(i64::from(*x) * i64::from(*y), o.shift as i32));
            let result: Vec<i32> = x.iter().zip(&y).map(product).collect();
            self.finish_row(d, row, &result, o.amax == 1);
        }
        Ok(())
    }

    pub(super) fn add(&mut self, o: &sagen_streamed_isa::Add) -> Result<(), Fault> {
        shape(o.rows, o.words, false)?;
        let a = Operand::Rows(self.scratch_rows("a", o.a, o.a_stride, o.rows, o.words)?);
        let b = Operand::Rows(self.scratch_rows("b", o.b, o.b_stride, o.rows, o.words)?);
        let d = self.result(o.d, o.d_stride, o.rows, o.words, &[&a, &b])?;
        let elements = o.words as usize * LANES;
        for row in 0..o.rows as usize {
            let (x, y) = (self.elements(&a, row, elements), self.elements(&b, row, elements));
            let result: Vec<i32> = x.iter().zip(&y).map(|(x, y)| x.saturating_add(*y)).collect();
            self.finish_row(Some(d), row, &result, false);
        }
        Ok(())
    }

    pub(super) fn rope(&mut self, o: &sagen_streamed_isa::Rope) -> Result<(), Fault> {
        shape(o.rows, o.words, o.amax == 1)?;
        within("head_words", o.head_words, 2, o.words)?;
        let multiple = |words: u64, unit: u64, what| match words.is_multiple_of(unit) {
            true => Ok(()),
            false => Err(Fault::Multiple { words, unit, what }),
        };
        multiple(o.head_words, 2, "words of one pair block")?;
        multiple(o.words, o.head_words, "words of one head")?;
        let a = Operand::Rows(self.scratch_rows("a", o.a, o.a_stride, o.rows, o.words)?);
        let table = self.scratch_rows("b", o.b, o.b_stride, o.rows, o.head_words / 2)?;
        let b = Operand::Half(table);
        let d = self.result(o.d, o.d_stride, o.rows, o.words, &[&a, &b])?;
        let elements = o.words as usize * LANES;
        for row in 0..o.rows as usize {
            let mut x = self.elements(&a, row, elements);
            let table = self.elements(&b, row, o.head_words as usize * LANES);
            for head in x.chunks_exact_mut(o.head_words as usize * LANES) {
                for (pair, factors) in head.chunks_exact_mut(2 * LANES).zip(table.chunks_exact(2 * LANES)) {
                    rotate_block(pair, factors);
                }
            }
            self.finish_row(Some(d), row, &x, o.amax == 1);
        }
        Ok(())
    }

    pub(super) fn glu(&mut self, o: &sagen_streamed_isa::Glu) -> Result<(), Fault> {
        shape(o.rows, o.words, o.amax == 1)?;
        within("shift", o.shift, 0, 63)?;
        let a = Operand::Rows(self.scratch_rows("a", o.a, o.a_stride, o.rows, o.words)?);
        let b = Operand::Rows(self.scratch_rows("b", o.b, o.b_stride, o.rows, o.words)?);
        let d = self.result(o.d, o.d_stride, o.rows, o.words, &[&a, &b])?;
        let function = if o.function == 0 { Gate::Silu } else { Gate::Gelu };
        let elements = o.words as usize * LANES;
        for row in 0..o.rows as usize {
            let (x, y) = (self.elements(&a, row, elements), self.elements(&b, row, elements));
            let result: Vec<i32> = x.iter().zip(&y).map(|(x, y)| glu(function, *x, *y, o.shift as i32)).collect();
            self.finish_row(Some(d), row, &result, o.amax == 1);
        }
        Ok(())
    }

    /// The result rows, which must not destroy operands that are still needed.
    fn result(&self, d: u64, stride: u64, rows: u64, words: u64, operands: &[&Operand]) -> Result<Rows, Fault> {
        let d = self.scratch_rows("d", d, stride, rows, words)?.distinct("d_stride")?;
        for operand in operands {
            match operand {
                Operand::Rows(r) | Operand::Half(r) => d.may_follow(r)?,
                Operand::Immediate(_) => {}
            }
        }
        Ok(d)
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
    fn finish_row(&mut self, d: Option<Rows>, row: usize, result: &[i32], amax: bool) {
        if let Some(d) = d {
            self.scratch[d.start(row) * LANES..][..result.len()].copy_from_slice(result);
            self.touched.scratch(Rows { base: d.start(row) as u64, rows: 1, ..d });
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
