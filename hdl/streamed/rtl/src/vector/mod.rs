//! Vector unit: `Mul`, `Add`, `Rope`, `Glu` and `Quant` on 16 lanes of 32 bits, one word a cycle; or on 8 or 4 lanes,
//! one part of a word a cycle.
//! Golden twins: `golden::machine::vector`, `golden::machine::quant`. Contract: docs/units/vector.md.
//!
//! A descriptor is held and decoded while the one before it runs; it starts in the cycle of that one's `done`.
//! Its constants stay until its last write, so only a short tag travels with each word.

mod amax;
mod constants;
mod datapath;
mod issue;
mod lane;
mod operation;
mod pipeline;
mod rounding;
mod scale;
mod scan;
mod segments;
mod shape;
mod squares;
mod tag;
#[cfg(test)]
mod tests;

use crate::interface::{ScaleWrite, StepRead, UnitPort, unit_port};
use constants::Constants;
use issue::{Fields, Kept};
use operation::Operation;
use pipeline::Pipeline;
use sagen_lang::{Bundle, Design, Instance, Module, ModuleId, Output, Reg, Signal, bit, connect};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::VectorOpcode;
use segments::Segment;
use shape::Shape;

/// The children of the unit.
struct Children {
    shape: Shape,
    issue: ModuleId,
    lane: ModuleId,
    amax: ModuleId,
    squares: ModuleId,
    segments: ModuleId,
    scale: ModuleId,
}

/// The vector unit. The overlay gives the lanes and the depth; table sizes are part of the instruction set.
pub fn vector_unit(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let shape = Shape::new(overlay);
    let children = Children {
        shape,
        issue: issue::vector_issue(d, shape),
        lane: lane::vector_lane(d, shape),
        amax: amax::vector_amax(d, shape),
        squares: squares::vector_squares(d, shape),
        segments: segments::vector_segments(d),
        scale: scale::vector_scale(d, shape),
    };
    d.module(shape.by_both("vector_unit"), |m| {
        m.doc("Vector unit: lanes of 32 bits, scratchpad to scratchpad or to codes and scales.");
        let front = Front::new(m, shape);
        let constants = Constants::new(m, front.go.q(), &front.op);
        let issue = front.walk(m, children.issue);
        let pipeline = Pipeline::new(m, &children, &issue, &constants);
        let (segments, scale) = front.quantiser(m, &children, &constants);
        pipeline.connect(m, &issue, &segments, &scale);
        front.finish(m, constants.dynamic, pipeline.last_word(), scale.output("last"));
    })
}

/// The descriptor that waits or starts, and the one that runs.
struct Front {
    shape: Shape,
    unit: UnitPort<Signal, Output>,
    op: Operation,
    go: sagen_lang::Wire,
    a: Signal,
    waiting: Reg,
    decoded: Signal,
    running: Reg,
}

impl Front {
    fn new(m: &Module, shape: Shape) -> Self {
        let unit = unit_port(m);
        let (desc, desc_valid) = (unit.desc, unit.valid);
        let (waiting, running) = (m.reg("waiting", bit()).reset(0), m.reg("running", bit()).reset(0));
        let go = m.wire("go", bit());
        let ready = m.net("ready", if shape.depth.is_deep() { !waiting } else { !waiting | go });
        let accept = m.net("accept", desc_valid & ready);
        m.when(go, || m.set(waiting, m.lit(bit(), 0)));
        m.when(accept, || m.set(waiting, m.lit(bit(), 1)));
        let op = Operation::new(m.reg_en("held", accept, desc.trunc(operation::used_bits())));
        let step = m.master("step_", StepRead::layout());
        step.index.drive(Operation::new(desc).a_reg());
        let offset = step.value.trunc(16);
        let offset = m.reg_en("offset", accept, offset);
        unit.ready.drive(ready);
        let (a, decoded) = if shape.depth.is_deep() {
            address_in_steps(m, accept, go.q(), offset.q(), &op)
        } else {
            (op.a() + offset.mul(op.a_stride()).trunc(16), waiting.q())
        };
        Self { shape, unit, op, go, a, waiting, decoded, running }
    }

