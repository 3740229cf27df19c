//! The overlay: units, memories, control and memory ports wired together. `overlay` is the synthesis top;
//! `overlay_sim` has the same ports and shows every memory write and completion on `tap_*` outputs.

pub(crate) mod ports;
mod taps;

use crate::compute::compute_unit;
use crate::control::csr::{Identity, csr_block};
use crate::control::fetch::fetch_unit;
use crate::control::scheduler::scheduler;
use crate::dma::load::load_unit;
use crate::dma::store::store_unit;
use crate::dma::stream::stream_unit;
use crate::interface::{
    AxiLite, Beats, CodeRead, CodeWrite, Completions, Events, Faults, Launch, ScaleRead, ScaleWrite, ScratchRead,
    ScratchTurn, ScratchWrite, StepRead, StepWrite, UnitPort, axi,
};
use crate::memory::code_memory::code_memory;
use crate::memory::scale_file::scale_file;
use crate::memory::scratchpad::scratchpad;
use crate::vector::vector_unit;
use sagen_lang::{Bundle, Design, Instance, Module, ModuleId, Signal, connect};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{UNITS, Unit};

/// Name of the synthesis top.
pub const TOP: &str = "overlay";
/// Name of the co-simulation top.
pub const SIM_TOP: &str = "overlay_sim";

/// Both tops of an overlay.
pub struct Tops {
    /// For synthesis.
    pub overlay: ModuleId,
    /// For co-simulation.
    pub sim: ModuleId,
}

/// Build every module of an overlay.
pub fn overlay(d: &mut Design, overlay: &StreamedConfig, build_hash: u32) -> Tops {
    let core = core(d, overlay, build_hash);
    Tops { overlay: shell(d, TOP, core, false), sim: shell(d, SIM_TOP, core, true) }
}

/// The core with or without its observation outputs.
fn shell(d: &mut Design, name: &str, core: ModuleId, taps: bool) -> ModuleId {
    d.module(name, |m| {
        m.doc("An LLM accelerator: AXI4-Lite control, AXI4 memory ports.");
        m.pass_all(m.instance("u_core", core), |interface| taps || !interface.prefix.starts_with("tap_"));
    })
}

struct Parts {
    csr: Instance,
    /// The units are held in reset and the ports are drained.
    drain: Signal,
    fetch: Instance,
    scheduler: Instance,
    stream: Instance,
    compute: Instance,
    vector: Instance,
    load: Instance,
    store: Instance,
    scratch: Instance,
    codes: Instance,
    scales: Instance,
}

fn core(d: &mut Design, overlay: &StreamedConfig, build_hash: u32) -> ModuleId {
    let geometry = overlay.side() | overlay.arrays() << 8 | overlay.stream_ports() << 16 | overlay.port_bytes() << 24;
    let csr = csr_block(d, Identity { build_hash, geometry: geometry as u32 });
    let (fetch, scheduler) = (fetch_unit(d, overlay), scheduler(d));
    let (stream, compute, vector) = (stream_unit(d, overlay), compute_unit(d, overlay), vector_unit(d, overlay));
    let (load, store) = (load_unit(d, overlay), store_unit(d, overlay));
    let (scratch, codes, scales) = (scratchpad(d, overlay), code_memory(d, overlay), scale_file(d));
    let shared = ports::Shared::new(d, overlay);
    d.module("overlay_core", |m| {
        m.doc("Units, memories, control and memory ports wired together.");
        let csr = m.instance("u_csr", csr);
        let drain = csr.output("drain");
        let drained = |name: &str, module: ModuleId| m.instance(name, module).reset_by(drain);
        let parts = Parts {
            csr,
            drain,
            fetch: drained("u_fetch", fetch),
            scheduler: m.instance("u_scheduler", scheduler),
            stream: drained("u_stream", stream),
            compute: drained("u_compute", compute),
            vector: drained("u_vector", vector),
            load: drained("u_load", load),
            store: drained("u_store", store),
            scratch: drained("u_scratchpad", scratch),
            codes: m.instance("u_code_memory", codes),
            scales: m.instance("u_scale_file", scales),
        };
        m.pass_slave(axi("s_axi_"), &parts.csr.slave::<AxiLite>("s_axi_"));
        parts.control(m);
        parts.units();
        parts.memories();
        parts.events();
        parts.taps(m);
        parts.ports(m, overlay, &shared);
    })
}

impl Parts {
    fn unit(&self, unit: Unit) -> Instance {
        match unit {
            Unit::Stream => self.stream,
            Unit::Compute => self.compute,
            Unit::Vector => self.vector,
            Unit::Load => self.load,
            Unit::Store => self.store,
        }
    }

