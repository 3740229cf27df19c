//! GEMV engine: products of the beat stream with up to four resident vectors, one beat a cycle.
//! Contract and pipeline: `docs/units/compute.md`.

mod argmax;
mod feed;
mod pack;
mod plan;
mod row_scales;
mod scores;
mod sequencer;
mod vector;

use crate::interface::{
    Beats, CodeRead, ScaleRead, ScratchWrite, StepRead, StepWrite, UnitPort, data_first, unit_port,
};
use argmax::Argmax;
use feed::{Codes, Feed};
use pack::Pack;
use plan::Plan;
use row_scales::RowScales;
use sagen_blocks::Depth;
use sagen_blocks::requant::{self, BASE_BITS, Requant};
use sagen_blocks::sfu::recip::{self, Division};
use sagen_lang::{
    Bundle, Design, Instance, Layout, Module, ModuleId, Output, Packed, Signal, Sink, Type, bit, bundle, connect, high,
    low, pack,
};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::VECTORS;
use scores::Scores;
use sequencer::Sequence;
use vector::Multiply;

/// Packed words of each vector that may wait for the scratchpad.
const SLOTS: u32 = 16;
/// Bits of the mantissas, and of the bases, of all vectors.
const MANTISSAS: u32 = 16 * VECTORS as u32;
const BASES: u32 = BASE_BITS * VECTORS as u32;

bundle! {
    /// What accompanies a result through the requant lanes.
    struct Tag() {
        score: bit(),
        last: bit(),
        first: bit(),
        word_end: bit(),
    }
}

/// A result in one stage.
#[derive(Clone, Copy)]
struct Stage {
    valid: Signal,
    tag: Tag,
}

/// The units, by their ports.
struct Parts {
    feed: Instance,
    feed_to: Feed<Signal, Sink>,
    codes: Codes,
    sequence: Sequence<Sink, Signal>,
    vectors: Vec<Multiply<Sink, Signal>>,
    lanes: Vec<Requant<Sink, Signal>>,
    row_scales: RowScales<Sink, Signal>,
    scores: Scores<Sink, Signal>,
    division: Division<Sink, Signal>,
    pack: Pack<Sink, Signal>,
    pack_unit: Instance,
    argmax: Argmax<Sink, Signal>,
}

/// The engine.
pub fn gemv_engine(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let beat = overlay.beat_bytes() as u32;
    let (feed, sequencer) = (feed::feed(d), sequencer::sequencer(d, beat));
    let depth = Depth::of(overlay.deep_pipeline());
    let (vector, lane) = (vector::vector(d, beat, depth), requant::requant(d, depth));
    let row_scales = row_scales::row_scales(d, beat);
    let (scores, reciprocal) = (scores::scores(d, overlay), recip::recip(d, VECTORS as u32));
    let (pack, argmax) = (pack::pack_unit(d, beat), argmax::argmax(d));
    d.module("gemv_engine", |m| {
        m.doc("Matvec, Score and WeightedSum; see docs/units/compute.md.");
        let place = |name: &str, id: ModuleId| m.instance(&format!("u_{name}"), id);
        let each = |name: &str, id: ModuleId| -> Vec<Instance> {
            (0..VECTORS).map(|v| place(&format!("{name}{v}"), id)).collect()
        };
        let (feed, sequencer) = (place("feed", feed), place("sequencer", sequencer));
        let vectors = each("vector", vector).into_iter().map(|u| u.slave::<Multiply>("").ports()).collect();
        let lanes = each("lane", lane).into_iter().map(|u| u.slave::<Requant>("").ports()).collect();
        let (row_scales, scores) = (place("row_scales", row_scales), place("scores", scores));
        let (reciprocal, pack_unit) = (place("reciprocal", reciprocal), place("pack", pack));
        let parts = Parts {
            feed,
            feed_to: feed.master::<Feed>("").ports(),
            codes: Codes::layout().outputs_of(feed, ""),
            sequence: sequencer.slave::<Sequence>("").ports(),
            vectors,
            lanes,
            row_scales: row_scales.slave::<RowScales>("").ports(),
            scores: scores.slave::<Scores>("").ports(),
            division: reciprocal.slave::<Division>("").ports(),
            pack: pack_unit.slave::<Pack>("").ports(),
            pack_unit,
            argmax: place("argmax", argmax).slave::<Argmax>("").ports(),
        };
        connect(&feed.master::<Feed>(""), &sequencer.slave::<Feed>(""));
        let unit = parts.descriptors(m);
        let beat_q = parts.beats(m, beat);
        let stage = parts.operate(m, overlay, beat_q);
        let stage = parts.requantise(m, stage, depth);
        parts.collect(m, unit, stage);
        parts.attend(stage);
    })
}

