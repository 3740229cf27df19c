//! Sequencer: takes descriptors from the feed, decides when a beat is accepted and what becomes of it.
//!
//! A beat is accepted only if everything behind it can flow: code words are there, and every result that it
//! completes has a slot. So no pipeline behind the sequencer ever stops.

use super::feed::Feed;
use super::plan::Plan;
use super::vector::lane_bits;
use super::{BASES, MANTISSAS, SLOTS};
use crate::compute::block::{group_beats, scale_beats};
use sagen_lang::{
    Bundle, Design, Fsm, Layout, Module, ModuleId, Output, Outputs, Reg, Signal, bit, bundle, high, interface, low,
    unsigned,
};
use sagen_streamed_isa::{BLOCK_ROWS, VECTORS};

/// Results of a weighted sum reach the packer this many cycles after their drain at the latest; the
/// plan stays until then.
const DRAIN_CYCLES: u32 = 16;

bundle! {
    /// Place of a beat of rows in its descriptor.
    pub(super) struct Place() {
        beat_row: unsigned(BLOCK_ROWS.ilog2()),
        /// In the first group, and in the last.
        beat_first_run: bit(),
        beat_last_run: bit(),
        /// Of the descriptor.
        beat_first: bit(),
        beat_last: bit(),
        /// Results are scores.
        beat_score: bit(),
    }
}

interface! {
    /// What the engine tells the sequencer, and what it is told to do with the beats.
    pub(super) struct Sequence(beat: u32) {
        beat_valid: -> bit(),
        /// Weights of a key wait.
        weights_valid: -> bit(),
        /// The scales that divide a weighted sum are there.
        divided: -> bit(),
        sum_mantissas: -> unsigned(MANTISSAS),
        sum_bases: -> unsigned(BASES),
        /// A slot is free again.
        released: -> bit(),
        /// A descriptor is done.
        done: -> bit(),
        /// Of the descriptor that is being executed.
        plan: <- Plan::layout().bus(),
        mantissas: <- unsigned(MANTISSAS),
        bases: <- unsigned(BASES),
        /// One descriptor is not done.
        alone: <- bit(),
        /// Some are not.
        working: <- bit(),
        beat_ready: <- bit(),
        /// A beat is wanted and not there.
        starved: <- bit(),
        /// A beat is taken.
        accept: <- bit(),
        /// Beat of the group, of one row.
        sub: <- unsigned(sub_bits(beat)),
        load_codes: <- bit(),
        load_weights: <- bit(),
        /// Weights of a sum will be asked for.
        start_keys: <- bit(),
        /// The last ones are.
        finish_keys: <- bit(),
        /// The beat taken in the cycle before is one of scales, one of rows, or one of a key.
        scale_beat: <- bit(),
        dot_beat: <- bit(),
        key_beat: <- bit(),
        /// Which scale beat of the block.
        scale_index: <- unsigned(sub_bits(beat)),
        /// Vectors of its descriptor.
        active: <- unsigned(VECTORS as u32),
        /// It is not of the first key.
        later_key: <- bit(),
        place as Place: <- Place::layout(),
        /// A lane is read.
        drain: <- bit(),
        drain_lane_number: <- unsigned(lane_bits(beat)),
        /// It was read in the cycle before; the first of its sum, the last, the last of its word.
        drained: <- bit(),
        drain_first: <- bit(),
        drain_last: <- bit(),
        drain_word_end: <- bit(),
    }
}

type Port = Sequence<Signal, Output>;
type Fed = Feed<Signal, Output>;

/// Where in the weights the next beat belongs. What every beat asks of the counters is kept in flags.
struct Position {
    row: Reg,
    first_row: Reg,
    last_row: Reg,
    sub: Reg,
    groups: Walk,
    items: Walk,
}

/// Counts down from a last index to 0.
struct Walk {
    left: Reg,
    first: Reg,
    last: Reg,
}

