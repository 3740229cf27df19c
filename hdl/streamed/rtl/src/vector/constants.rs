//! What stays while a descriptor runs.

use super::datapath::{Picks, paired, scalar};
use super::operation::Operation;
use sagen_lang::{Instance, Module, Signal, cat};
use sagen_streamed_isa::VectorOpcode;

pub(super) struct Constants {
    pub(super) rope: Signal,
    pub(super) glu: Signal,
    pub(super) quant: Signal,
    pub(super) dynamic: Signal,
    pub(super) gelu: Signal,
    pub(super) amax: Signal,
    pub(super) squares: Signal,
    pub(super) to_scratchpad: Signal,
    pub(super) to_codes: Signal,
    pub(super) shift: Signal,
    /// The result is a sum of two products.
    pub(super) paired: Signal,
    /// The second multiplier takes its operands with the first.
    pub(super) second: Signal,
    pub(super) x1_pick: Signal,
    pub(super) x2_pick: Signal,
    pub(super) y1_pick: Signal,
    pub(super) y2_pick: Signal,
    /// For odd words.
    pub(super) y1_odd: Signal,
    pub(super) y2_odd: Signal,
    scalar: Signal,
    epsilon: Signal,
    factor_mantissa: Signal,
    factor_exponent: Signal,
    scale_stride: Signal,
}

impl Constants {
    pub(super) fn new(m: &Module, go: Signal, op: &Operation) -> Self {
        let hold = |name: &str, value: Signal| m.reg_en(name, go, value).q();
        let picks = Picks::new(op);
        Self {
            rope: hold("op_rope", op.is(VectorOpcode::Rope)),
            glu: hold("op_glu", op.is(VectorOpcode::Glu)),
            quant: hold("op_quant", op.is(VectorOpcode::Quant)),
            dynamic: hold("op_dynamic", op.dynamic()),
            gelu: hold("op_gelu", op.gelu()),
            amax: hold("op_amax", op.amax()),
            squares: hold("op_squares", op.squares()),
            to_scratchpad: hold("op_to_scratchpad", op.writes_scratchpad()),
            to_codes: hold("op_to_codes", op.writes_codes()),
            shift: hold("op_shift", op.shift()),
            paired: hold("op_paired", paired(op)),
            second: hold("op_second", paired(op) | op.squares()),
            x1_pick: hold("op_x1_pick", picks.x1),
            x2_pick: hold("op_x2_pick", picks.x2),
            y1_pick: hold("op_y1_pick", picks.y1[0]),
            y2_pick: hold("op_y2_pick", picks.y2[0]),
            y1_odd: hold("op_y1_odd", picks.y1[1]),
            y2_odd: hold("op_y2_odd", picks.y2[1]),
            scalar: hold("op_scalar", scalar(op)),
            epsilon: hold("op_epsilon", op.epsilon()),
            factor_mantissa: hold("op_factor_mantissa", op.factor_mantissa()),
            factor_exponent: hold("op_factor_exponent", op.factor_exponent()),
            scale_stride: hold("op_scale_stride", op.scale_stride()),
        }
    }

    /// Those of the scale computation.
    pub(super) fn scale(&self, scale: Instance) {
        scale.input("epsilon", self.epsilon);
        scale.input("factor_mantissa", self.factor_mantissa);
        scale.input("factor_exponent", self.factor_exponent);
        scale.input("scale_stride", self.scale_stride);
    }

    /// By the operation that runs.
    pub(super) fn pick(&self, glu: Signal, rope: Signal, other: Signal) -> Signal {
        self.glu.mux(glu, self.rope.mux(rope, other))
    }

    /// The factor that all lanes share; a dynamic quantisation takes it from the segment.
    pub(super) fn scalar(&self, segment: Signal) -> Signal {
        cat(&[self.scalar.slice(16, 16), self.dynamic.mux(segment, self.scalar.slice(0, 16))])
    }
}
