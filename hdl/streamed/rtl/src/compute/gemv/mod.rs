//! GEMV engine: products of the beat stream with up to four resident vectors, one beat a cycle.
//! Contract and pipeline: `docs/units/compute.md`.

mod argmax;
mod feed;
mod pack;
mod plan;
mod reciprocal;
mod row_scales;
mod scores;
mod sequencer;
mod vector;
mod weight;

use super::requant::{self, BASE_BITS, requant_lane};
use sagen_lang::{Design, Instance, Module, ModuleId, Signal, bit, cat, high, low, pack, unsigned};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::VECTORS;

/// Packed words of each vector that may wait for the scratchpad.
const SLOTS: u32 = 16;

/// What accompanies a result through the requant lanes.
#[derive(Clone, Copy)]
struct Tag {
    valid: Signal,
    word_end: Signal,
    first: Signal,
    last: Signal,
    score: Signal,
}

struct Parts {
    feed: Instance,
    sequencer: Instance,
    vectors: Vec<Instance>,
    lanes: Vec<Instance>,
    row_scales: Instance,
    scores: Instance,
    reciprocal: Instance,
    pack: Instance,
    argmax: Instance,
}

/// The engine.
pub fn gemv_engine(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let beat = overlay.beat_bytes() as u32;
    let (feed, sequencer) = (feed::feed(d), sequencer::sequencer(d, beat));
    let deep = overlay.deep_pipeline();
    let (vector, lane) = (vector::vector(d, beat, deep), requant_lane(d, deep));
    let row_scales = row_scales::row_scales(d, beat);
    let (scores, reciprocal) = (scores::scores(d, overlay), reciprocal::reciprocal(d));
    let (pack, argmax) = (pack::pack_unit(d, beat), argmax::argmax(d));
    d.module("gemv_engine", |m| {
        m.doc("Matvec, Score and WeightedSum; see docs/units/compute.md.");
        let each = |name: &str, id: ModuleId| -> Vec<Instance> {
            (0..VECTORS).map(|v| m.instance(&format!("u_{name}{v}"), id)).collect()
        };
        let parts = Parts {
            feed: m.instance("u_feed", feed),
            sequencer: m.instance("u_sequencer", sequencer),
            vectors: each("vector", vector),
            lanes: each("lane", lane),
            row_scales: m.instance("u_row_scales", row_scales),
            scores: m.instance("u_scores", scores),
            reciprocal: m.instance("u_reciprocal", reciprocal),
            pack: m.instance("u_pack", pack),
            argmax: m.instance("u_argmax", argmax),
        };
        parts.descriptors(m);
        let beat_q = parts.beats(m, beat);
        let tag = parts.operate(m, overlay, beat_q);
        let tag = parts.requantise(m, tag, deep);
        parts.collect(m, tag);
        parts.attend(tag);
    })
}

impl Parts {
    fn plan(&self) -> Signal {
        self.sequencer.output("plan")
    }
    fn flag(&self, name: &str) -> Signal {
        self.sequencer.output(name)
    }

    fn descriptors(&self, m: &Module) {
        let feed = self.feed;
        let widths = [("desc", 512), ("desc_valid", 1), ("code_data", 512), ("code_shift", 2), ("scale_data", 24)];
        for (name, width) in widths.into_iter().chain([("limit_value", 32), ("count_value", 32)]) {
            feed.input(name, m.input(name, unsigned(width)));
        }
        let outputs = ["desc_ready", "code_en", "code_addr", "scale_en", "scale_addr", "limit_index", "count_index"];
        for name in outputs {
            m.output(name, feed.output(name));
        }
        for name in ["take", "consume"] {
            feed.input(name, self.flag(name));
        }
        for name in ["offered", "next", "next_mantissas", "next_bases", "words_valid"] {
            self.sequencer.input(name, feed.output(name));
        }
        m.output("busy", feed.output("holds") | self.flag("working"));
    }

