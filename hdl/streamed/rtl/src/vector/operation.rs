//! The fields of the five descriptor types on one set of names, zero where a type has no such field.

use crate::fields::{field, is, layout};
use sagen_lang::{Signal, lit};

/// The descriptor types of this unit.
const TYPES: [&str; 5] = ["Mul", "Add", "Rope", "Glu", "Quant"];

/// Low bits of a descriptor that any of them uses.
pub(super) fn used_bits() -> u32 {
    let last = TYPES.iter().filter_map(|t| layout(t).fields.last());
    last.map(|f| f.lo + f.width).max().expect("every type has fields")
}

/// A decoded descriptor.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    desc: Signal,
    pub(super) mul: Signal,
    pub(super) add: Signal,
    pub(super) rope: Signal,
    pub(super) glu: Signal,
    pub(super) quant: Signal,
}

impl Operation {
    /// Decode the low `used_bits` of a descriptor.
    #[track_caller]
    pub(super) fn new(desc: impl Into<Signal>) -> Self {
        let desc = desc.into();
        let [mul, add, rope, glu, quant] = TYPES.map(|t| is(desc, t));
        Self { desc, mul, add, rope, glu, quant }
    }

    /// The first listed field whose type matches, else zero.
    #[track_caller]
    fn pick(&self, width: u32, fields: &[(&str, &str)]) -> Signal {
        fields.iter().rev().fold(lit(width, 0), |other, (descriptor, name)| {
            let index = TYPES.iter().position(|t| t == descriptor).expect("one of this unit's types");
            let selected = [self.mul, self.add, self.rope, self.glu, self.quant][index];
            selected.mux(field(self.desc, descriptor, name).as_unsigned().extend(width), other)
        })
    }

    /// The field of all five types.
    #[track_caller]
    fn common(&self, width: u32, name: &str) -> Signal {
        self.pick(width, &TYPES.map(|t| (t, name)))
    }

    /// The field of the four elementwise types.
    #[track_caller]
    fn elementwise(&self, name: &str) -> Signal {
        self.pick(16, &["Mul", "Add", "Rope", "Glu"].map(|t| (t, name)))
    }

    pub(super) fn rows(&self) -> Signal {
        self.common(5, "rows")
    }
    /// One where there are none.
    pub(super) fn segments(&self) -> Signal {
        self.quant.mux(field(self.desc, "Quant", "segments"), lit(8, 1))
    }
    /// Of a segment.
    pub(super) fn words(&self) -> Signal {
        let row = ["Mul", "Add", "Rope", "Glu"].map(|t| (t, "words"));
        self.quant.mux(field(self.desc, "Quant", "segment_words").extend(12), self.pick(12, &row))
    }
    pub(super) fn a(&self) -> Signal {
        self.common(16, "a")
    }
    pub(super) fn a_stride(&self) -> Signal {
        self.common(16, "a_stride")
    }
    pub(super) fn b(&self) -> Signal {
        self.elementwise("b")
    }
    pub(super) fn b_stride(&self) -> Signal {
        self.elementwise("b_stride")
    }
    pub(super) fn d(&self) -> Signal {
        self.common(16, "d")
    }
    pub(super) fn d_stride(&self) -> Signal {
        self.common(16, "d_stride")
    }
    pub(super) fn head_words(&self) -> Signal {
        self.pick(8, &[("Rope", "head_words")])
    }
    pub(super) fn a_reg(&self) -> Signal {
        self.pick(5, &[("Mul", "a_reg")])
    }
    pub(super) fn a_immediate(&self) -> Signal {
        self.pick(1, &[("Mul", "a_immediate")])
    }
    pub(super) fn b_immediate(&self) -> Signal {
        self.pick(1, &[("Mul", "b_immediate")])
    }
    pub(super) fn b_half(&self) -> Signal {
        self.pick(1, &[("Mul", "b_half")])
    }
    pub(super) fn immediate(&self) -> Signal {
        field(self.desc, "Mul", "immediate").as_unsigned()
    }
    pub(super) fn reads_a(&self) -> Signal {
        !self.a_immediate()
    }
    pub(super) fn reads_b(&self) -> Signal {
        !self.quant & !self.b_immediate()
    }
    /// Right shift of the product, where it is a constant.
    pub(super) fn shift(&self) -> Signal {
        let fields = self.pick(6, &[("Mul", "shift"), ("Glu", "shift"), ("Quant", "shift")]);
        self.rope.mux(lit(6, 15), fields)
    }
    pub(super) fn gelu(&self) -> Signal {
        self.pick(1, &[("Glu", "function")])
    }
    pub(super) fn amax(&self) -> Signal {
        self.pick(1, &[("Mul", "amax"), ("Rope", "amax"), ("Glu", "amax")])
    }
    pub(super) fn squares(&self) -> Signal {
        self.pick(1, &[("Mul", "sum_squares")])
    }
    pub(super) fn writes_scratchpad(&self) -> Signal {
        let chosen = self.pick(1, &[("Mul", "write"), ("Quant", "to_scratchpad")]);
        chosen | self.add | self.rope | self.glu
    }
    pub(super) fn writes_codes(&self) -> Signal {
        self.quant & !field(self.desc, "Quant", "to_scratchpad")
    }
    /// Quantise by the recorded magnitudes.
    pub(super) fn dynamic(&self) -> Signal {
        self.quant & !field(self.desc, "Quant", "fixed")
    }
    pub(super) fn multiplier(&self) -> Signal {
        field(self.desc, "Quant", "multiplier")
    }
    pub(super) fn norm(&self) -> Signal {
        field(self.desc, "Quant", "norm")
    }
    pub(super) fn epsilon(&self) -> Signal {
        field(self.desc, "Quant", "epsilon")
    }
    pub(super) fn factor_mantissa(&self) -> Signal {
        field(self.desc, "Quant", "factor_mantissa")
    }
    pub(super) fn factor_exponent(&self) -> Signal {
        field(self.desc, "Quant", "factor_exponent")
    }
    pub(super) fn scale(&self) -> Signal {
        field(self.desc, "Quant", "scale")
    }
    pub(super) fn scale_stride(&self) -> Signal {
        field(self.desc, "Quant", "scale_stride")
    }
}
