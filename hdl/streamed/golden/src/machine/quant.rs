//! Quant: int8 codes by recorded magnitudes, with one scale a segment; or by a constant.

use super::Machine;
use super::extent::Extent;
use super::fault::{Fault, within};
use sagen_arith::quantise::{Quantiser, fixed_code, norm_scale, scale};
use sagen_arith::scale::Scale;
use sagen_streamed_isa::{AMAX_GROUPS, CHUNK_ROWS, GROUP, LANES};

const GROUP_WORDS: u64 = (GROUP / LANES) as u64;

/// A checked descriptor.
struct Plan<'a> {
    o: &'a sagen_streamed_isa::Quant,
    from: Extent,
    to: Extent,
    /// Where the scales go, in dynamic mode.
    scales: Option<Extent>,
}

impl Machine {
    pub(super) fn quant(&mut self, o: &sagen_streamed_isa::Quant) -> Result<(), Fault> {
        let plan = self.plan(o)?;
        for row in 0..o.rows as usize {
            for segment in 0..o.segments as usize {
                self.segment(&plan, row, segment)?;
            }
        }
        Ok(())
    }

    fn plan<'a>(&self, o: &'a sagen_streamed_isa::Quant) -> Result<Plan<'a>, Fault> {
        within("rows", o.rows, 1, CHUNK_ROWS as u64)?;
        within("segments", o.segments, 1, u64::MAX)?;
        within("segment_words", o.segment_words, GROUP_WORDS, u64::MAX)?;
        if !o.segment_words.is_multiple_of(GROUP_WORDS) {
            let (words, unit) = (o.segment_words, GROUP_WORDS);
            return Err(Fault::Multiple { words, unit, what: "words of one group" });
        }
        let words = o.segments * o.segment_words;
        let groups = words / GROUP_WORDS;
        let from = self.scratch_rows("from", o.from, o.rows, words)?;
        let to = match o.to_scratchpad {
            false => self.code_rows("to", o.to, o.rows, groups)?,
            true => self.scratch_rows("to", o.to, o.rows, groups)?,
        };
        let to = to.distinct("to_stride")?;
        if o.to_scratchpad {
            to.may_follow(&from)?;
        }
        let scales = match o.fixed {
            false => {
                within("segments * segment_words / 4", groups, 1, AMAX_GROUPS as u64)?;
                let entries = self.scale_rows("scales", o.scales, o.rows, o.segments)?;
                Some(entries.distinct("scales_stride")?)
            }
            true => {
                within("shift", o.shift, 0, 63)?;
                None
            }
        };
        Ok(Plan { o, from, to, scales })
    }

    fn segment(&mut self, plan: &Plan<'_>, row: usize, segment: usize) -> Result<(), Fault> {
        let groups = (plan.o.segment_words / GROUP_WORDS) as usize;
        let first = segment * groups;
        let amax = plan.scales.map(|_| *self.amax[row][first..first + groups].iter().max().expect("not empty"));
        let quantiser = amax.map(Quantiser::new);
        for group in first..first + groups {
            let from = (plan.from.start(row) * LANES) + group * GROUP;
            let values: &[i32; GROUP] = self.scratch[from..from + GROUP].try_into().expect("one group");
            let (codes, shift) = match &quantiser {
                Some(q) => {
                    let shift = q.group_shift(self.amax[row][group]);
                    (values.map(|t| q.code(t, shift)), shift)
                }
                None => {
                    let (multiplier, shift) = (plan.o.multiplier as u16, plan.o.shift as i32);
                    (values.map(|t| fixed_code(t, multiplier, shift)), 0)
                }
            };
            self.put_codes(plan.o.to_scratchpad, plan.to.start(row) + group, codes, shift);
        }
        if let (Some(entries), Some(amax)) = (plan.scales, amax) {
            self.put_scale(plan.o, entries.start(row) + segment, amax, self.sum_squares[row])?;
        }
        Ok(())
    }

    fn put_codes(&mut self, to_scratchpad: bool, word: usize, codes: [i8; GROUP], shift: u8) {
        if to_scratchpad {
            for (lane, bytes) in self.scratch[word * LANES..].iter_mut().zip(codes.as_chunks::<4>().0) {
                *lane = i32::from_le_bytes(bytes.map(|code| code as u8));
            }
            self.touched.scratch_part(word, u64::MAX);
        } else {
            (self.codes[word], self.code_shifts[word]) = (codes, shift);
            self.touched.code(word);
        }
    }

    fn put_scale(
        &mut self,
        o: &sagen_streamed_isa::Quant,
        entry: usize,
        amax: u32,
        squares: u128,
    ) -> Result<(), Fault> {
        let factor = Scale { mantissa: o.factor_mantissa as u16, exponent: o.factor_exponent as i16 };
        let value = match o.norm {
            false => scale(amax, factor),
            true => norm_scale(amax, squares, o.epsilon, factor),
        };
        if i8::try_from(value.exponent).is_err() {
            return Err(Fault::Exponent { entry: entry as u64, found: value.exponent });
        }
        self.scales[entry] = value;
        self.touched.scale(entry);
        Ok(())
    }
}
