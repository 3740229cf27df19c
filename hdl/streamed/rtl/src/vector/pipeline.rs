//! The words of a descriptor on their way from read to write: tags, lanes, results. Where a word has several parts,
//! each goes this way by itself, and the last one meets the others at the write.
//!
//! Cycle 0 issues the reads, cycle `s` selects operands, s + 1 multiplies, s + 2 adds and shifts, s + 3 rounds,
//! s + 4 writes. `s` is 2; 3 for `Rope`, which waits for the second word of a pair; 6 for `Glu`, whose gate takes
//! four cycles. Port b is read two cycles before `s`. A deep unit has the further stages of [`Steps`], and issues
//! its reads from registers.

use super::Children;
use super::amax::AmaxRead;
use super::constants::Constants;
use super::lane::{Controls, DeepControls};
use super::shape::{ROPE_SELECT, SELECT, Shape, Steps};
use super::squares::RowSum;
use super::tag::Tag;
use crate::interface::{CodeWrite, ScratchRead, ScratchWrite, WORD};
use sagen_lang::{Bundle, Instance, Layout, Module, Output, Packed, Signal, Type, bit, cat, connect, lit, pack};

const LANE: u32 = 32;

/// A word in one stage.
#[derive(Clone, Copy)]
struct Stage {
    valid: Signal,
    bus: Packed<Tag<Type>>,
}

impl Stage {
    fn tag(self) -> Tag {
        self.bus.unpack()
    }

    fn next(self, m: &Module, name: &str) -> Self {
        let valid = m.reg(&format!("{name}_valid"), bit()).reset(0);
        m.set(valid, self.valid);
        Self { valid: valid.q(), bus: self.bus.reg_en(m, name, self.valid) }
    }
}

/// A read of the scratchpad.
#[derive(Clone, Copy)]
struct Read {
    enable: Signal,
    addr: Signal,
}

impl Read {
    fn next(self, m: &Module, name: &str) -> Self {
        let enable = m.reg(&format!("{name}_valid"), bit()).reset(0);
        m.set(enable, self.enable);
        Self { enable: enable.q(), addr: m.reg_en(name, self.enable, self.addr).q() }
    }
}

pub(super) struct Pipeline<'a> {
    shape: Shape,
    steps: Steps,
    constants: &'a Constants,
    lanes: Vec<Instance>,
    amax: Instance,
    squares: Instance,
    /// Read ports a and b.
    scratch: [ScratchRead<Output, Signal>; 2],
    /// Cycle 0 to the latest select.
    reading: Vec<Stage>,
    select: Stage,
    /// From the products to the write.
    after: Vec<Stage>,
}

impl<'a> Pipeline<'a> {
    pub(super) fn new(m: &Module, children: &Children, issue: &Instance, constants: &'a Constants) -> Self {
        let shape = children.shape;
        let first = Stage { valid: issue.output("valid"), bus: Tag::layout(shape).packed(issue.output("tag")) };
        let mut reading = vec![if shape.depth.is_deep() { first.next(m, "read0") } else { first }];
        for i in 1..=shape.glu_select() {
            reading.push(reading[i - 1].next(m, &format!("read{i}")));
        }
        let [glu, rope, other] = [shape.glu_select(), ROPE_SELECT, SELECT].map(|i| reading[i]);
        let valid = m.net("select_valid", constants.pick(glu.valid, rope.valid, other.valid));
        let bus = Packed::choose([glu.bus, rope.bus, other.bus], |[g, r, o]| constants.pick(g, r, o));
        let select = Stage { valid, bus: bus.net(m, "select_tag") };
        let steps = shape.steps();
        let mut after = vec![select.next(m, steps.names[0])];
        for (i, name) in steps.names.iter().enumerate().skip(1) {
            after.push(after[i - 1].next(m, name));
        }
        let lanes = (0..shape.lanes).map(|i| m.instance(&format!("u_lane{i}"), children.lane)).collect();
        let (amax, squares) = (m.instance("u_amax", children.amax), m.instance("u_squares", children.squares));
        let scratch = ["a_", "b_"].map(|port| m.master(port, ScratchRead::layout()));
        Self { shape, steps, constants, lanes, amax, squares, scratch, reading, select, after }
    }

