//! Random vector descriptors. Shifts follow the operands, so that results keep a random number of bits.

use super::{Action, Maker, Recipe};
use sagen_streamed_golden::machine::Extent;
use sagen_streamed_isa::{
    Add, GateFunction, Glu, LANES, Mul, Operation, Quant, Register, Rope, Rows, VectorOpcode, register,
};

pub(super) fn recipe(opcode: VectorOpcode) -> Recipe {
    match opcode {
        VectorOpcode::Mul => Recipe(1, Maker::mul),
        VectorOpcode::Add => Recipe(1, Maker::add),
        VectorOpcode::Rope => Recipe(1, Maker::rope),
        VectorOpcode::Glu => Recipe(1, Maker::glu),
        VectorOpcode::Quant => Recipe(2, Maker::quant),
    }
}

impl Maker {
    fn mul(&mut self) -> Action {
        let (rows, words) = self.shape();
        vec![self.mul_of(rows, words, false).into()]
    }

    /// With `record`, the result is written and its magnitudes and squares are recorded.
    fn mul_of(&mut self, rows: u64, words: u64, record: bool) -> Mul {
        self.until(|maker| maker.try_mul(rows, words, record))
    }

    fn try_mul(&mut self, rows: u64, words: u64, record: bool) -> Option<Mul> {
        let kind = self.draw.below(8);
        let (left_immediate, right_immediate, right_half) = (kind == 0, kind == 1, (2..5).contains(&kind));
        let drawn = if left_immediate { register::ZERO } else { self.left_register() };
        let left_rows = rows + super::bound(drawn);
        // A register may step over rows, which must lie within the window too.
        let (left, left_register) = match left_rows * words <= self.scratch.entries {
            true => (self.scratch.rows(&mut self.draw, left_rows, words), drawn),
            false => (self.scratch.rows(&mut self.draw, rows, words), register::ZERO),
        };
        let right_words = if right_half { words.div_ceil(2) } else { words };
        let right = self.scratch.read_rows(&mut self.draw, rows, right_words);
        let read = left.from_row(self.register(left_register));
        let kept = [
            (!left_immediate).then_some(("left", read, words)),
            (!right_immediate).then_some(("right", right, right_words)),
        ];
        let kept: Vec<Extent> =
            kept.into_iter().flatten().map(|(field, at, length)| Extent { field, at, rows, length }).collect();
        let to = self.result(rows, words, &kept)?;
        let immediate = i64::from(self.draw.lane());
        let left_bits = if left_immediate { bits(immediate) } else { self.bits(read, rows, words) };
        let right_bits = match (right_immediate, right_half) {
            (true, _) => bits(immediate),
            (false, true) => 8,
            (false, false) => self.bits(right, rows, words),
        };
        Some(Mul {
            rows,
            words,
            left,
            left_register,
            right,
            to,
            left_immediate,
            right_immediate,
            right_half,
            immediate,
            shift: self.shift(left_bits + right_bits),
            write: record || !self.draw.one_in(4),
            amax: record || self.draw.one_in(2),
            sum_squares: record || self.draw.one_in(2),
        })
    }

    fn left_register(&mut self) -> Register {
        self.draw.pick(&[register::ZERO, register::ZERO, register::HEAD_ROW])
    }

    fn add(&mut self) -> Action {
        let (rows, words) = self.shape();
        let [left, right, to] = self.binary(rows, words);
        let add = Add { rows, words, left, right, to };
        vec![add.into()]
    }

    fn glu(&mut self) -> Action {
        let (rows, words) = self.shape();
        vec![self.glu_of(rows, words).into()]
    }

    fn glu_of(&mut self, rows: u64, words: u64) -> Glu {
        let [gate, up, to] = self.binary(rows, words);
        let product = self.bits(gate, rows, words) + self.bits(up, rows, words);
        let function = self.draw.pick(&GateFunction::ALL);
        Glu { rows, words, gate, up, to, function, shift: self.shift(product), amax: true }
    }

    fn rope(&mut self) -> Action {
        let head_words = self.draw.pick(&[2, 4]);
        let rows = self.draw.pick(&[1, 1, 2, 4]);
        let words = head_words * self.draw.within(1..=3) as u64;
        vec![self.rope_of(rows, words, head_words).into()]
    }

    fn rope_of(&mut self, rows: u64, words: u64, head_words: u64) -> Rope {
        let operand = |field, at, length| Extent { field, at, rows, length };
        let [from, table, to] = self.until(|maker| {
            let from = maker.scratch.rows(&mut maker.draw, rows, words);
            let factors = if maker.draw.one_in(4) { maker.scratch } else { maker.tables() };
            let table = factors.read_rows(&mut maker.draw, rows, head_words / 2);
            let read = [operand("from", from, words), operand("table", table, head_words / 2)];
            let to = maker.result(rows, words, &read)?;
            Some([from, table, to])
        });
        Rope { rows, words, from, table, to, head_words, amax: true }
    }