impl Walk {
    fn new(m: &Module, name: &str, width: u32) -> Self {
        let flag = |which: &str| m.reg(&format!("{which}_{name}"), bit());
        Self { left: m.reg(&format!("{name}s_left"), unsigned(width)), first: flag("first"), last: flag("last") }
    }
    fn start(&self, m: &Module, last_index: Signal) {
        m.set(self.left, last_index);
        m.set(self.first, high());
        m.set(self.last, last_index.is_zero());
    }
    fn next(&self, m: &Module) {
        m.set(self.left, self.left.sub_lit(1));
        m.set(self.first, low());
        m.set(self.last, self.left.eq_lit(1));
    }
}

/// Facts about the present position.
#[derive(Clone, Copy)]
struct At {
    first_row: Signal,
    last_row: Signal,
    first_run: Signal,
    last_run: Signal,
    last_sub: Signal,
    first_item: Signal,
    last_item: Signal,
}

/// What happens in this cycle.
#[derive(Clone, Copy)]
struct Now {
    accept: Signal,
    scales: Signal,
    rows: Signal,
    keys: Signal,
    take: Signal,
    finish: Signal,
    divided: Signal,
}

/// The sequencer.
pub(super) fn sequencer(d: &mut Design, beat: u32) -> ModuleId {
    d.module(format!("gemv_sequencer_{beat}"), |m| {
        m.doc("Decides when a beat is accepted and what becomes of it.");
        let (port, fed) = (m.slave("", Sequence::layout(beat)), m.slave("", Feed::layout()));
        let next = Plan::layout().packed(fed.next);
        let state = m.fsm("state", &["idle", "scales", "rows", "keys", "divide", "drain"]);
        let plan_q = Plan::layout().reg(m, "plan_q");
        let position = position(m, beat);
        let at = at(m, &position, beat);
        let slot_free = m.reg("slot_free", bit()).reset(1);
        let now = beats(m, (&port, &fed), &state, &position, at, slot_free.q());
        let (next_q, next, plan) = (next, next.unpack(), plan_q.q().unpack());
        let now = Now { take: take(m, (&port, &fed), &state, &next, &plan, now), ..now };
        m.when(now.take, || plan_q.set(m, next_q));
        scales(m, &port, &fed, now);
        advance(m, &position, &plan, &next, at, now);
        let (drained, starts_word) = drain(m, &port, &state, beat, slot_free.q());
        transitions(m, &state, &next, &plan, at, now);
        tags(m, &port, &position, &plan, at, now);
        credits(m, &port, slot_free, now.accept & now.scales & position.sub.is_zero() | drained & starts_word);
        port.plan.drive(plan_q.q());
        fed.take.drive(now.take);
        port.sub.drive(position.sub);
    })
}

/// Bytes of the narrowest beat.
const NARROWEST: u32 = 4;
// `sub` counts the scale beats of a block and the beats of a row's group: they are as many.
const _: () = assert!(scale_beats(NARROWEST) == group_beats(NARROWEST));

/// Bits that number the beats of a group of one row.
pub(super) fn sub_bits(beat: u32) -> u32 {
    group_beats(beat).ilog2().max(1)
}

fn position(m: &Module, beat: u32) -> Position {
    Position {
        row: m.reg("row", unsigned(BLOCK_ROWS.ilog2())).reset(0),
        first_row: m.reg("first_row", bit()).reset(1),
        last_row: m.reg("last_row", bit()).reset(0),
        sub: m.reg("sub_q", unsigned(sub_bits(beat))).reset(0),
        groups: Walk::new(m, "group", 8),
        items: Walk::new(m, "item", 17),
    }
}

fn at(m: &Module, position: &Position, beat: u32) -> At {
    let last_sub = match group_beats(beat) {
        1 => high(),
        n => position.sub.eq_lit(n - 1),
    };
    At {
        first_row: position.first_row.q(),
        last_row: position.last_row.q(),
        first_run: m.net("first_run", position.groups.first & position.sub.is_zero()),
        last_run: m.net("last_run", position.groups.last & last_sub),
        last_sub,
        first_item: position.items.first.q(),
        last_item: position.items.last.q(),
    }
}

