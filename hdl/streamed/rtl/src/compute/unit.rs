//! Compute unit: hands descriptors to the GEMV engine or to the array engine, in order.
//!
//! Consecutive descriptors of one engine may overlap inside it; a change of engine waits until the other is
//! idle. The engine of the last accepted descriptor owns the beats and the memory ports.

use super::array::array_engine;
use super::gemv::gemv_engine;
use crate::fields::Decode;
use crate::interface::{
    Beats, CodeRead, ScaleRead, ScratchWrite, StepRead, StepWrite, UnitPort, data_first, unit_port,
};
use sagen_lang::{Design, Instance, Module, ModuleId, Signal, bit};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::ComputeOpcode;

/// The compute unit.
pub fn compute_unit(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let (gemv, array) = (gemv_engine(d, overlay), array_engine(d, overlay));
    d.module("compute_unit", |m| {
        m.doc("GEMV engine and array engine behind one descriptor port; see docs/units/compute.md.");
        let engines = Engines { gemv: m.instance("u_gemv", gemv), array: m.instance("u_array", array) };
        let array_owns = engines.descriptors(m);
        engines.beats(m, overlay, array_owns);
        engines.memories(m, array_owns);
        engines.results(m, array_owns);
    })
}

struct Engines {
    gemv: Instance,
    array: Instance,
}

impl Engines {
    /// Dispatches; returns whether the array engine owns the shared ports.
    fn descriptors(&self, m: &Module) -> Signal {
        let unit = unit_port(m);
        let [gemv, array] = self.ports(|u| u.slave::<UnitPort>("").ports());
        let matmul = m.net("is_matmul", array_executes(unit.desc));
        let free = m.net("free", !matmul.mux(self.gemv.output("busy"), self.array.output("busy")));
        let ready = m.net("open", free & matmul.mux(array.ready, gemv.ready));
        for (engine, mine) in [(&gemv, !matmul), (&array, matmul)] {
            engine.desc.drive(unit.desc);
            engine.valid.drive(unit.valid & free & mine);
        }
        let array_owns = m.reg("array_owns", bit()).reset(0);
        m.when(unit.valid & ready, || m.set(array_owns, matmul));
        unit.ready.drive(ready);
        unit.done.drive(array.done | gemv.done);
        m.output("busy", self.array.output("busy") | self.gemv.output("busy"));
        array_owns.q()
    }

    fn beats(&self, m: &Module, overlay: &StreamedConfig, array_owns: Signal) {
        let beats = m.slave(data_first("beat"), Beats::layout(8 * overlay.beat_bytes() as u32));
        let [gemv, array] = self.ports(|u| u.slave::<Beats>("beat").ports());
        for (engine, mine) in [(&gemv, !array_owns), (&array, array_owns)] {
            engine.data.drive(beats.data);
            engine.valid.drive(beats.valid & mine);
        }
        beats.ready.drive(array_owns.mux(array.ready, gemv.ready));
        let [gemv, array] = self.ports(|u| u.output("event_starved"));
        m.output("event_starved", array_owns.mux(array, gemv));
    }

    /// The owner asks; both see the answer.
    fn memories(&self, m: &Module, array_owns: Signal) {
        let code = m.master("code_", CodeRead::layout());
        let [gemv, array] = self.ports(|u| u.master::<CodeRead>("code_").ports());
        code.en.drive(array_owns.mux(array.en, gemv.en));
        code.addr.drive(array_owns.mux(array.addr, gemv.addr));
        for engine in [gemv, array] {
            engine.data.drive(code.data);
            engine.shift.drive(code.shift);
        }
        let scale = m.master("scale_", ScaleRead::layout());
        let [gemv, array] = self.ports(|u| u.master::<ScaleRead>("scale_").ports());
        scale.en.drive(array_owns.mux(array.en, gemv.en));
        scale.addr.drive(array_owns.mux(array.addr, gemv.addr));
        for engine in [gemv, array] {
            engine.data.drive(scale.data);
        }
    }

    fn results(&self, m: &Module, array_owns: Signal) {
        let write = m.master("w_", ScratchWrite::layout(true));
        let [gemv, array] = self.ports(|u| u.master::<ScratchWrite>("w_").ports());
        write.valid.drive(array_owns.mux(array.valid, gemv.valid));
        write.addr.drive(array_owns.mux(array.addr, gemv.addr));
        write.data.drive(array_owns.mux(array.data, gemv.data));
        write.mask.drive(array_owns.mux(array.mask, gemv.mask));
        let ready = write.ready.expect("the unit may be refused");
        gemv.ready.expect("of an engine").drive(ready & !array_owns);
        array.ready.expect("of an engine").drive(ready & array_owns);
        m.pass_master("reg_", &self.gemv.master::<StepWrite>("reg_"));
        for reader in ["limit_", "count_"] {
            m.pass_master(reader, &self.gemv.master::<StepRead>(reader));
        }
    }

    fn ports<T>(&self, of: impl Fn(Instance) -> T) -> [T; 2] {
        [of(self.gemv), of(self.array)]
    }
}

/// Who executes an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    Gemv,
    Array,
}

fn engine(operation: ComputeOpcode) -> Engine {
    match operation {
        ComputeOpcode::Matvec | ComputeOpcode::Score | ComputeOpcode::WeightedSum => Engine::Gemv,
        ComputeOpcode::Matmul => Engine::Array,
    }
}

/// High while a descriptor is one of the array's.
fn array_executes(desc: Signal) -> Signal {
    let its = ComputeOpcode::ALL.iter().filter(|o| engine(**o) == Engine::Array);
    its.map(|o| desc.is(o.opcode())).reduce(|a, b| a | b).expect("the array has an operation")
}
