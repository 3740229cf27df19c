//! Sequencer: takes descriptors from the feed, decides when a beat is accepted and what becomes of it.
//!
//! A beat is accepted only if everything behind it can flow: code words are there, and every result that it
//! completes has a slot. So no pipeline behind the sequencer ever stops.

use super::SLOTS;
use super::plan::{self, field};
use super::vector::lane_bits;
use crate::compute::requant::BASE_BITS;
use sagen_lang::{Design, Fsm, Module, ModuleId, Reg, Signal, bit, high, low, unsigned};
use sagen_streamed_isa::{BLOCK_ROWS, GROUP, VECTORS};

/// Results of a weighted sum reach the packer this many cycles after their drain at the latest; the
/// plan stays until then.
const DRAIN_CYCLES: u32 = 16;

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
        let next = m.input("next", unsigned(plan::width()));
        let state = m.fsm("state", &["idle", "scales", "rows", "keys", "divide", "drain"]);
        let plan = m.reg("plan_q", unsigned(plan::width()));
        let position = position(m, beat);
        let at = at(m, &position, beat);
        let slot_free = m.reg("slot_free", bit()).reset(1);
        let now = beats(m, &state, &position, at, slot_free.q());
        let now = Now { take: take(m, &state, next, plan.q(), now), ..now };
        m.when(now.take, || m.set(plan, next));
        scales(m, now);
        advance(m, &position, plan.q(), next, at, now);
        let (drained, starts_word) = drain(m, &state, beat, slot_free.q());
        transitions(m, &state, next, plan.q(), at, now);
        tags(m, &position, plan.q(), at, now);
        credits(m, slot_free, now.accept & now.scales & position.sub.is_zero() | drained & starts_word);
        m.output("plan", plan);
        m.output("take", now.take);
        m.output("sub", position.sub);
    })
}

/// Bits that number the beats of a group of one row.
pub(super) fn sub_bits(beat: u32) -> u32 {
    (GROUP as u32 / beat).ilog2().max(1)
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
    let last_sub = match GROUP as u32 / beat {
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
fn beats(m: &Module, state: &Fsm, position: &Position, at: At, slot_free: Signal) -> Now {
    let beat_valid = m.input("beat_valid", bit());
    let (words, weights) = (m.input("words_valid", bit()), m.input("weights_valid", bit()));
    let (scales, rows, keys) = (state.is("scales"), state.is("rows"), state.is("keys"));
    let starts_run = at.first_row;
    let scale_ready = scales & (slot_free | !position.sub.is_zero());
    let row_ready = rows & (words | !starts_run);
    let ready = m.net("ready", scale_ready | row_ready | keys & weights);
    let accept = m.net("accepted", ready & beat_valid);
    let finish = m.net("finish_rows", accept & rows & at.last_row & at.last_run & at.last_item);
    m.output("beat_ready", ready);
    m.output("starved", ready & !beat_valid);
    m.output("accept", accept);
    m.output("load_codes", accept & rows & starts_run);
    m.output("consume", accept & rows & starts_run & at.last_sub);
    m.output("load_weights", accept & keys);
    m.output("finish_keys", accept & keys & at.last_item);
    Now { accept, scales, rows, keys, take: low(), finish, divided: m.input("divided", bit()) }
}

/// When the offered descriptor may begin. Matvecs follow one another without a gap; scores may begin
/// while results of a weighted sum are on their way; all else waits until nothing is under way.
fn take(m: &Module, state: &Fsm, next: Signal, plan: Signal, now: Now) -> Signal {
    let (offered, done) = (m.input("offered", bit()), m.input("done", bit()));
    let pending = m.reg("pending", unsigned(SLOTS.ilog2() + 1)).reset(0);
    let (none, one) = (m.reg("none_pending", bit()).reset(1), m.reg("one_pending", bit()).reset(0));
    let quiet = none | one & done;
    let both = |name: &str| field(next, name) & field(plan, name);
    let follows = both("matvec") | field(next, "score") & field(plan, "sum");
    let idle = state.is("idle") & (quiet | follows);
    let take = m.net("takes", offered & (idle | now.finish & both("matvec")));
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
    m.output("alone", one);
    m.output("working", !none);
    m.output("start_keys", take & field(next, "sum"));
    take
}

/// Scales of the requant lanes: the descriptor's, then in a weighted sum those that divide.
fn scales(m: &Module, now: Now) {
    let widths = [("mantissas", 16 * VECTORS as u32), ("bases", BASE_BITS * VECTORS as u32)];
    for (name, width) in widths {
        let next = m.input(&format!("next_{name}"), unsigned(width));
        let sum = m.input(&format!("sum_{name}"), unsigned(width));
        let q = m.reg(&format!("{name}_q"), unsigned(width));
        m.when(now.take, || m.set(q, next)).elsewhen(now.divided, || m.set(q, sum));
        m.output(name, q);
    }
}

fn advance(m: &Module, position: &Position, plan: Signal, next: Signal, at: At, now: Now) {
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
                position.groups.start(m, field(plan, "last_group"));
                position.items.next(m);
            });
        });
    });
    m.when(now.accept & now.keys, || position.items.next(m));
    m.when(now.take, || {
        position.groups.start(m, field(next, "last_group"));
        position.items.start(m, field(next, "last"));
    });
}

