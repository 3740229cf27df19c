//! Random vector descriptors. Shifts follow the operands, so that results keep a random number of bits.

use super::window::Place;
use super::{Action, Maker};
use sagen_streamed_golden::machine::Rows;
use sagen_streamed_isa::{Add, Glu, LANES, Mul, Operation, Quant, Rope};

impl Maker {
    pub(super) fn mul(&mut self) -> Action {
        let (rows, words) = self.shape();
        vec![self.mul_of(rows, words, false).into()]
    }

    /// With `record`, the result is written and its magnitudes and squares are recorded.
    fn mul_of(&mut self, rows: u64, words: u64, record: bool) -> Mul {
        self.until(|maker| maker.try_mul(rows, words, record))
    }

    fn try_mul(&mut self, rows: u64, words: u64, record: bool) -> Option<Mul> {
        let kind = self.draw.below(8);
        let b_half = u64::from((2..5).contains(&kind));
        let (a_immediate, b_immediate) = (u64::from(kind == 0), u64::from(kind == 1));
        let a_reg = if a_immediate == 0 { self.draw.pick(&[0, 0, 6]) } else { 0 };
        let a_rows = rows + super::bounds()[a_reg as usize];
        // A register may step over rows, which must lie within the window too.
        let (a, a_reg) = match a_rows * words <= self.scratch.entries {
            true => (self.scratch.rows(&mut self.draw, a_rows, words), a_reg),
            false => (self.scratch.rows(&mut self.draw, rows, words), 0),
        };
        let b_words = if b_half == 1 { words.div_ceil(2) } else { words };
        let b = self.scratch.read_rows(&mut self.draw, rows, b_words);
        let step = self.register(a_reg) * a.stride;
        let read = Place { base: a.base + step, stride: a.stride };
        let operands = [("a", read, words, a_immediate), ("b", b, b_words, b_immediate)];
        let kept: Vec<Rows> = operands
            .into_iter()
            .filter(|o| o.3 == 0)
            .map(|(field, p, length, _)| Rows { field, base: p.base, stride: p.stride, rows, length })
            .collect();
        let d = self.result(rows, words, &kept)?;
        let immediate = i64::from(self.draw.lane());
        let x = if a_immediate == 1 { bits(immediate) } else { self.bits(read, rows, words) };
        let y = match (b_immediate, b_half) {
            (1, _) => bits(immediate),
            (_, 1) => 8,
            _ => self.bits(b, rows, words),
        };
        Some(Mul {
            rows,
            words,
            a: a.base,
            a_stride: a.stride,
            a_reg,
            b: b.base,
            b_stride: b.stride,
            d: d.base,
            d_stride: d.stride,
            a_immediate,
            b_immediate,
            b_half,
            immediate,
            shift: self.shift(x + y),
            write: u64::from(record || !self.draw.one_in(4)),
            amax: u64::from(record || self.draw.one_in(2)),
            sum_squares: u64::from(record || self.draw.one_in(2)),
        })
    }

    pub(super) fn add(&mut self) -> Action {
        let (rows, words) = self.shape();
        let [a, b, d] = self.binary(rows, words);
        let add = Add {
            rows,
            words,
            a: a.base,
            a_stride: a.stride,
            b: b.base,
            b_stride: b.stride,
            d: d.base,
            d_stride: d.stride,
        };
        vec![add.into()]
    }

    pub(super) fn glu(&mut self) -> Action {
        let (rows, words) = self.shape();
        vec![self.glu_of(rows, words).into()]
    }

    fn glu_of(&mut self, rows: u64, words: u64) -> Glu {
        let [a, b, d] = self.binary(rows, words);
        let product = self.bits(a, rows, words) + self.bits(b, rows, words);
        Glu {
            rows,
            words,
            a: a.base,
            a_stride: a.stride,
            b: b.base,
            b_stride: b.stride,
            d: d.base,
            d_stride: d.stride,
            function: self.draw.below(2),
            shift: self.shift(product),
            amax: 1,
        }
    }

    pub(super) fn rope(&mut self) -> Action {
        let head_words = self.draw.pick(&[2, 4]);
        let rows = self.draw.pick(&[1, 1, 2, 4]);
        let words = head_words * self.draw.within(1..=3) as u64;
        vec![self.rope_of(rows, words, head_words).into()]
    }

    fn rope_of(&mut self, rows: u64, words: u64, head_words: u64) -> Rope {
        let operand = |field, p: Place, length| Rows { field, base: p.base, stride: p.stride, rows, length };
        let [a, b, d] = self.until(|maker| {
            let a = maker.scratch.rows(&mut maker.draw, rows, words);
            let factors = if maker.draw.one_in(4) { maker.scratch } else { maker.tables() };
            let b = factors.read_rows(&mut maker.draw, rows, head_words / 2);
            let d = maker.result(rows, words, &[operand("a", a, words), operand("b", b, head_words / 2)])?;
            Some([a, b, d])
        });
        Rope {
            rows,
            words,
            a: a.base,
            a_stride: a.stride,
            b: b.base,
            b_stride: b.stride,
            d: d.base,
            d_stride: d.stride,
            head_words,
            amax: 1,
        }
    }