    fn control(&self, m: &Module) {
        let (csr, fetch, scheduler) = (self.csr, self.fetch, self.scheduler);
        let launch = csr.master::<Launch>("");
        connect(&launch, &fetch.slave(""));
        scheduler.input("start", launch.ports().start);
        scheduler.input("drain", self.drain);
        let (from, to) = (fetch.master::<Beats>("desc"), scheduler.slave::<Beats>("desc"));
        connect(&from, &to);
        let taken = m.net("desc_taken", from.ports().valid & to.ports().ready);
        csr.input("desc_taken", taken);
        csr.input("all_done", scheduler.output("all_done"));
        let faults = Faults {
            fetch_error: fetch.output("bus_error"),
            stream_error: self.stream.output("bus_error"),
            load_error: self.load.output("bus_error"),
            store_error: self.store.output("bus_error"),
            unknown_opcode: scheduler.output("unknown"),
        };
        faults.to_inputs(csr, "");
        for unit in UNITS {
            let prefix = format!("{}_", unit.name());
            connect(&scheduler.master::<Completions>(&prefix), &csr.slave(&prefix));
        }
    }

    fn units(&self) {
        for unit in UNITS {
            connect(&self.scheduler.master::<UnitPort>(format!("{}_", unit.name())), &self.unit(unit).slave(""));
        }
        for unit in [Unit::Stream, Unit::Load, Unit::Store, Unit::Vector] {
            let reader = format!("{}_", unit.name());
            connect(&self.unit(unit).master::<StepRead>("step_"), &self.csr.slave(reader));
        }
        for reader in ["limit_", "count_"] {
            connect(&self.compute.master::<StepRead>(reader), &self.csr.slave(reader));
        }
        connect(&self.compute.master::<StepWrite>("reg_"), &self.csr.slave("reg_"));
        connect(&self.stream.master::<Beats>("beat"), &self.compute.slave("beat"));
    }

    fn memories(&self) {
        let (scratch, vector, compute) = (self.scratch, self.vector, self.compute);
        for unit in [Unit::Vector, Unit::Compute, Unit::Load] {
            let writer = format!("{}_", unit.name());
            connect(&self.unit(unit).master::<ScratchWrite>("w_"), &scratch.slave(writer));
        }
        for port in ["a_", "b_"] {
            connect(&vector.master::<ScratchRead>(port), &scratch.slave(port));
        }
        connect(&self.store.master::<ScratchTurn>("s_"), &scratch.slave("s_"));
        self.store.input("s_data", scratch.slave::<ScratchRead>("b_").ports().data);
        connect(&vector.master::<CodeWrite>("c_"), &self.codes.slave("c_"));
        connect(&vector.master::<ScaleWrite>("f_"), &self.scales.slave("f_"));
        connect(&compute.master::<CodeRead>("code_"), &self.codes.slave("r_"));
        connect(&compute.master::<ScaleRead>("scale_"), &self.scales.slave("r_"));
    }

    /// The compute unit takes a beat.
    fn beat_passes(&self) -> Signal {
        let (from, to) = (self.stream.master::<Beats>("beat").ports(), self.compute.slave::<Beats>("beat").ports());
        from.valid & to.ready
    }

    fn events(&self) {
        let busy = |unit: Unit| self.unit(unit).output("busy");
        let held = |unit: Unit| self.scheduler.output(&format!("{}_held", unit.name()));
        let wait = |unit: Unit| held(unit) & !busy(unit);
        let [compute_wait, vector_wait, load_wait, store_wait] =
            [Unit::Compute, Unit::Vector, Unit::Load, Unit::Store].map(wait);
        let events = Events {
            stream_busy: busy(Unit::Stream),
            stream_wait: held(Unit::Stream),
            stream_blocked: self.stream.output("event_blocked"),
            compute_busy: busy(Unit::Compute),
            compute_wait,
            compute_starved: self.compute.output("event_starved"),
            compute_beats: self.beat_passes(),
            vector_busy: busy(Unit::Vector),
            vector_wait,
            load_busy: busy(Unit::Load),
            load_wait,
            store_busy: busy(Unit::Store),
            store_wait,
            fetch_blocked: self.scheduler.output("blocked"),
        };
        events.to_inputs(self.csr, "event_");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use std::collections::BTreeMap;

    #[test]
    fn every_port_of_the_tops_belongs_to_one_interface() {
        for name in ["d8_100mhz", "d16_100mhz_w128_p6"] {
            let mut d = Design::new();
            let tops = overlay(&mut d, &testing::overlay(name), 0);
            d.finish().unwrap();
            for (top, taps) in [(tops.overlay, 0), (tops.sim, 7)] {
                let manifest = d.manifest(top);
                let mut owners: BTreeMap<&str, u32> = BTreeMap::new();
                let ports = manifest.top().interfaces.iter().flat_map(|i| &i.ports);
                ports.for_each(|(_, port)| *owners.entry(port).or_default() += 1);
                for port in &manifest.top().ports {
                    assert_eq!(owners.get(port.name.as_str()), Some(&1), "{name}: {}", port.name);
                }
                assert_eq!(owners.len(), manifest.top().ports.len(), "{name}");
                let shown = manifest.top().interfaces.iter().filter(|i| i.prefix.starts_with("tap_")).count();
                assert_eq!(shown, taps, "{name}");
            }
        }
    }
}