    fn write(&self) -> Stage {
        self.after[self.steps.output + 1]
    }

    /// High with the last write of the descriptor.
    pub(super) fn last_word(&self) -> Signal {
        self.write().valid & self.write().tag().last
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
        let part = self.part();
        let word = self.word(m, part);
        self.writes(m, word, shift.group);
        let fresh = match self.shape.parts() {
            1 => word,
            _ => m.reg_en("fresh", self.after[self.steps.output].valid & self.constants.amax, part).q(),
        };
        self.reductions(fresh, segments, scale);
    }

    /// Port a at once, port b two cycles before the operands are selected.
    fn reads(&self, m: &Module, issue: &Instance) {
        let a = Read { enable: issue.output("a_en"), addr: issue.output("a_addr") };
        let mut b = vec![Read { enable: issue.output("b_en"), addr: issue.output("b_addr") }];
        for i in 1..=self.shape.glu_select() - SELECT {
            b.push(b[i - 1].next(m, &format!("b_delay{i}")));
        }
        let [glu, rope] = [self.shape.glu_select(), ROPE_SELECT].map(|s| b[s - SELECT]);
        let pick = |of: fn(Read) -> Signal| self.constants.pick(of(glu), of(rope), of(b[0]));
        let b = Read { enable: pick(|s| s.enable), addr: pick(|s| s.addr) };
        for (i, (name, port)) in [("a", a), ("b", b)].into_iter().enumerate() {
            let port = if self.shape.depth.is_deep() { port.next(m, &format!("{name}_port")) } else { port };
            let scratch = &self.scratch[i];
            scratch.en.drive(port.enable);
            scratch.addr.drive(port.addr);
        }
    }

    /// Shift amounts for the stages of the lanes, and the group shift for the write.
    fn shift(&self, m: &Module, segments: &Instance) -> Shift {
        let (c, steps) = (self.constants, &self.steps);
        let mut takes = m.net("selects_codes", self.select.valid & c.dynamic);
        let mut given = [self.amax.output("group_data"), segments.output("code_amax"), segments.output("code_shift")];
        // A deep unit compares one stage later.
        let from = usize::from(self.shape.depth.is_deep());
        if self.shape.depth.is_deep() {
            let names = ["group_amax", "segment_amax", "segment_shift"];
            given = [0, 1, 2].map(|i| m.reg_en(names[i], takes, given[i]).q());
            takes = m.net("compares_codes", self.after[0].valid & c.dynamic);
        }
        let [group, amax, code_shift] = given;
        let fits = m.reg_en("group_fits", takes, fits(group, amax)).q();
        let group = m.net("group_shift", fits.bit(2).mux(lit(2, 3), cat(&[fits.bit(1), fits.bit(0) & !fits.bit(1)])));
        let code_shift = m.reg_en("code_shift", takes, code_shift);
        let amount = c.dynamic.mux(code_shift.sub(group.extend(6)), c.shift);
        let amount = self.travel(m, "amount", from..steps.shift, None, amount);
        let fine = self.travel(m, "fine", steps.shift..steps.round, None, amount.slice(0, 2));
        let group = self.travel(m, "group", from..steps.output + 1, Some(c.dynamic), group);
        Shift { coarse: amount.slice(2, 4), fine, group: c.dynamic.mux(group, lit(2, 0)) }
    }

    /// A value that goes with its word through some of the later stages.
    fn travel(
        &self,
        m: &Module,
        name: &str,
        stages: std::ops::Range<usize>,
        only: Option<Signal>,
        value: Signal,
    ) -> Signal {
        stages.fold(value, |value, i| {
            let valid = self.after[i].valid;
            let enable = only.map_or(valid, |only| valid & only);
            m.reg_en(&format!("{name}{}", i + 1), enable, value).q()
        })
    }

