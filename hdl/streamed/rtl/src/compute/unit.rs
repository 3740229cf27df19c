//! Compute unit: hands descriptors to the GEMV engine or to the array engine, in order.
//!
//! Consecutive descriptors of one engine may overlap inside it; a change of engine waits until the other is
//! idle. The engine of the last accepted descriptor owns the beats and the memory ports.

use super::array::array_engine;
use super::gemv::gemv_engine;
use crate::fields::is;
use sagen_lang::{Design, Instance, Module, ModuleId, Signal, bit, unsigned};
use sagen_streamed_arch::StreamedConfig;

/// The compute unit.
pub fn compute_unit(d: &mut Design, overlay: &StreamedConfig) -> ModuleId {
    let (gemv, array) = (gemv_engine(d, overlay), array_engine(d, overlay));
    d.module("compute_unit", |m| {
        m.doc("GEMV engine and array engine behind one descriptor port; see docs/units/compute.md.");
        let engines = Engines { gemv: m.instance("u_gemv", gemv), array: m.instance("u_array", array) };
        let array_owns = engines.descriptors(m);
        engines.inputs(m, overlay, array_owns);
        engines.outputs(m, array_owns);
    })
}

struct Engines {
    gemv: Instance,
    array: Instance,
}

impl Engines {
    /// Dispatches; returns whether the array engine owns the shared ports.
    fn descriptors(&self, m: &Module) -> Signal {
        let desc = m.input("desc", unsigned(512));
        let valid = m.input("desc_valid", bit());
        let matmul = m.net("is_matmul", is(desc, "Matmul"));
        let free = m.net("free", !matmul.mux(self.gemv.output("busy"), self.array.output("busy")));
        let ready = matmul.mux(self.array.output("desc_ready"), self.gemv.output("desc_ready"));
        let ready = m.net("open", free & ready);
        for (engine, mine) in [(self.gemv, !matmul), (self.array, matmul)] {
            engine.input("desc", desc);
            engine.input("desc_valid", valid & free & mine);
        }
        let array_owns = m.reg("array_owns", bit()).reset(0);
        m.when(valid & ready, || m.set(array_owns, matmul));
        m.output("desc_ready", ready);
        array_owns.q()
    }

    fn inputs(&self, m: &Module, overlay: &StreamedConfig, array_owns: Signal) {
        let beat = 8 * overlay.beat_bytes() as u32;
        for name in ["limit_value", "count_value"] {
            self.gemv.input(name, m.input(name, unsigned(32)));
        }
        let shared = [("beat", beat), ("code_data", 512), ("code_shift", 2), ("scale_data", 24)];
        for (name, width) in shared {
            let signal = m.input(name, unsigned(width));
            self.gemv.input(name, signal);
            self.array.input(name, signal);
        }
        for name in ["beat_valid", "w_ready"] {
            let signal = m.input(name, bit());
            self.gemv.input(name, signal & !array_owns);
            self.array.input(name, signal & array_owns);
        }
    }

    fn outputs(&self, m: &Module, array_owns: Signal) {
        let owned = ["beat_ready", "code_en", "code_addr", "scale_en", "scale_addr"];
        for name in owned.into_iter().chain(["w_valid", "w_addr", "w_data", "w_mask", "event_starved"]) {
            m.output(name, array_owns.mux(self.array.output(name), self.gemv.output(name)));
        }
        for name in ["done", "busy"] {
            m.output(name, self.array.output(name) | self.gemv.output(name));
        }
        for name in ["limit_index", "count_index", "reg_write", "reg_index", "reg_data"] {
            m.output(name, self.gemv.output(name));
        }
    }
}