    /// Codes by a constant, to the code memory or the scratchpad.
    pub(super) fn fixed_quant(&mut self) -> Action {
        let (rows, groups) = (self.draw.pick(&[1, 1, 2, 3]), self.draw.within(1..=4) as u64);
        let segment_groups = if groups.is_multiple_of(2) { self.draw.pick(&[1, 2]) } else { groups };
        let to_scratchpad = u64::from(!self.draw.one_in(4));
        let [a, d] = self.until(|maker| {
            let a = maker.scratch.rows(&mut maker.draw, rows, 4 * groups);
            let operand = Rows { field: "a", base: a.base, stride: a.stride, rows, length: 4 * groups };
            let d = match to_scratchpad {
                1 => maker.result(rows, groups, &[operand])?,
                _ => maker.codes.rows(&mut maker.draw, rows, groups),
            };
            Some([a, d])
        });
        let kept = self.draw.within(2..=8) as u64;
        let quant = Quant {
            rows,
            segments: groups / segment_groups,
            segment_words: 4 * segment_groups,
            a: a.base,
            a_stride: a.stride,
            d: d.base,
            d_stride: d.stride,
            to_scratchpad,
            fixed: 1,
            multiplier: self.draw.within(32768..=65535) as u64,
            shift: (self.bits(a, rows, 4 * groups) + 16).saturating_sub(kept).min(63),
            ..Quant::default()
        };
        vec![quant.into()]
    }

    /// Codes by recorded magnitudes: mostly those of the operation before, sometimes older ones.
    pub(super) fn dynamic_quant(&mut self) -> Action {
        let rows = self.draw.pick(&[1, 1, 2, 4]);
        let groups = self.draw.pick(&[1, 2, 3, 4, 6]).min(8 / rows);
        let words = 4 * groups;
        let (record, a): (Operation, Place) = match self.draw.below(4) {
            0 => {
                let glu = self.glu_of(rows, words);
                (glu.into(), Place { base: glu.d, stride: glu.d_stride })
            }
            1 => {
                let rope = self.rope_of(rows, words, 4);
                (rope.into(), Place { base: rope.d, stride: rope.d_stride })
            }
            2 => {
                let mul = self.mul_of(rows, words, true);
                (mul.into(), Place { base: mul.d, stride: mul.d_stride })
            }
            _ => (self.mul_of(rows, words, true).into(), self.scratch.rows(&mut self.draw, rows, words)),
        };
        let segments = if groups.is_multiple_of(2) { self.draw.pick(&[1, 2, groups]) } else { 1 };
        let segments = if rows * segments <= self.scales.entries { segments } else { 1 };
        let d = self.codes.rows(&mut self.draw, rows, groups);
        let scale = self.scales.rows(&mut self.draw, rows, segments);
        let factor = self.draw.scale(-40..=-10);
        let quant = Quant {
            rows,
            segments,
            segment_words: words / segments,
            a: a.base,
            a_stride: a.stride,
            d: d.base,
            d_stride: d.stride,
            norm: self.draw.below(2),
            epsilon: self.draw.unsigned(40) as u64,
            factor_mantissa: u64::from(factor.mantissa),
            factor_exponent: i64::from(factor.exponent),
            scale: scale.base,
            scale_stride: scale.stride,
            ..Quant::default()
        };
        vec![record, quant.into()]
    }

    /// Rows and words of them.
    fn shape(&mut self) -> (u64, u64) {
        let rows = self.draw.pick(&[1, 1, 1, 2, 3, 4, 7, 16]);
        let most = (self.scratch.entries / 3 / rows).clamp(1, 20);
        (rows, self.draw.within(1..=most as i64) as u64)
    }

    /// Two operands and a result.
    fn binary(&mut self, rows: u64, words: u64) -> [Place; 3] {
        let operand = |field, p: Place| Rows { field, base: p.base, stride: p.stride, rows, length: words };
        self.until(|maker| {
            let a = maker.scratch.rows(&mut maker.draw, rows, words);
            let b = maker.scratch.read_rows(&mut maker.draw, rows, words);
            let d = maker.result(rows, words, &[operand("a", a), operand("b", b)])?;
            Some([a, b, d])
        })
    }

    /// Draw until the operands leave room for a result.
    fn until<T>(&mut self, mut make: impl FnMut(&mut Self) -> Option<T>) -> T {
        loop {
            if let Some(made) = make(self) {
                return made;
            }
        }
    }

    /// Result rows that leave the operands alone until they are read, often exactly in place of one.
    fn result(&mut self, rows: u64, words: u64, operands: &[Rows]) -> Option<Place> {
        for attempt in 0..20 {
            let place = match operands.first().filter(|_| attempt == 0 && self.draw.one_in(3)) {
                Some(a) => Place { base: a.base, stride: a.stride },
                None => self.scratch.rows(&mut self.draw, rows, words),
            };
            let d = Rows { field: "d", base: place.base, stride: place.stride, rows, length: words };
            let legal = d.distinct("d_stride").is_ok() && operands.iter().all(|o| d.may_follow(o).is_ok());
            if legal {
                return Some(place);
            }
        }
        None
    }

    /// Bits of a typical element of some rows: the median of a few.
    fn bits(&mut self, place: Place, rows: u64, words: u64) -> u64 {
        let mut found: [u64; 7] = std::array::from_fn(|_| {
            let word = place.base + self.draw.below(rows) * place.stride + self.draw.below(words);
            let lane = self.draw.below(LANES as u64) as usize;
            bits(i64::from(self.machine.scratch_word(word as usize)[lane]))
        });
        found.sort_unstable();
        found[found.len() / 2]
    }

    /// A shift that keeps some 6 to 28 bits of a typical product.
    fn shift(&mut self, product_bits: u64) -> u64 {
        let kept = self.draw.pick(&[6, 10, 14, 16, 18, 20, 24, 28]);
        product_bits.saturating_sub(kept).min(63)
    }
}

fn bits(x: i64) -> u64 {
    64 - u64::from(x.unsigned_abs().leading_zeros())
}
