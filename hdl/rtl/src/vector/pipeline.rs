//! The words of a descriptor on their way from read to write: tags, lanes, results.
//!
//! Cycle 0 issues the reads, cycle `s` selects operands, s + 1 multiplies, s + 2 adds and shifts, s + 3 rounds,
//! s + 4 writes. `s` is 2; 3 for `Rope`, which waits for the second word of a pair; 6 for `Glu`, whose gate takes
//! four cycles. Port b is read two cycles before `s`.

use super::Children;
use super::operation::Operation;
use super::tag::{TAG_BITS, Tag};
use sagen_isa::LANES;
use sagen_lang::{Instance, Module, Signal, bit, cat, lit, pack, unsigned};

const WORD: u32 = 512;
const LANE: u32 = 32;
const GLU_SELECT: usize = 6;
const ROPE_SELECT: usize = 3;
const SELECT: usize = 2;

/// What stays while a descriptor runs.
pub(super) struct Constants {
    add: Signal,
    rope: Signal,
    glu: Signal,
    quant: Signal,
    pub(super) dynamic: Signal,
    gelu: Signal,
    a_immediate: Signal,
    b_immediate: Signal,
    b_half: Signal,
    amax: Signal,
    squares: Signal,
    to_scratchpad: Signal,
    to_codes: Signal,
    exact: Signal,
    /// One less than the shift, zero where `exact`.
    shift: Signal,
    immediate: Signal,
    multiplier: Signal,
    epsilon: Signal,
    factor_mantissa: Signal,
    factor_exponent: Signal,
    scale_stride: Signal,
}