/// Whether a beat is wanted and whether it is there.
fn beats(m: &Module, (port, fed): (&Port, &Fed), state: &Fsm, position: &Position, at: At, slot_free: Signal) -> Now {
    let (beat_valid, words, weights) = (port.beat_valid, fed.words_valid, port.weights_valid);
    let (scales, rows, keys) = (state.is("scales"), state.is("rows"), state.is("keys"));
    let starts_run = at.first_row;
    let scale_ready = scales & (slot_free | !position.sub.is_zero());
    let row_ready = rows & (words | !starts_run);
    let ready = m.net("ready", scale_ready | row_ready | keys & weights);
    let accept = m.net("accepted", ready & beat_valid);
    let finish = m.net("finish_rows", accept & rows & at.last_row & at.last_run & at.last_item);
    port.beat_ready.drive(ready);
    port.starved.drive(ready & !beat_valid);
    port.accept.drive(accept);
    port.load_codes.drive(accept & rows & starts_run);
    fed.consume.drive(accept & rows & starts_run & at.last_sub);
    port.load_weights.drive(accept & keys);
    port.finish_keys.drive(accept & keys & at.last_item);
    Now { accept, scales, rows, keys, take: low(), finish, divided: port.divided }
}

/// When the offered descriptor may begin. Matvecs follow one another without a gap; scores may begin
/// while results of a weighted sum are on their way; all else waits until nothing is under way.
fn take(m: &Module, (port, fed): (&Port, &Fed), state: &Fsm, next: &Plan, plan: &Plan, now: Now) -> Signal {
    let (offered, done) = (fed.offered, port.done);
    let pending = m.reg("pending", unsigned(SLOTS.ilog2() + 1)).reset(0);
    let (none, one) = (m.reg("none_pending", bit()).reset(1), m.reg("one_pending", bit()).reset(0));
    let quiet = none | one & done;
    let matvecs = next.matvec & plan.matvec;
    let follows = matvecs | next.score & plan.sum;
    let idle = state.is("idle") & (quiet | follows);
    let take = m.net("takes", offered & (idle | now.finish & matvecs));
    m.when(take & !done, || {
        m.set(pending, pending.add_lit(1));
        m.set(none, low());
        m.set(one, none);
    });
    m.when(done & !take, || {
        m.set(pending, pending.sub_lit(1));
        m.set(none, one);
        m.set(one, pending.eq_lit(2));
    });
    port.alone.drive(one);
    port.working.drive(!none);
    port.start_keys.drive(take & next.sum);
    take
}

/// Scales of the requant lanes: the descriptor's, then in a weighted sum those that divide.
fn scales(m: &Module, port: &Port, fed: &Fed, now: Now) {
    let held = |name: &str, next: Signal, sum: Signal| {
        let q = m.reg(name, next.ty());
        m.when(now.take, || m.set(q, next)).elsewhen(now.divided, || m.set(q, sum));
        q
    };
    port.mantissas.drive(held("mantissas_q", fed.next_mantissas, port.sum_mantissas));
    port.bases.drive(held("bases_q", fed.next_bases, port.sum_bases));
}

fn advance(m: &Module, position: &Position, plan: &Plan, next: &Plan, at: At, now: Now) {
    let (sub, row) = (position.sub, position.row);
    let next_sub = || {
        m.when(at.last_sub, || m.set(sub, m.lit(sub.ty(), 0))).otherwise(|| m.set(sub, sub.add_lit(1)));
    };
    m.when(now.accept & now.scales, next_sub);
    m.when(now.accept & now.rows, || {
        m.set(row, row.add_lit(1));
        m.set(position.first_row, at.last_row);
        m.set(position.last_row, row.eq_lit(BLOCK_ROWS as u64 - 2));
        m.when(at.last_row, || {
            next_sub();
            m.when(at.last_sub, || position.groups.next(m));
            m.when(at.last_run, || {
                position.groups.start(m, plan.last_group);
                position.items.next(m);
            });
        });
    });
    m.when(now.accept & now.keys, || position.items.next(m));
    m.when(now.take, || {
        position.groups.start(m, next.last_group);
        position.items.start(m, next.last);
    });
}

