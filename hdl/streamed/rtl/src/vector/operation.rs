//! The fields of this unit's descriptor types on one set of names, zero where a type has no such field.

use crate::fields::Decode;
use sagen_arith::contract::ROPE_FRACTION;
use sagen_lang::{Signal, lit};
use sagen_streamed_isa::{Add, Field, Glu, Mul, Quant, Rope, Rows, VectorOpcode};

/// Where an operation keeps what all of them have, and some have.
struct Places {
    rows: Field,
    /// Words of a row, where rows have no segments.
    words: Option<Field>,
    a: Rows<Field>,
    b: Option<Rows<Field>>,
    d: Rows<Field>,
    shift: Shift,
    amax: Option<Field>,
    writes: Writes,
}

/// Right shift of a product.
enum Shift {
    By(Field),
    Always(u32),
    Never,
}

/// When results go to the scratchpad.
enum Writes {
    If(Field),
    Always,
}

impl Places {
    fn of(operation: VectorOpcode) -> Self {
        match operation {
            VectorOpcode::Mul => {
                let f = Mul::FIELDS;
                let (words, b, amax) = (Some(f.words), Some(f.right), Some(f.amax));
                let (shift, writes) = (Shift::By(f.shift), Writes::If(f.write));
                Self { rows: f.rows, words, a: f.left, b, d: f.to, shift, amax, writes }
            }
            VectorOpcode::Add => {
                let f = Add::FIELDS;
                let (words, b) = (Some(f.words), Some(f.right));
                let (shift, writes) = (Shift::Never, Writes::Always);
                Self { rows: f.rows, words, a: f.left, b, d: f.to, shift, amax: None, writes }
            }
            VectorOpcode::Rope => {
                let f = Rope::FIELDS;
                let (words, b, amax) = (Some(f.words), Some(f.table), Some(f.amax));
                let (shift, writes) = (Shift::Always(ROPE_FRACTION), Writes::Always);
                Self { rows: f.rows, words, a: f.from, b, d: f.to, shift, amax, writes }
            }
            VectorOpcode::Glu => {
                let f = Glu::FIELDS;
                let (words, b, amax) = (Some(f.words), Some(f.up), Some(f.amax));
                let (shift, writes) = (Shift::By(f.shift), Writes::Always);
                Self { rows: f.rows, words, a: f.gate, b, d: f.to, shift, amax, writes }
            }
            VectorOpcode::Quant => {
                let f = Quant::FIELDS;
                let (shift, writes) = (Shift::By(f.shift), Writes::If(f.to_scratchpad));
                Self { rows: f.rows, words: None, a: f.from, b: None, d: f.to, shift, amax: None, writes }
            }
        }
    }
}

/// Low bits of a descriptor that any of them uses.
pub(super) fn used_bits() -> u32 {
    let last = VectorOpcode::ALL.iter().filter_map(|o| o.opcode().layout().fields.last());
    last.map(|f| f.lo + f.width).max().expect("every type has fields")
}

/// A decoded descriptor.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    desc: Signal,
    /// By opcode.
    is: [Signal; VectorOpcode::ALL.len()],
}

impl Operation {
    /// Decode the low `used_bits` of a descriptor.
    #[track_caller]
    pub(super) fn new(desc: impl Into<Signal>) -> Self {
        let desc = desc.into();
        Self { desc, is: std::array::from_fn(|i| desc.is(VectorOpcode::ALL[i].opcode())) }
    }

    /// High while it is this operation.
    pub(super) fn is(&self, operation: VectorOpcode) -> Signal {
        self.is[operation as usize]
    }

    /// High while it is one of those.
    pub(super) fn any(&self, of: impl Fn(VectorOpcode) -> bool) -> Signal {
        let those = VectorOpcode::ALL.iter().filter(|operation| of(**operation));
        those.map(|operation| self.is(*operation)).reduce(|a, b| a | b).expect("some operation is meant")
    }

    /// The field of the operation at hand, zero where it has none.
    #[track_caller]
    fn pick(&self, width: u32, field: impl Fn(&Places) -> Option<Field>) -> Signal {
        VectorOpcode::ALL.iter().rev().fold(lit(width, 0), |other, operation| match field(&Places::of(*operation)) {
            Some(field) => self.is(*operation).mux(self.desc.get(field).as_unsigned().extend(width), other),
            None => other,
        })
    }

    /// A field that only one operation has, zero elsewhere.
    #[track_caller]
    fn only(&self, operation: VectorOpcode, field: Field) -> Signal {
        let zero = lit(field.width, 0);
        self.is(operation).mux(self.desc.get(field).as_unsigned(), zero)
    }

    #[track_caller]
    fn quant(&self, field: Field) -> Signal {
        self.desc.get(field)
    }

