//! Takes the beats of a descriptor: of every block the scale beats, then the weight beats.

use super::cycle::{Cycle, advance};
use super::geometry::{Geometry, ROWS};
use super::queue::{StreamContext, context};
use sagen_lang::{Design, ModuleId, bit, high, interface, low, unsigned};

interface! {
    /// What becomes of the beats.
    pub(super) struct Intake() {
        beat_valid: -> bit(),
        beat_ready: <- bit(),
        /// The weight buffer has room.
        weight_room: -> bit(),
        scale_write: <- bit(),
        weight_write: <- bit(),
    }
}

/// `beat_ready` depends on registers and `weight_room` only. `scale_write` and `weight_write` say what the
/// beat of this cycle is.
pub(super) fn intake(d: &mut Design, g: Geometry) -> ModuleId {
    d.module(format!("array_intake_b{}", g.beat), |m| {
        m.doc("Takes the beats of a descriptor: of every block the scale beats, then the weight beats.");
        let (port, ctx) = (m.slave("", Intake::layout()), m.slave(context(), StreamContext::layout()));

        let running = m.reg("running", bit()).reset(0);
        let scales = m.reg("scales", bit());
        let runs = m.reg("runs", unsigned(8 + g.runs().ilog2()));
        let runs_left = m.reg("runs_left", unsigned(8 + g.runs().ilog2()));
        let blocks_left = m.reg("blocks_left", unsigned(16));
        let piece = Cycle::new(m, "piece", g.scale_beats());
        let row = Cycle::new(m, "row", ROWS);

        let ready = m.net("accepts", running & (scales | port.weight_room));
        let taken = m.net("taken", ready & port.beat_valid);
        let scale_write = m.net("takes_scale", taken & scales);
        let weight_write = m.net("takes_weight", taken & !scales);
        advance(m, scale_write, &[piece]);
        advance(m, weight_write, &[row]);
        let run_end = m.net("run_end", weight_write & row.last());
        let block_end = m.net("block_end", run_end & runs_left.is_zero());
        let finish = m.net("finish", block_end & blocks_left.eq_lit(1));
        let take = m.net("takes_ctx", ctx.valid & (!running | finish));

        m.when(scale_write & piece.last(), || {
            m.set(scales, low());
            m.set(runs_left, runs);
        });
        m.when(run_end, || m.set(runs_left, runs_left.sub_lit(1)));
        m.when(block_end, || {
            m.set(scales, high());
            m.set(blocks_left, blocks_left.sub_lit(1));
        });
        m.when(finish, || m.set(running, low()));
        m.when(take, || {
            m.set(running, high());
            m.set(scales, high());
            m.set(runs, ctx.of.groups.extend(runs.width()).shl(g.runs().ilog2()).sub_lit(1));
            m.set(blocks_left, ctx.of.blocks);
        });
        ctx.take.drive(take);
        port.beat_ready.drive(ready);
        port.scale_write.drive(scale_write);
        port.weight_write.drive(weight_write);
    })
}