    fn quant(&mut self) -> Action {
        if self.draw.one_in(2) { self.fixed_quant() } else { self.dynamic_quant() }
    }

    /// Codes by a constant, to the code memory or the scratchpad.
    fn fixed_quant(&mut self) -> Action {
        let (rows, groups) = (self.draw.pick(&[1, 1, 2, 3]), self.draw.within(1..=4) as u64);
        let segment_groups = if groups.is_multiple_of(2) { self.draw.pick(&[1, 2]) } else { groups };
        let to_scratchpad = !self.draw.one_in(4);
        let [from, to] = self.until(|maker| {
            let from = maker.scratch.rows(&mut maker.draw, rows, 4 * groups);
            let operand = Extent { field: "from", at: from, rows, length: 4 * groups };
            let to = match to_scratchpad {
                true => maker.result(rows, groups, &[operand])?,
                false => maker.codes.rows(&mut maker.draw, rows, groups),
            };
            Some([from, to])
        });
        let kept = self.draw.within(2..=8) as u64;
        let quant = Quant {
            rows,
            segments: groups / segment_groups,
            segment_words: 4 * segment_groups,
            from,
            to,
            to_scratchpad,
            fixed: true,
            multiplier: self.draw.within(32768..=65535) as u64,
            shift: (self.bits(from, rows, 4 * groups) + 16).saturating_sub(kept).min(63),
            ..Quant::default()
        };
        vec![quant.into()]
    }

    /// Codes by recorded magnitudes: mostly those of the operation before, sometimes older ones.
    fn dynamic_quant(&mut self) -> Action {
        let rows = self.draw.pick(&[1, 1, 2, 4]);
        let groups = self.draw.pick(&[1, 2, 3, 4, 6]).min(8 / rows);
        let words = 4 * groups;
        let (record, from): (Operation, Rows) = match self.draw.below(4) {
            0 => {
                let glu = self.glu_of(rows, words);
                (glu.into(), glu.to)
            }
            1 => {
                let rope = self.rope_of(rows, words, 4);
                (rope.into(), rope.to)
            }
            2 => {
                let mul = self.mul_of(rows, words, true);
                (mul.into(), mul.to)
            }
            _ => (self.mul_of(rows, words, true).into(), self.scratch.rows(&mut self.draw, rows, words)),
        };
        let segments = if groups.is_multiple_of(2) { self.draw.pick(&[1, 2, groups]) } else { 1 };
        let segments = if rows * segments <= self.scales.entries { segments } else { 1 };
        let to = self.codes.rows(&mut self.draw, rows, groups);
        let scales = self.scales.rows(&mut self.draw, rows, segments);
        let factor = self.draw.scale(-40..=-10);
        let quant = Quant {
            rows,
            segments,
            segment_words: words / segments,
            from,
            to,
            norm: self.draw.below(2) == 1,
            epsilon: self.draw.unsigned(40) as u64,
            factor_mantissa: u64::from(factor.mantissa),
            factor_exponent: i64::from(factor.exponent),
            scales,
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
    fn binary(&mut self, rows: u64, words: u64) -> [Rows; 3] {
        let operand = |field, at| Extent { field, at, rows, length: words };
        self.until(|maker| {
            let left = maker.scratch.rows(&mut maker.draw, rows, words);
            let right = maker.scratch.read_rows(&mut maker.draw, rows, words);
            let to = maker.result(rows, words, &[operand("left", left), operand("right", right)])?;
            Some([left, right, to])
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
    fn result(&mut self, rows: u64, words: u64, operands: &[Extent]) -> Option<Rows> {
        for attempt in 0..20 {
            let place = match operands.first().filter(|_| attempt == 0 && self.draw.one_in(3)) {
                Some(operand) => operand.at,
                None => self.scratch.rows(&mut self.draw, rows, words),
            };
            let to = Extent { field: "to", at: place, rows, length: words };
            let legal = to.distinct("to_stride").is_ok() && operands.iter().all(|o| to.may_follow(o).is_ok());
            if legal {
                return Some(place);
            }
        }
        None
    }

    /// Bits of a typical element of some rows: the median of a few.
    fn bits(&mut self, place: Rows, rows: u64, words: u64) -> u64 {
        let mut found: [u64; 7] = std::array::from_fn(|_| {
            let word = place.row(self.draw.below(rows)) + self.draw.below(words);
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