    fn lane_controls(&self, shift: &Shift) {
        let (c, steps) = (self.constants, &self.steps);
        let odd = self.select.tag().odd();
        let select = self.select.valid;
        let gate = |stage: usize| self.reading[stage].valid & c.glu;
        // The second multiplier serves a later word than the first.
        let gate_select = self.shape.gate_select();
        let second =
            |gate_stage: usize, stage: Stage| c.glu.mux(self.reading[gate_stage].valid, stage.valid & c.second);
        let second_load = |other: Signal| c.glu.mux(self.reading[gate_select].valid, select & other);
        let first = self.reading[SELECT];
        let controls = Controls {
            x1_pick: c.x1_pick,
            x2_pick: c.x2_pick,
            y1_pick: odd.mux(c.y1_odd, c.y1_pick),
            y2_pick: odd.mux(c.y2_odd, c.y2_pick),
            x1_load: select & !(c.rope & odd),
            y1_load: select,
            x2_load: second_load(c.second & !(c.rope & odd)),
            y2_load: second_load(c.second),
            keep: first.valid & c.rope & !first.tag().odd(),
            gelu: c.gelu,
            gate_find: gate(SELECT),
            gate_read: gate(SELECT + 1),
            product1: self.after[0].valid,
            product2: second(gate_select + 1, self.after[0]),
            paired: c.paired,
            minus: c.rope & !self.after[steps.add].tag().odd(),
            shift: self.after[steps.shift].valid,
            coarse: shift.coarse,
            fine: shift.fine,
            quant: c.quant,
        };
        self.lanes.iter().for_each(|lane| controls.to_inputs(*lane, ""));
        if self.shape.depth.is_deep() {
            let controls = DeepControls {
                gate_fetch: gate(SELECT + 2),
                gate_multiply: gate(SELECT + 3),
                combine1: self.after[1].valid,
                combine2: second(gate_select + 2, self.after[1]),
                add: self.after[steps.add].valid,
                round: self.after[steps.round].valid,
            };
            self.lanes.iter().for_each(|lane| controls.to_inputs(*lane, ""));
        }
    }

    fn lane_data(&self, m: &Module, segments: &Instance) {
        let [a, b] = self.scratch.map(|port| port.data);
        let (a_part, b_part) = (self.reading[SELECT].tag().part, self.select.tag().part);
        let elements = |name: &str, word: Signal, part: Option<Signal>, width: u32| {
            let parts = word.lanes(width * self.shape.lanes as u32);
            part.map_or(parts[0], |part| m.net(name, part.select(&parts))).lanes(width)
        };
        let (a, full) = (elements("a_part", a, a_part, LANE), elements("b_part", b, b_part, LANE));
        let [low, high] = [("low_part", 0), ("high_part", WORD / 2)]
            .map(|(name, from)| elements(name, b.slice(from, WORD / 2), b_part, LANE / 2));
        let scalar = self.constants.scalar(segments.output("code_multiplier")).as_signed();
        let codes: Vec<Signal> = self.lanes.iter().map(|l| l.output("code")).collect();
        for (i, lane) in self.lanes.iter().enumerate() {
            lane.input("a", a[i].as_signed());
            lane.input("b", full[i].as_signed());
            lane.input("low", low[i].as_signed());
            lane.input("high", high[i].as_signed());
            lane.input("scalar", scalar);
            lane.input("codes", pack(&[0, 1, 2, 3].map(|j| codes[(4 * i + j) % self.lanes.len()])));
        }
    }

    /// What comes out of the lanes: values, or codes over and over.
    fn part(&self) -> Signal {
        let words: Vec<Signal> = self.lanes.iter().map(|l| l.output("word")).collect();
        pack(&words)
    }