    fn walk(&self, m: &Module, issue: ModuleId) -> Instance {
        let (u, op) = (m.instance("u_issue", issue), &self.op);
        u.input("load", self.go);
        let (rows, segments, words, a_stride) = (op.rows(), op.segments(), op.words(), op.a_stride());
        let (b, b_stride, d, d_stride) = (op.b(), op.b_stride(), op.d(), op.d_stride());
        let kept = Kept {
            segments,
            words,
            a_stride,
            b_stride,
            d_stride,
            head_words: op.head_words(),
            pairs: op.is(VectorOpcode::Rope) | op.b_half(),
            rope: op.is(VectorOpcode::Rope),
            quant: op.is(VectorOpcode::Quant),
            dynamic: op.dynamic(),
            reads_a: op.reads_a(),
            reads_b: op.reads_b(),
        };
        Fields { rows, a: self.a, b, d, kept }.to_inputs(u, "");
        u
    }

    /// Segments and scales, which start together with the walk.
    fn quantiser(&self, m: &Module, children: &Children, constants: &Constants) -> (Instance, Instance) {
        let (segments, scale) = (m.instance("u_segments", children.segments), m.instance("u_scale", children.scale));
        let op = &self.op;
        for u in [segments, scale] {
            u.input("load", self.go & op.dynamic());
            u.input("rows", op.rows());
            u.input("segments", op.segments());
        }
        segments.input("groups", op.words().slice(2, 8));
        scale.input("scale", op.scale());
        scale.input("norm", op.norm());
        constants.scale(scale);
        connect(&segments.master::<Segment>("scale_"), &scale.slave("segment_"));
        m.pass_master("f_", &scale.master::<ScaleWrite>("f_"));
        (segments, scale)
    }

    /// A descriptor is done with its last word and, if it has scales, its last scale.
    fn finish(&self, m: &Module, dynamic: Signal, last_word: Signal, last_scale: Signal) {
        let [words, scales] = ["words_done", "scales_done"].map(|n| m.reg(n, bit()).reset(0));
        let finish = m.net("finish", (last_word | words) & (!dynamic | last_scale | scales));
        m.when(last_word, || m.set(words, m.lit(bit(), 1)));
        m.when(last_scale, || m.set(scales, m.lit(bit(), 1)));
        m.when(finish, || {
            for flag in [words, scales, self.running] {
                m.set(flag, m.lit(bit(), 0));
            }
        });
        self.go.drive(self.waiting & self.decoded & (!self.running | finish));
        m.when(self.go, || m.set(self.running, m.lit(bit(), 1)));
        let busy = self.waiting | self.running;
        if self.shape.depth.is_deep() {
            let done = m.reg("done_q", bit()).reset(0);
            m.set(done, finish);
            self.unit.done.drive(done);
            m.output("busy", busy | done);
        } else {
            self.unit.done.drive(finish);
            m.output("busy", busy);
        }
    }
}

/// Where operand a begins, by three registers, and whether that is known.
fn address_in_steps(m: &Module, accept: Signal, go: Signal, offset: Signal, op: &Operation) -> (Signal, Signal) {
    let follow = |name: &str, before: Signal| {
        let next = m.reg(name, bit()).reset(0);
        m.set(next, before);
        next.q()
    };
    let one = follow("decode1", accept);
    let two = follow("decode2", one);
    let three = follow("decode3", two);
    let stride = m.reg_en("offset_stride", one, op.a_stride());
    let product = m.reg_en("offset_product", two, offset.mul(stride));
    let a = m.reg_en("a_base", three, op.a() + product.trunc(16));
    let decoded = m.reg("decoded", bit()).reset(0);
    m.when(go, || m.set(decoded, m.lit(bit(), 0)));
    m.when(three, || m.set(decoded, m.lit(bit(), 1)));
    (a.q(), decoded.q())
}
