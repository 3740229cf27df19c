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

use geometry::{BAND, Geometry};
use sagen_lang::{Design, Instance, Module, ModuleId, bit, unsigned};
use sagen_streamed_arch::StreamedConfig;

/// The array engine of an overlay.
pub fn array_engine(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    engine(d, Geometry::of(overlay))
}

struct Parts {
    queue: Instance,
    intake: Instance,
    scales: Instance,
    weights: Instance,
    issue: Instance,
    feed: Instance,
    bands: Vec<Instance>,
    accumulate: Instance,
    drain: Instance,
}

fn engine(d: &mut Design, g: Geometry) -> ModuleId {
    let (queue, intake, scales) = (queue::queue(d), intake::intake(d, g), scales::scales(d, g));
    let (weights, issue, feed) = (weights::weights(d, g), issue::issue(d, g), feed::feed(d, g));
    let (band, accumulate, drain) = (band::band(d, g), accumulate::accumulate(d, g), drain::drain(d, g));
    d.module(format!("array_engine_{}{}", g.tag(), g.variant()), |m| {
        m.doc("Executes Matmul on weight-stationary systolic arrays.");
        let parts = Parts {
            queue: m.instance("u_queue", queue),
            intake: m.instance("u_intake", intake),
            scales: m.instance("u_scales", scales),
            weights: m.instance("u_weights", weights),
            issue: m.instance("u_issue", issue),
            feed: m.instance("u_feed", feed),
            bands: (0..g.bands()).map(|i| m.instance(&format!("u_band{i}"), band)).collect(),
            accumulate: m.instance("u_accumulate", accumulate),
            drain: m.instance("u_drain", drain),
        };
        parts.descriptors(m);
        parts.stream(m, g);
        parts.steps(m, g);
        parts.arrays(g);
        parts.results(m);
    })
}

fn connect(from: Instance, output: &str, to: Instance, input: &str) {
    to.input(input, from.output(output));
}

impl Parts {
    fn descriptors(&self, m: &Module) {
        self.queue.input("desc", m.input("desc", unsigned(512)));
        self.queue.input("desc_valid", m.input("desc_valid", bit()));
        connect(self.drain, "done", self.queue, "done");
        m.output("desc_ready", self.queue.output("desc_ready"));
        m.output("busy", self.queue.output("busy"));
        m.output("done", self.drain.output("done"));
        for ((reader, fields), unit) in queue::READERS.into_iter().zip([self.intake, self.issue, self.drain]) {
            connect(unit, "ctx_take", self.queue, &format!("{reader}_take"));
            connect(self.queue, &format!("{reader}_valid"), unit, "ctx_valid");
            for field in fields {
                connect(self.queue, &format!("{reader}_{field}"), unit, field);
            }
        }
    }

    fn stream(&self, m: &Module, g: Geometry) {
        let beat = m.input("beat", unsigned(8 * g.beat));
        self.intake.input("beat_valid", m.input("beat_valid", bit()));
        m.output("beat_ready", self.intake.output("beat_ready"));
        self.scales.input("beat", beat);
        self.weights.input("beat", beat);
        connect(self.intake, "scale_write", self.scales, "write");
        connect(self.intake, "weight_write", self.weights, "write");
        connect(self.weights, "room", self.intake, "weight_room");
    }

    fn steps(&self, m: &Module, g: Geometry) {
        let (issue, feed) = (self.issue, self.feed);
        connect(self.weights, "tile_ready", issue, "tile_ready");
        connect(issue, "start", self.weights, "start");
        connect(self.drain, "retire", issue, "retire");
        m.output("code_en", issue.output("code_en"));
        m.output("code_addr", issue.output("code_addr"));
        feed.input("code_data", m.input("code_data", unsigned(512)));
        feed.input("code_shift", m.input("code_shift", unsigned(2)));
        connect(self.queue, "busy", feed, "running");
        connect(issue, "code_en", feed, "row_valid");
        for name in ["first_row", "block_due", "accumulate", "bank", "row"] {
            connect(issue, name, feed, name);
        }
        for (name, states) in [("half", g.halves()), ("part", g.parts())] {
            if states > 1 {
                connect(issue, name, feed, name);
            }
        }
        let starved = m.reg("starved", bit()).reset(0);
        m.set(starved, issue.output("starved"));
        m.output("event_starved", starved);
    }

    fn arrays(&self, g: Geometry) {
        let x = self.feed.output("x").lanes(8 * BAND);
        let w = self.weights.output("w").lanes(8 * BAND);
        for (i, band) in self.bands.iter().enumerate() {
            band.input("x", x[i]);
            band.input("w", w[i]);
            connect(self.queue, "busy", *band, "running");
            connect(self.weights, "load", *band, "load");
            connect(self.feed, "swap", *band, "swap");
            connect(self.feed, "enter", *band, "enter");
            band::connect_sums(g, *band, self.accumulate, &format!("p{i}"));
        }
        for name in ["valid", "block_due", "shift", "place"] {
            connect(self.feed, &format!("sum_{name}"), self.accumulate, name);
        }
    }

    fn results(&self, m: &Module) {
        let (drain, accumulate) = (self.drain, self.accumulate);
        connect(accumulate, "block_final", drain, "block_final");
        connect(drain, "acc_read", accumulate, "read");
        connect(drain, "acc_at", accumulate, "read_at");
        connect(accumulate, "read_data", drain, "acc_data");
        connect(drain, "scales_read", self.scales, "read");
        connect(drain, "retire", self.scales, "retire");
        connect(self.scales, "block", drain, "row_scales");
        m.output("scale_en", drain.output("scale_en"));
        m.output("scale_addr", drain.output("scale_addr"));
        drain.input("scale_data", m.input("scale_data", unsigned(24)));
        for name in ["w_valid", "w_addr", "w_data", "w_mask"] {
            m.output(name, drain.output(name));
        }
        drain.input("w_ready", m.input("w_ready", bit()));
    }
}