impl Parts {
    fn plan(&self) -> Packed<Plan<Type>> {
        Plan::layout().packed(self.sequence.plan)
    }

    /// Descriptors and what is read for them go to the feed.
    fn descriptors(&self, m: &Module) -> UnitPort<Signal, Output> {
        let unit = unit_port(m);
        let desc = self.feed.slave::<Beats>("desc").ports();
        desc.data.drive(unit.desc);
        desc.valid.drive(unit.valid);
        unit.ready.drive(desc.ready);
        m.pass_master("code_", &self.feed.master::<CodeRead>("code_"));
        m.pass_master("scale_", &self.feed.master::<ScaleRead>("scale_"));
        m.pass_master("limit_", &self.feed.master::<StepRead>("limit_"));
        m.pass_master("count_", &self.feed.master::<StepRead>("count_"));
        m.output("busy", self.feed.output("holds") | self.sequence.working);
        unit
    }

    /// Accepts beats; returns the last one accepted.
    fn beats(&self, m: &Module, beat: u32) -> Signal {
        let (beats, s) = (m.slave(data_first("beat"), Beats::layout(8 * beat)), &self.sequence);
        s.beat_valid.drive(beats.valid);
        beats.ready.drive(s.beat_ready);
        m.output("event_starved", s.starved);
        m.reg_en("beat_q", s.accept, beats.data).q()
    }

    /// Multiplies; returns the tag of a result one cycle before it is there.
    fn operate(&self, m: &Module, overlay: &StreamedConfig, beat_q: Signal) -> Stage {
        let (beat, s) = (overlay.beat_bytes() as u32, &self.sequence);
        let delay = vector::adder_delay(beat, Depth::of(overlay.deep_pipeline()));
        let adding = (0..delay).fold(s.dot_beat, |late, i| m.flag(&format!("adding{i}"), late));
        let place = s.place.map(|name, signal| m.delay(&format!("{name}_d"), signal, delay));
        let (row, emit) = (place.beat_row, place.beat_last_run);
        let multiply = m.net("multiply", s.dot_beat | s.key_beat);
        let active = s.active.lanes(1);
        let now = self.plan().unpack().active.lanes(1);
        let weights = self.scores.weights.lanes(8);
        for (v, u) in self.vectors.iter().enumerate() {
            u.codes.drive(s.sub.select(&self.codes.word[v].lanes(8 * beat)));
            u.shift.drive(self.codes.shift[v]);
            u.load_codes.drive(s.load_codes & now[v]);
            u.weight.drive(weights[v]);
            u.load_weight.drive(s.load_weights & now[v]);
            u.beat.drive(beat_q);
            u.multiply.drive(multiply & active[v]);
            u.dot.drive(s.dot_beat);
            u.accumulate.drive(s.key_beat & s.later_key);
            u.row.drive(row);
            u.first.drive(place.beat_first_run);
            u.emit.drive(emit);
            u.drain.drive(s.drain & now[v]);
            u.lane.drive(s.drain_lane_number);
        }
        let result = m.net("dot_result", adding & emit);
        self.scale_rows(beat_q, result, row);
        let of = |drain: Signal, dot: Signal| s.drained.mux(drain, dot);
        let valid = result | s.drained;
        let tag = Tag {
            word_end: of(s.drain_word_end, row.reduce_and()),
            first: of(s.drain_first, place.beat_first),
            last: of(s.drain_last, place.beat_last),
            score: place.beat_score & !s.drained,
        };
        Stage { valid, tag }
    }

    fn scale_rows(&self, beat_q: Signal, result: Signal, row: Signal) {
        let (u, s) = (&self.row_scales, &self.sequence);
        u.beat.drive(beat_q);
        u.take.drive(s.scale_beat);
        u.index.iter().for_each(|index| index.drive(s.scale_index));
        u.advance.drive(result);
        u.first.drive(row.is_zero());
    }