    pub(super) fn rows(&self) -> Signal {
        self.pick(5, |p| Some(p.rows))
    }
    /// One where there are none.
    pub(super) fn segments(&self) -> Signal {
        self.is(VectorOpcode::Quant).mux(self.quant(Quant::FIELDS.segments), lit(8, 1))
    }
    /// Of a segment.
    pub(super) fn words(&self) -> Signal {
        self.is(VectorOpcode::Quant).mux(self.quant(Quant::FIELDS.segment_words).extend(12), self.pick(12, |p| p.words))
    }
    pub(super) fn a(&self) -> Signal {
        self.pick(16, |p| Some(p.a.base))
    }
    pub(super) fn a_stride(&self) -> Signal {
        self.pick(16, |p| Some(p.a.stride))
    }
    pub(super) fn b(&self) -> Signal {
        self.pick(16, |p| Some(p.b?.base))
    }
    pub(super) fn b_stride(&self) -> Signal {
        self.pick(16, |p| Some(p.b?.stride))
    }
    pub(super) fn d(&self) -> Signal {
        self.pick(16, |p| Some(p.d.base))
    }
    pub(super) fn d_stride(&self) -> Signal {
        self.pick(16, |p| Some(p.d.stride))
    }
    pub(super) fn head_words(&self) -> Signal {
        self.only(VectorOpcode::Rope, Rope::FIELDS.head_words)
    }
    pub(super) fn a_reg(&self) -> Signal {
        self.only(VectorOpcode::Mul, Mul::FIELDS.left_register)
    }
    pub(super) fn a_immediate(&self) -> Signal {
        self.only(VectorOpcode::Mul, Mul::FIELDS.left_immediate)
    }
    pub(super) fn b_immediate(&self) -> Signal {
        self.only(VectorOpcode::Mul, Mul::FIELDS.right_immediate)
    }
    pub(super) fn b_half(&self) -> Signal {
        self.only(VectorOpcode::Mul, Mul::FIELDS.right_half)
    }
    pub(super) fn immediate(&self) -> Signal {
        self.desc.get(Mul::FIELDS.immediate).as_unsigned()
    }
    pub(super) fn reads_a(&self) -> Signal {
        !self.a_immediate()
    }
    pub(super) fn reads_b(&self) -> Signal {
        let unary = VectorOpcode::ALL.iter().filter(|o| Places::of(**o).b.is_none());
        let binary = unary.map(|o| !self.is(*o)).reduce(|a, b| a & b).expect("a quantisation has one operand");
        binary & !self.b_immediate()
    }
    /// Right shift of the product, where it is a constant.
    pub(super) fn shift(&self) -> Signal {
        let fields = self.pick(6, |p| match p.shift {
            Shift::By(field) => Some(field),
            Shift::Always(_) | Shift::Never => None,
        });
        VectorOpcode::ALL.iter().rev().fold(fields, |other, operation| match Places::of(*operation).shift {
            Shift::Always(by) => self.is(*operation).mux(lit(6, u64::from(by)), other),
            Shift::By(_) | Shift::Never => other,
        })
    }
    pub(super) fn gelu(&self) -> Signal {
        self.only(VectorOpcode::Glu, Glu::FIELDS.function)
    }
    pub(super) fn amax(&self) -> Signal {
        self.pick(1, |p| p.amax)
    }
    pub(super) fn squares(&self) -> Signal {
        self.only(VectorOpcode::Mul, Mul::FIELDS.sum_squares)
    }
    pub(super) fn writes_scratchpad(&self) -> Signal {
        let chosen = self.pick(1, |p| match p.writes {
            Writes::If(field) => Some(field),
            Writes::Always => None,
        });
        let always = VectorOpcode::ALL.iter().filter(|o| matches!(Places::of(**o).writes, Writes::Always));
        always.fold(chosen, |any, operation| any | self.is(*operation))
    }
    pub(super) fn writes_codes(&self) -> Signal {
        self.is(VectorOpcode::Quant) & !self.quant(Quant::FIELDS.to_scratchpad)
    }
    /// Quantise by the recorded magnitudes.
    pub(super) fn dynamic(&self) -> Signal {
        self.is(VectorOpcode::Quant) & !self.quant(Quant::FIELDS.fixed)
    }
    pub(super) fn multiplier(&self) -> Signal {
        self.quant(Quant::FIELDS.multiplier)
    }
    pub(super) fn norm(&self) -> Signal {
        self.quant(Quant::FIELDS.norm)
    }
    pub(super) fn epsilon(&self) -> Signal {
        self.quant(Quant::FIELDS.epsilon)
    }
    pub(super) fn factor_mantissa(&self) -> Signal {
        self.quant(Quant::FIELDS.factor_mantissa)
    }
    pub(super) fn factor_exponent(&self) -> Signal {
        self.quant(Quant::FIELDS.factor_exponent)
    }
    pub(super) fn scale(&self) -> Signal {
        self.quant(Quant::FIELDS.scales.base)
    }
    pub(super) fn scale_stride(&self) -> Signal {
        self.quant(Quant::FIELDS.scales.stride)
    }
}