    /// Accepts beats; returns the last one accepted.
    fn beats(&self, m: &Module, beat: u32) -> Signal {
        let bus = m.input("beat", unsigned(8 * beat));
        self.sequencer.input("beat_valid", m.input("beat_valid", bit()));
        m.output("beat_ready", self.flag("beat_ready"));
        m.output("event_starved", self.flag("starved"));
        m.reg_en("beat_q", self.flag("accept"), bus).q()
    }

    /// Multiplies; returns the tag of a result one cycle before it is there.
    fn operate(&self, m: &Module, overlay: &StreamedConfig, beat_q: Signal) -> Tag {
        let beat = overlay.beat_bytes() as u32;
        let delay = vector::adder_delay(beat, overlay.deep_pipeline());
        let late = |name: &str| m.delay(&format!("{name}_d"), self.flag(name), delay);
        let adding = (0..delay).fold(self.flag("dot_beat"), |s, i| flag(m, &format!("adding{i}"), s));
        let (row, first_run, emit) = (late("beat_row"), late("beat_first_run"), late("beat_last_run"));
        let (first, last, score) = (late("beat_first"), late("beat_last"), late("beat_score"));
        let multiply = m.net("multiply", self.flag("dot_beat") | self.flag("key_beat"));
        let active = self.flag("active").lanes(1);
        let now = plan::field(self.plan(), "active").lanes(1);
        let weights = self.scores.output("weights").lanes(8);
        for (v, u) in self.vectors.iter().enumerate() {
            let words = self.feed.output(&format!("word{v}")).lanes(8 * beat);
            u.input("codes", self.flag("sub").select(&words));
            u.input("shift", self.feed.output(&format!("shift{v}")));
            u.input("load_codes", self.flag("load_codes") & now[v]);
            u.input("weight", weights[v]);
            u.input("load_weight", self.flag("load_weights") & now[v]);
            u.input("beat", beat_q);
            u.input("multiply", multiply & active[v]);
            u.input("dot", self.flag("dot_beat"));
            u.input("accumulate", self.flag("key_beat") & self.flag("later_key"));
            u.input("row", row);
            u.input("first", first_run);
            u.input("emit", emit);
            u.input("drain", self.flag("drain") & now[v]);
            u.input("lane", self.flag("drain_lane_number"));
        }
        let result = m.net("dot_result", adding & emit);
        self.scale_rows(beat, beat_q, result, row);
        let drained = self.flag("drained");
        let of = |name: &str, dot: Signal| drained.mux(self.flag(name), dot);
        Tag {
            valid: result | drained,
            word_end: of("drain_word_end", row.reduce_and()),
            first: of("drain_first", first),
            last: of("drain_last", last),
            score: score & !drained,
        }
    }

    fn scale_rows(&self, beat: u32, beat_q: Signal, result: Signal, row: Signal) {
        let u = self.row_scales;
        u.input("beat", beat_q);
        u.input("take", self.flag("scale_beat"));
        if row_scales::beats(beat) > 1 {
            u.input("index", self.flag("scale_index"));
        }
        u.input("advance", result);
        u.input("first", row.is_zero());
    }

    /// Scales results; returns the tag of what leaves the lanes.
    fn requantise(&self, m: &Module, tag: Tag, deep: bool) -> Tag {
        let opens = m.net("opens_lanes", tag.valid & tag.first);
        let hold = |name: &str, value: Signal| m.reg_en(name, opens, value).q();
        let mantissas = hold("lane_mantissas", self.flag("mantissas")).lanes(16);
        let bases = hold("lane_bases", self.flag("bases")).lanes(BASE_BITS);
        let linear = hold("lane_linear", plan::field(self.plan(), "matvec"));
        for (v, (u, vector)) in self.lanes.iter().zip(&self.vectors).enumerate() {
            u.input("valid", vector.output("sum_valid"));
            u.input("acc", vector.output("sum"));
            u.input("linear", linear);
            u.input("row_mantissa", self.row_scales.output("mantissa"));
            u.input("row_exponent", self.row_scales.output("exponent"));
            u.input("factor", mantissas[v]);
            u.input("base", bases[v].as_signed());
        }
        let delay = 1 + requant::latency(deep);
        let valid = (0..delay).fold(tag.valid, |s, i| flag(m, &format!("result{i}"), s));
        let bits = cat(&[tag.word_end, tag.first, tag.last, tag.score]);
        let bits = m.delay("tag", bits, delay);
        Tag { valid, word_end: bits.bit(3), first: bits.bit(2), last: bits.bit(1), score: bits.bit(0) }
    }