impl Constants {
    pub(super) fn new(m: &Module, go: Signal, op: &Operation) -> Self {
        let hold = |name: &str, value: Signal| m.reg_en(name, go, value).q();
        let exact = m.net("shift_is_zero", op.shift().is_zero() & !op.dynamic());
        Self {
            add: hold("op_add", op.add),
            rope: hold("op_rope", op.rope),
            glu: hold("op_glu", op.glu),
            quant: hold("op_quant", op.quant),
            dynamic: hold("op_dynamic", op.dynamic()),
            gelu: hold("op_gelu", op.gelu()),
            a_immediate: hold("op_a_immediate", op.a_immediate()),
            b_immediate: hold("op_b_immediate", op.b_immediate()),
            b_half: hold("op_b_half", op.b_half()),
            amax: hold("op_amax", op.amax()),
            squares: hold("op_squares", op.squares()),
            to_scratchpad: hold("op_to_scratchpad", op.writes_scratchpad()),
            to_codes: hold("op_to_codes", op.writes_codes()),
            exact: hold("op_exact", exact),
            shift: hold("op_shift", exact.mux(lit(6, 0), op.shift().sub_lit(1))),
            immediate: hold("op_immediate", op.immediate()),
            multiplier: hold("op_multiplier", op.multiplier()),
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
}

/// A word in one stage.
#[derive(Clone, Copy)]
struct Stage {
    valid: Signal,
    bus: Signal,
}

impl Stage {
    fn tag(self) -> Tag {
        Tag::unpack(self.bus)
    }

    fn next(self, m: &Module, name: &str) -> Self {
        let valid = m.reg(&format!("{name}_valid"), bit()).reset(0);
        m.set(valid, self.valid);
        Self { valid: valid.q(), bus: m.reg_en(name, self.valid, self.bus).q() }
    }
}

pub(super) struct Pipeline<'a> {
    constants: &'a Constants,
    lanes: Vec<Instance>,
    amax: Instance,
    squares: Instance,
    /// Cycle 0 to the latest select.
    reading: Vec<Stage>,
    select: Stage,
    product: Stage,
    sum: Stage,
    round: Stage,
    write: Stage,
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(m: &Module, children: &Children, issue: &Instance, constants: &'a Constants) -> Self {
        let mut reading = vec![Stage { valid: issue.output("valid"), bus: issue.output("tag") }];
        debug_assert_eq!(reading[0].bus.width(), TAG_BITS);
        for i in 1..=GLU_SELECT {
            reading.push(reading[i - 1].next(m, &format!("read{i}")));
        }
        let pick = |of: &dyn Fn(Stage) -> Signal| {
            let [glu, rope, other] = [GLU_SELECT, ROPE_SELECT, SELECT].map(|i| of(reading[i]));
            constants.glu.mux(glu, constants.rope.mux(rope, other))
        };
        let select =
            Stage { valid: m.net("select_valid", pick(&|s| s.valid)), bus: m.net("select_tag", pick(&|s| s.bus)) };
        let product = select.next(m, "product");
        let sum = product.next(m, "sum");
        let round = sum.next(m, "round");
        let lanes = (0..LANES).map(|i| m.instance(&format!("u_lane{i}"), children.lane)).collect();
        let (amax, squares) = (m.instance("u_amax", children.amax), m.instance("u_squares", children.squares));
        Self { constants, lanes, amax, squares, reading, select, product, sum, round, write: round.next(m, "write") }
    }

    /// High with the last write of the descriptor.
    pub(super) fn last_word(&self) -> Signal {
        self.write.valid & self.write.tag().last
    }

    pub(super) fn connect(&self, m: &Module, issue: &Instance, segments: &Instance, scale: &Instance) {
        issue.input("segment_ready", segments.output("code_ready"));
        segments.input("code_take", issue.output("take"));
        let pop = self.select.valid & self.constants.dynamic & self.select.tag().segment_last;
        segments.input("code_pop", pop);
        self.reads(m, issue);
        let shift = self.shift(m, segments);
        self.lane_controls(&shift);
        self.lane_data(m, segments);
        let word = self.result(m);
        self.writes(m, word, shift.group);
        self.reductions(word, segments, scale);
    }

    /// Port a at once, port b two cycles before the operands are selected.
    fn reads(&self, m: &Module, issue: &Instance) {
        m.output("a_en", issue.output("a_en"));
        m.output("a_addr", issue.output("a_addr"));
        let mut b = vec![Stage { valid: issue.output("b_en"), bus: issue.output("b_addr") }];
        for i in 1..=GLU_SELECT - SELECT {
            b.push(b[i - 1].next(m, &format!("b_delay{i}")));
        }
        let [glu, rope] = [GLU_SELECT, ROPE_SELECT].map(|s| b[s - SELECT]);
        let pick = |g: Signal, r: Signal, o: Signal| self.constants.glu.mux(g, self.constants.rope.mux(r, o));
        m.output("b_en", pick(glu.valid, rope.valid, b[0].valid));
        m.output("b_addr", pick(glu.bus, rope.bus, b[0].bus));
    }

    /// Shift amounts for the sum and round stages, and the group shift for the write.
    fn shift(&self, m: &Module, segments: &Instance) -> Shift {
        let c = self.constants;
        let group = group_shift(self.amax.output("group_data"), segments.output("code_amax"));
        let selects = m.net("selects_codes", self.select.valid & c.dynamic);
        let group1 = m.reg_en("group_shift1", selects, group);
        let code_shift = m.reg_en("code_shift1", selects, segments.output("code_shift"));
        let amount = c.dynamic.mux(code_shift.sub(group1.extend(6)), c.shift);
        let amount2 = m.reg_en("amount2", self.product.valid, amount).q();
        let fine = m.reg_en("fine3", self.sum.valid, amount2.slice(0, 2)).q();
        let steps = [("group_shift2", self.product), ("group_shift3", self.sum), ("group_shift4", self.round)];
        let group = steps.iter().fold(group1.q(), |k, (name, stage)| m.reg_en(name, stage.valid & c.dynamic, k).q());
        Shift { coarse: amount2.slice(2, 4), fine, group: c.dynamic.mux(group, lit(2, 0)) }
    }

    fn lane_controls(&self, shift: &Shift) {
        let c = self.constants;
        let gate = |stage: usize| self.reading[stage].valid & c.glu;
        let first = self.reading[SELECT];
        let controls = [
            ("add", c.add),
            ("rope", c.rope),
            ("glu", c.glu),
            ("quant", c.quant),
            ("gelu", c.gelu),
            ("a_immediate", c.a_immediate),
            ("b_immediate", c.b_immediate),
            ("b_half", c.b_half),
            ("squares", c.squares),
            ("exact", c.exact),
            ("odd", self.select.tag().odd()),
            ("keep", first.valid & c.rope & !first.tag().odd()),
            ("select", self.select.valid),
            ("gate_find", gate(SELECT)),
            ("gate_read", gate(SELECT + 1)),
            ("gate_select", gate(SELECT + 2)),
            ("product1", c.glu.mux(self.reading[SELECT + 3].valid, self.product.valid)),
            ("product2", self.product.valid & (c.add | c.rope | c.glu | c.squares)),
            ("sum", self.sum.valid),
            ("coarse", shift.coarse),
            ("fine", shift.fine),
        ];
        for lane in &self.lanes {
            controls.iter().for_each(|(name, value)| lane.input(name, *value));
        }
    }

    fn lane_data(&self, m: &Module, segments: &Instance) {
        let [a, b] = ["a_data", "b_data"].map(|n| m.input(n, unsigned(WORD)));
        let (a, b, halves) = (a.lanes(LANE), b.lanes(LANE), b.lanes(LANE / 2));
        let multiplier = self.constants.dynamic.mux(segments.output("code_multiplier"), self.constants.multiplier);
        for (i, lane) in self.lanes.iter().enumerate() {
            lane.input("a", a[i].as_signed());
            lane.input("b", b[i].as_signed());
            lane.input("low", halves[i].as_signed());
            lane.input("high", halves[LANES + i].as_signed());
            lane.input("immediate", self.constants.immediate.as_signed());
            lane.input("multiplier", multiplier);
        }
    }

    /// The word to be written: 16 values, or 16 codes four times over.
    fn result(&self, m: &Module) -> Signal {
        let word = m.reg("result", unsigned(WORD));
        let values: Vec<Signal> = self.lanes.iter().map(|l| l.output("value").as_unsigned()).collect();
        let codes: Vec<Signal> = self.lanes.iter().map(|l| l.output("code")).collect();
        m.when(self.round.valid, || {
            m.when(self.constants.quant, || m.set(word, pack(&codes).repeat(4)))
                .otherwise(|| m.set(word, pack(&values)));
        });
        word.q()
    }

    fn writes(&self, m: &Module, word: Signal, group_shift: Signal) {
        let (c, tag) = (self.constants, self.write.tag());
        let quarter = lit(4, 1).shl_dyn(tag.quarter);
        let bytes: Vec<Signal> = (0..4).map(|i| quarter.bit(i).repeat(16)).collect();
        m.output("w_valid", self.write.valid & c.to_scratchpad);
        m.output("w_addr", tag.d);
        m.output("w_data", word);
        m.output("w_mask", c.quant.mux(pack(&bytes), m.lit(unsigned(64), u64::MAX)));
        m.output("c_valid", self.write.valid & c.to_codes);
        m.output("c_addr", tag.d);
        m.output("c_data", word);
        m.output("c_mask", quarter);
        m.output("c_shift", group_shift);
    }

    fn reductions(&self, word: Signal, segments: &Instance, scale: &Instance) {
        let (c, amax, squares) = (self.constants, self.amax, self.squares);
        let tag = self.write.tag();
        amax.input("valid", self.write.valid & c.amax);
        amax.input("word", word);
        amax.input("group_first", tag.group_first);
        amax.input("group_last", tag.group_last);
        amax.input("row", tag.row);
        amax.input("group", tag.group);
        amax.input("scan_en", segments.output("scan_en"));
        amax.input("scan_addr", segments.output("scan_addr"));
        segments.input("scan_data", amax.output("scan_data"));
        segments.input("hold", amax.output("busy"));
        // One cycle before the group's first word is selected.
        let before = self.reading[SELECT - 1];
        amax.input("group_en", before.valid & c.dynamic & before.tag().group_first);
        amax.input("group_addr", cat(&[before.tag().row, before.tag().group]));
        let tag = self.sum.tag();
        squares.input("valid", self.sum.valid & c.squares);
        let all: Vec<Signal> = self.lanes.iter().map(|l| l.output("square")).collect();
        squares.input("squares", pack(&all));
        squares.input("row_first", tag.row_first);
        squares.input("row_last", tag.row_last);
        squares.input("row", tag.row);
        squares.input("read_row", scale.output("read_row"));
        scale.input("row_sum", squares.output("row_sum"));
    }
}

struct Shift {
    coarse: Signal,
    fine: Signal,
    group: Signal,
}

/// The greatest k in 0..=3 with `group << k <= amax`. Golden twin: `Quantiser::group_shift`.
fn group_shift(group: Signal, amax: Signal) -> Signal {
    let fits = |k: u32| group.extend(35).shl(k).le(amax.extend(35));
    let level = |k: u64| lit(2, k);
    fits(3).mux(level(3), fits(2).mux(level(2), fits(1).mux(level(1), level(0))))
}