    /// The word to be written: 16 values, or 16 codes four times over. It is put together from its parts.
    fn word(&self, m: &Module, part: Signal) -> Signal {
        let output = self.after[self.steps.output];
        let Some(number) = output.tag().part else { return m.reg_en("result", output.valid, part).q() };
        // The codes of a part fill one such piece in each quarter, its values four of them side by side.
        let pieces = part.lanes(8 * self.shape.lanes as u32);
        let hold = |i: usize| {
            let [code, value] = [i % self.shape.parts(), i / pieces.len()].map(|p| number.eq_lit(p as u64));
            let here = m.net(&format!("piece{i}_here"), output.valid & self.constants.quant.mux(code, value));
            m.reg_en(&format!("result{i}"), here, pieces[i % pieces.len()]).q()
        };
        let held: Vec<Signal> = (0..self.shape.parts() * pieces.len()).map(hold).collect();
        pack(&held)
    }

    fn writes(&self, m: &Module, word: Signal, group_shift: Signal) {
        let (c, tag, output) = (self.constants, self.write().tag(), self.after[self.steps.output]);
        let whole = match output.tag().part {
            None => output.valid,
            Some(part) => output.valid & (c.rope | part.reduce_and()),
        };
        let valid = |name: &str, to: Signal| {
            let valid = m.reg(name, bit()).reset(0);
            m.set(valid, whole & to);
            valid.q()
        };
        let write = m.master("w_", ScratchWrite::layout(false));
        let codes = m.master("c_", CodeWrite::layout());
        write.valid.drive(valid("word_valid", c.to_scratchpad));
        codes.valid.drive(valid("codes_valid", c.to_codes));
        let quarter = lit(4, 1).shl_dyn(tag.quarter);
        write.addr.drive(tag.d);
        write.data.drive(word);
        write.mask.drive(self.mask(quarter));
        codes.addr.drive(tag.d);
        codes.data.drive(word);
        codes.mask.drive(quarter);
        codes.shift.drive(group_shift);
    }

    /// A quarter for codes; the words of a rotated pair are written part by part, others whole.
    fn mask(&self, quarter: Signal) -> Signal {
        let c = self.constants;
        let bytes: Vec<Signal> = (0..4)
            .map(|i| {
                let part = self.write().tag().part.map(|p| p.eq_lit((i as usize * self.shape.parts() / 4) as u64));
                let here = part.map_or(lit(1, 1), |part| !c.rope | part);
                c.quant.mux(quarter.bit(i), here).repeat(16)
            })
            .collect();
        pack(&bytes)
    }

    fn reductions(&self, fresh: Signal, segments: &Instance, scale: &Instance) {
        let (c, amax, squares) = (self.constants, self.amax, self.squares);
        let (write, tag) = (self.write(), self.write().tag());
        amax.input("valid", write.valid & c.amax);
        amax.input("word", fresh);
        amax.input("group_first", tag.group_first);
        amax.input("group_last", tag.group_last);
        amax.input("row", tag.row);
        amax.input("group", tag.group);
        connect(&segments.master::<AmaxRead>("scan_"), &amax.slave("scan_"));
        segments.input("hold", amax.output("busy"));
        // One cycle before the group's first word is selected.
        let before = self.reading[SELECT - 1];
        let table = amax.slave::<AmaxRead>("group_").ports();
        table.en.drive(before.valid & c.dynamic & before.tag().group_first);
        table.addr.drive(cat(&[before.tag().row, before.tag().group]));
        let (add, tag) = (self.after[self.steps.add], self.after[self.steps.add].tag());
        squares.input("valid", add.valid & c.squares);
        let all: Vec<Signal> = self.lanes.iter().map(|l| l.output("square")).collect();
        squares.input("squares", pack(&all));
        squares.input("row_first", tag.row_first);
        squares.input("row_last", tag.row_last);
        squares.input("row", tag.row);
        connect(&scale.master::<RowSum>(""), &squares.slave(""));
    }
}

struct Shift {
    coarse: Signal,
    fine: Signal,
    group: Signal,
}

/// Bit k - 1: `group << k <= amax`, for k in 1..=3. The highest that holds is the group's shift, as in
/// `Quantiser::group_shift`.
fn fits(group: Signal, amax: Signal) -> Signal {
    pack(&[1, 2, 3].map(|k| group.extend(35).shl(k).le(amax.extend(35))))
}