    /// Packs and writes results, and says when a descriptor is done.
    fn collect(&self, m: &Module, tag: Tag) {
        let y: Vec<Signal> = self.lanes.iter().map(|u| u.output("y").as_unsigned()).collect();
        let to_pack = m.net("to_pack", tag.valid & !tag.score);
        let here: Vec<Signal> = self.lanes.iter().map(|u| u.output("y_valid") & to_pack).collect();
        let pack_unit = self.pack;
        pack_unit.input("plan", self.plan());
        pack_unit.input("y", pack(&y));
        pack_unit.input("y_valid", pack(&here));
        pack_unit.input("w_ready", m.input("w_ready", bit()));
        pack_unit.input("word_end", tag.word_end);
        for u in [pack_unit, self.argmax] {
            u.input("valid", to_pack);
            u.input("first", tag.first);
        }
        pack_unit.input("last", tag.last);
        pack_unit.input("best_now", self.argmax.output("best_now"));
        self.argmax.input("plan", self.plan());
        self.argmax.input("y", self.lanes[0].output("y"));
        for name in ["w_valid", "w_addr", "w_data", "w_mask", "reg_write", "reg_index", "reg_data"] {
            m.output(name, pack_unit.output(name));
        }
        self.sequencer.input("released", pack_unit.output("released"));
        // A score may overtake the writes of the weighted sum before it.
        let scored = m.reg("scored", bit()).reset(0);
        let done = m.net("finished", pack_unit.output("done") | scored & self.flag("alone"));
        m.when(self.flag("alone"), || m.set(scored, low()));
        m.when(tag.valid & tag.score & tag.last, || m.set(scored, high()));
        self.sequencer.input("done", done);
        m.output("done", done);
    }

    /// Scores in, weights and the scale that divides by their sum out.
    fn attend(&self, tag: Tag) {
        let (scores, reciprocal) = (self.scores, self.reciprocal);
        let y: Vec<Signal> = self.lanes.iter().map(|u| u.output("y").as_unsigned()).collect();
        scores.input("plan", self.plan());
        scores.input("valid", tag.valid & tag.score);
        scores.input("first", tag.first);
        scores.input("z", pack(&y));
        scores.input("start", self.flag("start_keys"));
        scores.input("last_key", plan::field(self.feed.output("next"), "last"));
        scores.input("pop", self.flag("load_weights"));
        self.sequencer.input("weights_valid", scores.output("weights_valid"));
        reciprocal.input("start", self.flag("start_keys"));
        reciprocal.input("add", self.flag("load_weights"));
        reciprocal.input("weights", scores.output("weights"));
        reciprocal.input("finish", self.flag("finish_keys"));
        for name in ["v_mantissa", "v_exponent", "shift"] {
            reciprocal.input(name, plan::field(self.plan(), name));
        }
        for name in ["mantissas", "bases"] {
            self.sequencer.input(&format!("sum_{name}"), reciprocal.output(name));
        }
        self.sequencer.input("divided", reciprocal.output("ready"));
    }
}

fn flag(m: &Module, name: &str, value: Signal) -> Signal {
    let q = m.reg(name, bit()).reset(0);
    m.set(q, value);
    q.q()
}