    /// Scales results; returns the tag of what leaves the lanes.
    fn requantise(&self, m: &Module, stage: Stage, depth: Depth) -> Stage {
        let (Stage { valid, tag }, s) = (stage, &self.sequence);
        let opens = m.net("opens_lanes", valid & tag.first);
        let hold = |name: &str, value: Signal| m.reg_en(name, opens, value).q();
        let mantissas = hold("lane_mantissas", s.mantissas).lanes(16);
        let bases = hold("lane_bases", s.bases).lanes(BASE_BITS);
        let linear = hold("lane_linear", self.plan().unpack().matvec);
        for (v, (u, vector)) in self.lanes.iter().zip(&self.vectors).enumerate() {
            u.valid.drive(vector.sum_valid);
            u.acc.drive(vector.sum);
            u.linear.drive(linear);
            u.row_mantissa.drive(self.row_scales.mantissa);
            u.row_exponent.drive(self.row_scales.exponent);
            u.factor.drive(mantissas[v]);
            u.base.drive(bases[v].as_signed());
        }
        let delay = 1 + requant::latency(depth);
        let valid = (0..delay).fold(valid, |late, i| m.flag(&format!("result{i}"), late));
        Stage { valid, tag: Tag::layout().pack(tag).delay(m, "tag", delay).unpack() }
    }

    /// Packs and writes results, and says when a descriptor is done.
    fn collect(&self, m: &Module, unit: UnitPort<Signal, Output>, stage: Stage) {
        let (Stage { valid, tag }, s) = (stage, &self.sequence);
        let (pack_unit, argmax) = (&self.pack, &self.argmax);
        let y: Vec<Signal> = self.lanes.iter().map(|u| u.y.as_unsigned()).collect();
        let to_pack = m.net("to_pack", valid & !tag.score);
        let here: Vec<Signal> = self.lanes.iter().map(|u| u.y_valid & to_pack).collect();
        pack_unit.plan.drive(self.plan());
        pack_unit.y.drive(pack(&y));
        pack_unit.y_valid.drive(pack(&here));
        pack_unit.word_end.drive(tag.word_end);
        pack_unit.valid.drive(to_pack);
        pack_unit.first.drive(tag.first);
        pack_unit.last.drive(tag.last);
        pack_unit.best_now.drive(argmax.best_now);
        argmax.valid.drive(to_pack);
        argmax.first.drive(tag.first);
        argmax.plan.drive(self.plan());
        argmax.y.drive(self.lanes[0].y);
        m.pass_master("w_", &self.pack_unit.master::<ScratchWrite>("w_"));
        m.pass_master("reg_", &self.pack_unit.master::<StepWrite>("reg_"));
        s.released.drive(pack_unit.released);
        // A score may overtake the writes of the weighted sum before it.
        let scored = m.reg("scored", bit()).reset(0);
        let done = m.net("finished", pack_unit.done | scored & s.alone);
        m.when(s.alone, || m.set(scored, low()));
        m.when(valid & tag.score & tag.last, || m.set(scored, high()));
        s.done.drive(done);
        unit.done.drive(done);
    }

    /// Scores in, weights and the scale that divides by their sum out.
    fn attend(&self, stage: Stage) {
        let (Stage { valid, tag }, s) = (stage, &self.sequence);
        let (scores, division) = (&self.scores, &self.division);
        let y: Vec<Signal> = self.lanes.iter().map(|u| u.y.as_unsigned()).collect();
        scores.plan.drive(self.plan());
        scores.valid.drive(valid & tag.score);
        scores.first.drive(tag.first);
        scores.z.drive(pack(&y));
        scores.start.drive(s.start_keys);
        scores.last_key.drive(Plan::layout().packed(self.feed_to.next).unpack().last);
        scores.pop.drive(s.load_weights);
        s.weights_valid.drive(scores.weights_valid);
        division.start.drive(s.start_keys);
        division.add.drive(s.load_weights);
        division.weights.drive(scores.weights);
        division.finish.drive(s.finish_keys);
        let plan = self.plan().unpack();
        division.v_mantissa.drive(plan.v_mantissa);
        division.v_exponent.drive(plan.v_exponent);
        division.shift.drive(plan.shift);
        s.sum_mantissas.drive(division.mantissas);
        s.sum_bases.drive(division.bases);
        s.divided.drive(division.ready);
    }
}
