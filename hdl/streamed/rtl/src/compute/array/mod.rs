//! The systolic array engine: executes `Matmul`. Golden twin: `machine::matmul`, `requant::linear`.
//!
//! Beats go through `intake` to the row scales and the weight buffer; `weights` loads tiles into the arrays' shadow
//! registers; `issue` passes 16 activation rows over every tile; `accumulate` adds their sums up; `drain` turns
//! finished blocks into scratchpad words. All stages work at once, also across descriptors.

mod accumulate;
mod band;
mod cycle;
mod drain;
mod feed;
mod geometry;
mod intake;
mod issue;
mod pe;
mod pe_pair;
mod queue;
mod scales;
#[cfg(test)]
mod tests;
mod weights;

use crate::interface::{Beats, CodeRead, ScaleRead, ScratchWrite, UnitPort, data_first, unit_port};
use accumulate::{Accumulators, Row};
use band::Flow;
use drain::Drain;
use feed::Codes;
use geometry::{BAND, Geometry};
use intake::Intake;
use issue::{Issue, Step};
use queue::{ResultsContext, RowsContext, StreamContext};
use sagen_lang::{Bundle, Design, Instance, Layout, Module, ModuleId, Output, Signal, Sink, connect};
use sagen_streamed_arch::StreamedConfig;
use scales::BlockScales;
use weights::Tiles;

/// The array engine of an overlay.
pub fn array_engine(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    engine(d, Geometry::of(overlay))
}

/// The units, by their ports.
struct Parts {
    queue: Instance,
    intake: Intake<Sink, Signal>,
    scales: BlockScales<Sink, Signal>,
    weights: Tiles<Sink, Signal>,
    issue: Issue<Sink, Signal>,
    codes: Codes<Sink, Signal>,
    bands: Vec<Instance>,
    accumulate: Instance,
    accumulators: Accumulators<Sink, Signal>,
    drain: Instance,
    drained: Drain<Sink, Signal>,
}

fn engine(d: &mut Design, g: Geometry) -> ModuleId {
    let (queue, intake, scales) = (queue::queue(d), intake::intake(d, g), scales::scales(d, g));
    let (weights, issue, feed) = (weights::weights(d, g), issue::issue(d, g), feed::feed(d, g));
    let (band, accumulate, drain) = (band::band(d, g), accumulate::accumulate(d, g), drain::drain(d, g));
    d.module(format!("array_engine_{}{}", g.tag(), g.variant()), |m| {
        m.doc("Executes Matmul on weight-stationary systolic arrays.");
        let place = |name: &str, id: ModuleId| m.instance(&format!("u_{name}"), id);
        let (queue, intake, scales) = (place("queue", queue), place("intake", intake), place("scales", scales));
        let (weights, issue, feed) = (place("weights", weights), place("issue", issue), place("feed", feed));
        let bands = (0..g.bands()).map(|i| place(&format!("band{i}"), band)).collect();
        let (accumulate, drain) = (place("accumulate", accumulate), place("drain", drain));
        connect(&queue.master::<StreamContext>("intake_"), &intake.slave::<StreamContext>(""));
        connect(&queue.master::<RowsContext>("issue_"), &issue.slave::<RowsContext>(""));
        connect(&queue.master::<ResultsContext>("drain_"), &drain.slave::<ResultsContext>(""));
        Step::layout(g).outputs_of(issue, "").to_inputs(feed, "");
        Row::layout(g).outputs_of(feed, "sum_").to_inputs(accumulate, "");
        let parts = Parts {
            queue,
            intake: intake.slave::<Intake>("").ports(),
            scales: scales.slave::<BlockScales>("").ports(),
            weights: weights.slave::<Tiles>("").ports(),
            issue: issue.slave::<Issue>("").ports(),
            codes: feed.slave::<Codes>("").ports(),
            bands,
            accumulate,
            accumulators: accumulate.slave::<Accumulators>("").ports(),
            drain,
            drained: drain.slave::<Drain>("").ports(),
        };
        let unit = parts.descriptors(m);
        parts.stream(m, g);
        parts.steps(m);
        parts.arrays(g);
        parts.results(m, unit);
    })
}

impl Parts {
    fn descriptors(&self, m: &Module) -> UnitPort<Signal, Output> {
        let unit = unit_port(m);
        let desc = self.queue.slave::<Beats>("desc").ports();
        desc.data.drive(unit.desc);
        desc.valid.drive(unit.valid);
        unit.ready.drive(desc.ready);
        self.queue.input("done", self.drained.done);
        m.output("busy", self.queue.output("busy"));
        unit
    }

    fn stream(&self, m: &Module, g: Geometry) {
        let beats = m.slave(data_first("beat"), Beats::layout(8 * g.beat));
        let Parts { intake, scales, weights, .. } = self;
        intake.beat_valid.drive(beats.valid);
        beats.ready.drive(intake.beat_ready);
        scales.beat.drive(beats.data);
        weights.beat.drive(beats.data);
        scales.write.drive(intake.scale_write);
        weights.write.drive(intake.weight_write);
        intake.weight_room.drive(weights.room);
    }

    fn steps(&self, m: &Module) {
        let Parts { issue, codes, weights, .. } = self;
        issue.tile_ready.drive(weights.tile_ready);
        weights.start.drive(issue.start);
        issue.retire.drive(self.drained.retire);
        let code = m.master("code_", CodeRead::layout());
        code.en.drive(issue.code_en);
        code.addr.drive(issue.code_addr);
        codes.code_data.drive(code.data);
        codes.code_shift.drive(code.shift);
        codes.running.drive(self.queue.output("busy"));
        codes.row_valid.drive(issue.code_en);
        m.output("event_starved", m.flag("starved", issue.starved));
    }

    fn arrays(&self, g: Geometry) {
        let Parts { codes, weights, .. } = self;
        let (x, w) = (codes.x.lanes(8 * BAND), weights.w.lanes(8 * BAND));
        for (i, band) in self.bands.iter().enumerate() {
            let running = self.queue.output("busy");
            let flow = Flow { running, load: weights.load, swap: codes.swap, enter: codes.enter, x: x[i], w: w[i] };
            flow.to_inputs(*band, "");
            band::connect_sums(g, *band, self.accumulate, &format!("p{i}"));
        }
    }

    fn results(&self, m: &Module, unit: UnitPort<Signal, Output>) {
        let Parts { drained, accumulators, scales, .. } = self;
        drained.block_final.drive(accumulators.block_final);
        accumulators.read.drive(drained.acc_read);
        accumulators.read_at.drive(drained.acc_at);
        drained.acc_data.drive(accumulators.read_data);
        scales.read.drive(drained.scales_read);
        scales.retire.drive(drained.retire);
        drained.row_scales.drive(scales.block);
        unit.done.drive(drained.done);
        m.pass_master("scale_", &self.drain.master::<ScaleRead>("scale_"));
        m.pass_master("w_", &self.drain.master::<ScratchWrite>("w_"));
    }
}