/// Reads results of a weighted sum lane by lane; returns whether one is read and whether it starts a word.
fn drain(m: &Module, port: &Port, state: &Fsm, beat: u32, slot_free: Signal) -> (Signal, Signal) {
    let bits = lane_bits(beat).max(DRAIN_CYCLES.ilog2());
    let step = m.reg("drain_step", unsigned(bits)).reset(0);
    let exists = if bits > lane_bits(beat) { step.lt_lit(beat) } else { high() };
    let starts_word = m.net("starts_word", step.slice(0, 4).is_zero());
    let go = m.net("drain_go", state.is("drain") & (slot_free | !starts_word));
    let drain = m.net("drain_lane", go & exists);
    m.when(go, || m.set(step, step.add_lit(1)));
    m.when(go & step.reduce_and(), || m.set_state(state, "idle"));
    let lane = m.net("drained_lane", step.trunc(lane_bits(beat)));
    let last = lane.reduce_and();
    let ends_word = lane.slice(0, lane_bits(beat).min(4)).reduce_and();
    port.drain.drive(drain);
    port.drain_lane_number.drive(lane);
    port.drain_first.drive(m.reg_en("drain_first_q", drain, lane.is_zero()));
    port.drain_last.drive(m.reg_en("drain_last_q", drain, last));
    port.drain_word_end.drive(m.reg_en("drain_word_end_q", drain, ends_word));
    port.drained.drive(m.flag("drained_q", drain));
    (drain, starts_word)
}

fn transitions(m: &Module, state: &Fsm, next: &Plan, plan: &Plan, at: At, now: Now) {
    m.when(now.accept & now.scales & at.last_sub, || m.set_state(state, "rows"));
    m.when(now.accept & now.rows & at.last_row & at.last_run, || {
        let again = plan.matvec.mux(state.value("scales"), state.value("rows"));
        m.set(state.reg(), at.last_item.mux(state.value("idle"), again));
    });
    m.when(now.accept & now.keys & at.last_item, || m.set_state(state, "divide"));
    m.when(state.is("divide") & now.divided, || m.set_state(state, "drain"));
    m.when(now.take, || {
        let attention = next.score.mux(state.value("rows"), state.value("keys"));
        m.set(state.reg(), next.matvec.mux(state.value("scales"), attention));
    });
}

/// What the pipeline must know of the beat accepted in the cycle before.
fn tags(m: &Module, port: &Port, position: &Position, plan: &Plan, at: At, now: Now) {
    port.scale_beat.drive(m.flag("scale_beat_q", now.accept & now.scales));
    port.dot_beat.drive(m.flag("dot_beat_q", now.accept & now.rows));
    port.key_beat.drive(m.flag("key_beat_q", now.accept & now.keys));
    let keep = |name: &str, value: Signal| m.reg_en(&format!("{name}_q"), now.accept, value).q();
    port.scale_index.drive(keep("scale_index", position.sub.q()));
    port.active.drive(keep("active", plan.active));
    port.later_key.drive(keep("later_key", !at.first_item));
    let place = Place {
        beat_row: position.row.q(),
        beat_first_run: at.first_run,
        beat_last_run: at.last_run,
        beat_first: at.first_item & at.first_row,
        beat_last: at.last_item & at.last_row,
        beat_score: plan.score,
    };
    port.place.drive_each(place.map(keep));
}

/// Free slots.
fn credits(m: &Module, port: &Port, slot_free: Reg, reserve: Signal) {
    let slots = m.reg("slots", unsigned(SLOTS.ilog2() + 1)).reset(SLOTS);
    let released = port.released;
    m.when(reserve & !released, || {
        m.set(slots, slots.sub_lit(1));
        m.set(slot_free, slots.ne_lit(1));
    });
    m.when(released & !reserve, || {
        m.set(slots, slots.add_lit(1));
        m.set(slot_free, high());
    });
}