/// Reads results of a weighted sum lane by lane; returns whether one is read and whether it starts a word.
fn drain(m: &Module, state: &Fsm, beat: u32, slot_free: Signal) -> (Signal, Signal) {
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
    m.output("drain", drain);
    m.output("drain_lane_number", lane);
    m.output("drain_first", m.reg_en("drain_first_q", drain, lane.is_zero()));
    m.output("drain_last", m.reg_en("drain_last_q", drain, last));
    m.output("drain_word_end", m.reg_en("drain_word_end_q", drain, ends_word));
    let drained = m.reg("drained_q", bit()).reset(0);
    m.set(drained, drain);
    m.output("drained", drained);
    (drain, starts_word)
}

fn transitions(m: &Module, state: &Fsm, next: Signal, plan: Signal, at: At, now: Now) {
    m.when(now.accept & now.scales & at.last_sub, || m.set_state(state, "rows"));
    m.when(now.accept & now.rows & at.last_row & at.last_run, || {
        let again = field(plan, "matvec").mux(state.value("scales"), state.value("rows"));
        m.set(state.reg(), at.last_item.mux(state.value("idle"), again));
    });
    m.when(now.accept & now.keys & at.last_item, || m.set_state(state, "divide"));
    m.when(state.is("divide") & now.divided, || m.set_state(state, "drain"));
    m.when(now.take, || {
        let attention = field(next, "score").mux(state.value("rows"), state.value("keys"));
        m.set(state.reg(), field(next, "matvec").mux(state.value("scales"), attention));
    });
}

/// What the pipeline must know of the beat accepted in the cycle before.
fn tags(m: &Module, position: &Position, plan: Signal, at: At, now: Now) {
    let flag = |name: &str, value: Signal| {
        let q = m.reg(&format!("{name}_q"), bit()).reset(0);
        m.set(q, value);
        m.output(name, q);
    };
    flag("scale_beat", now.accept & now.scales);
    flag("dot_beat", now.accept & now.rows);
    flag("key_beat", now.accept & now.keys);
    let keep = |name: &str, value: Signal| m.output(name, m.reg_en(&format!("{name}_q"), now.accept, value));
    keep("scale_index", position.sub.q());
    keep("active", field(plan, "active"));
    keep("later_key", !at.first_item);
    keep("beat_row", position.row.q());
    keep("beat_first_run", at.first_run);
    keep("beat_last_run", at.last_run);
    keep("beat_first", at.first_item & at.first_row);
    keep("beat_last", at.last_item & at.last_row);
    keep("beat_score", field(plan, "score"));
}

/// Free slots.
fn credits(m: &Module, slot_free: Reg, reserve: Signal) {
    let slots = m.reg("slots", unsigned(SLOTS.ilog2() + 1)).reset(SLOTS);
    let released = m.input("released", bit());
    m.when(reserve & !released, || {
        m.set(slots, slots.sub_lit(1));
        m.set(slot_free, slots.ne_lit(1));
    });
    m.when(released & !reserve, || {
        m.set(slots, slots.add_lit(1));
        m.set(slot_free, high());
    });
}

#[cfg(test)]
mod tests {
    use super::super::row_scales;
    use super::*;

    #[test]
    fn a_block_has_as_many_scale_beats_as_a_group_has_beats() {
        for beat in [8, 16, 32, 64] {
            assert_eq!(row_scales::beats(beat), GROUP as u32 / beat);
        }
    }
}
