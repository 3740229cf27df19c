//! The overlay: units, memories, control and memory ports wired together. `overlay` is the synthesis top;
//! `overlay_sim` has the same ports and shows every memory write and completion on `tap_*` outputs.

use crate::compute::compute_unit;
use crate::control::csr::{CSR_ADDRESS_BITS, Identity, csr_block};
use crate::control::fetch::fetch_unit;
use crate::control::scheduler::scheduler;
use crate::control::step_registers::READERS;
use crate::dma::arbiter::read_arbiter;
use crate::dma::load::load_unit;
use crate::dma::store::store_unit;
use crate::dma::stream::stream_unit;
use crate::memory::code_memory::code_memory;
use crate::memory::scale_file::scale_file;
use crate::memory::scratchpad::scratchpad;
use crate::vector::vector_unit;
use sagen_lang::{Design, Direction, Instance, Module, ModuleId, Signal, bit, lit, pack, unsigned};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::UNITS;

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
    let ports = d.ports(core).to_vec();
    d.module(name, |m| {
        let u = m.instance("u_core", core);
        for port in &ports {
            match port.direction {
                Direction::Input => u.input(&port.name, m.input(&port.name, port.ty)),
                Direction::Output if taps || !port.name.starts_with("tap_") => {
                    m.output(&port.name, u.output(&port.name));
                }
                Direction::Output => {}
            }
        }
    })
}

struct Parts {
    csr: Instance,
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
    let arbiters: Vec<Option<ModuleId>> = (0..overlay.ports())
        .map(|port| match readers(overlay, port).len() {
            0 | 1 => None,
            n => Some(read_arbiter(d, n as u32, overlay.port_bytes() as u32)),
        })
        .collect();
    d.module("overlay_core", |m| {
        let parts = Parts {
            csr: m.instance("u_csr", csr),
            fetch: m.instance("u_fetch", fetch),
            scheduler: m.instance("u_scheduler", scheduler),
            stream: m.instance("u_stream", stream),
            compute: m.instance("u_compute", compute),
            vector: m.instance("u_vector", vector),
            load: m.instance("u_load", load),
            store: m.instance("u_store", store),
            scratch: m.instance("u_scratchpad", scratch),
            codes: m.instance("u_code_memory", codes),
            scales: m.instance("u_scale_file", scales),
        };
        parts.slave(m);
        parts.control(m);
        parts.units();
        parts.memories();
        parts.events();
        parts.taps(m);
        for (port, arbiter) in arbiters.iter().enumerate() {
            parts.read_port(m, overlay, port, *arbiter);
        }
        parts.write_port(m, overlay);
    })
}

/// A unit's read channel: instance and prefix of its ports.
#[derive(Clone, Copy)]
enum Reader {
    Fetch,
    Load,
    Stream(usize),
}

/// Who reads through a port, most urgent first.
fn readers(overlay: &StreamedConfig, port: usize) -> Vec<Reader> {
    let mut readers = Vec::new();
    if overlay.command_port() == port {
        readers.push(Reader::Fetch);
    }
    if overlay.data_port() == port {
        readers.push(Reader::Load);
    }
    if port < overlay.stream_ports() {
        readers.push(Reader::Stream(port));
    }
    readers
}

/// A port with several readers has an arbiter.
pub(crate) fn shared(overlay: &StreamedConfig, port: usize) -> bool {
    readers(overlay, port).len() > 1
}

/// Instance of a port's arbiter.
pub(crate) fn arbiter_name(port: usize) -> String {
    format!("u_arbiter{port}")
}

fn connect(from: Instance, output: &str, to: Instance, input: &str) {
    to.input(input, from.output(output));
}

impl Parts {
    fn unit(&self, index: usize) -> Instance {
        [self.stream, self.compute, self.vector, self.load, self.store][index]
    }

    fn slave(&self, m: &Module) {
        let widths = [
            ("awaddr", CSR_ADDRESS_BITS),
            ("awvalid", 1),
            ("wdata", 32),
            ("wstrb", 4),
            ("wvalid", 1),
            ("bready", 1),
            ("araddr", CSR_ADDRESS_BITS),
            ("arvalid", 1),
            ("rready", 1),
        ];
        for (name, width) in widths {
            let name = format!("s_axi_{name}");
            self.csr.input(&name, m.input(&name, unsigned(width)));
        }
        for name in ["awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid"] {
            let name = format!("s_axi_{name}");
            m.output(&name, self.csr.output(&name));
        }
    }

    fn control(&self, m: &Module) {
        let (csr, fetch, scheduler) = (self.csr, self.fetch, self.scheduler);
        connect(csr, "start", fetch, "start");
        connect(csr, "start", scheduler, "start");
        connect(csr, "program_address", fetch, "address");
        connect(csr, "program_descriptors", fetch, "length");
        connect(fetch, "desc", scheduler, "desc");
        connect(fetch, "desc_valid", scheduler, "desc_valid");
        connect(scheduler, "desc_ready", fetch, "desc_ready");
        let taken = m.net("desc_taken", fetch.output("desc_valid") & scheduler.output("desc_ready"));
        csr.input("desc_taken", taken);
        connect(scheduler, "all_done", csr, "all_done");
        connect(fetch, "bus_error", csr, "fetch_error");
        connect(scheduler, "unknown", csr, "unknown_opcode");
        for (unit, source) in [(self.stream, "stream_error"), (self.load, "load_error"), (self.store, "store_error")] {
            connect(unit, "bus_error", csr, source);
        }
        connect(self.compute, "reg_write", csr, "reg_write");
        connect(self.compute, "reg_index", csr, "reg_index");
        connect(self.compute, "reg_data", csr, "reg_data");
        for unit in UNITS {
            let name = format!("{}_done_count", unit.name());
            connect(scheduler, &name, csr, &name);
        }
    }

    fn units(&self) {
        for unit in UNITS {
            let (instance, name) = (self.unit(unit.index()), unit.name());
            connect(self.scheduler, &format!("{name}_desc"), instance, "desc");
            connect(self.scheduler, &format!("{name}_valid"), instance, "desc_valid");
            connect(instance, "desc_ready", self.scheduler, &format!("{name}_ready"));
            connect(instance, "done", self.scheduler, &format!("{name}_done"));
        }
        for reader in READERS {
            let (unit, prefix) = match reader {
                "stream" => (self.stream, "step"),
                "load" => (self.load, "step"),
                "store" => (self.store, "step"),
                "vector" => (self.vector, "step"),
                of_compute => (self.compute, of_compute),
            };
            unit_reads(unit, prefix, self.csr, reader);
        }
        connect(self.stream, "beat", self.compute, "beat");
        connect(self.stream, "beat_valid", self.compute, "beat_valid");
        connect(self.compute, "beat_ready", self.stream, "beat_ready");
    }

    fn memories(&self) {
        let scratch = self.scratch;
        for (unit, writer) in [(self.vector, "vector"), (self.compute, "compute"), (self.load, "load")] {
            for port in ["valid", "addr", "data", "mask"] {
                connect(unit, &format!("w_{port}"), scratch, &format!("{writer}_{port}"));
            }
        }
        connect(scratch, "compute_ready", self.compute, "w_ready");
        connect(scratch, "load_ready", self.load, "w_ready");
        for (unit, reader) in [(self.vector, "a"), (self.vector, "b"), (self.store, "s")] {
            connect(unit, &format!("{reader}_en"), scratch, &format!("{reader}_en"));
            connect(unit, &format!("{reader}_addr"), scratch, &format!("{reader}_addr"));
        }
        connect(scratch, "a_data", self.vector, "a_data");
        connect(scratch, "b_data", self.vector, "b_data");
        connect(scratch, "b_data", self.store, "s_data");
        connect(scratch, "s_ready", self.store, "s_ready");
        for port in ["c_valid", "c_addr", "c_data", "c_mask", "c_shift"] {
            connect(self.vector, port, self.codes, port);
        }
        for port in ["f_valid", "f_addr", "f_data"] {
            connect(self.vector, port, self.scales, port);
        }
        connect(self.compute, "code_en", self.codes, "r_en");
        connect(self.compute, "code_addr", self.codes, "r_addr");
        connect(self.codes, "r_data", self.compute, "code_data");
        connect(self.codes, "r_shift", self.compute, "code_shift");
        connect(self.compute, "scale_en", self.scales, "r_en");
        connect(self.compute, "scale_addr", self.scales, "r_addr");
        connect(self.scales, "r_data", self.compute, "scale_data");
    }

    fn events(&self) {
        for unit in UNITS {
            let (instance, name) = (self.unit(unit.index()), unit.name());
            let busy = instance.output("busy");
            let held = self.scheduler.output(&format!("{name}_held"));
            self.csr.input(&format!("event_{name}_busy"), busy);
            let waits = if name == "stream" { held } else { held & !busy };
            self.csr.input(&format!("event_{name}_wait"), waits);
        }
        connect(self.stream, "event_blocked", self.csr, "event_stream_blocked");
        connect(self.compute, "event_starved", self.csr, "event_compute_starved");
        let beats = self.stream.output("beat_valid") & self.compute.output("beat_ready");
        self.csr.input("event_compute_beats", beats);
        connect(self.scheduler, "blocked", self.csr, "event_fetch_blocked");
    }

    fn taps(&self, m: &Module) {
        let done: Vec<Signal> = UNITS.iter().map(|u| self.unit(u.index()).output("done")).collect();
        m.output("tap_done", pack(&done));
        self.progress_taps(m);
        let granted = [
            ("vector", self.vector, None),
            ("compute", self.compute, Some("compute_ready")),
            ("load", self.load, Some("load_ready")),
        ];
        for (name, unit, ready) in granted {
            let valid = unit.output("w_valid");
            let valid = ready.map_or(valid, |r| valid & self.scratch.output(r));
            m.output(&format!("tap_{name}_valid"), valid);
            for port in ["addr", "data", "mask"] {
                m.output(&format!("tap_{name}_{port}"), unit.output(&format!("w_{port}")));
            }
        }
        for port in ["c_valid", "c_addr", "c_data", "c_mask", "c_shift", "f_valid", "f_addr", "f_data"] {
            m.output(&format!("tap_{port}"), self.vector.output(port));
        }
        for port in ["reg_write", "reg_index", "reg_data"] {
            m.output(&format!("tap_{port}"), self.compute.output(port));
        }
    }

    /// What a profile needs: descriptors accepted and waiting in the queues, and what the beats do.
    fn progress_taps(&self, m: &Module) {
        let of_scheduler = |name: String| self.scheduler.output(&name);
        let valid: Vec<Signal> = UNITS.iter().map(|u| of_scheduler(format!("{}_valid", u.name()))).collect();
        let held: Vec<Signal> = UNITS.iter().map(|u| of_scheduler(format!("{}_held", u.name()))).collect();
        let ready: Vec<Signal> = UNITS.iter().map(|u| self.unit(u.index()).output("desc_ready")).collect();
        m.output("tap_taken", pack(&valid) & pack(&ready));
        m.output("tap_queued", pack(&valid) | pack(&held));
        m.output("tap_beat", self.stream.output("beat_valid") & self.compute.output("beat_ready"));
        m.output("tap_starved", self.compute.output("event_starved"));
        m.output("tap_blocked", self.stream.output("event_blocked"));
    }

    fn reader(&self, reader: Reader) -> (Instance, String) {
        match reader {
            Reader::Fetch => (self.fetch, String::new()),
            Reader::Load => (self.load, String::new()),
            Reader::Stream(port) => (self.stream, format!("p{port}_")),
        }
    }

    fn read_port(&self, m: &Module, overlay: &StreamedConfig, port: usize, arbiter: Option<ModuleId>) {
        let bytes = overlay.port_bytes() as u32;
        let readers: Vec<_> = readers(overlay, port).into_iter().map(|r| self.reader(r)).collect();
        if readers.is_empty() {
            return;
        }
        let axi = |name: &str| format!("m{port}_axi_{name}");
        let input = |name: &str, width: u32| (name.to_string(), m.input(&axi(name), unsigned(width)));
        let ready = input("arready", 1).1;
        let data = [input("rdata", 8 * bytes), input("rresp", 2), input("rvalid", 1)];
        let last = input("rlast", 1).1;
        let (bus, prefix) = match arbiter {
            None => readers[0].clone(),
            Some(id) => {
                let u = m.instance(&arbiter_name(port), id);
                for (i, (reader, prefix)) in readers.iter().enumerate() {
                    share(*reader, prefix, u, i);
                }
                u.input("r_last", last);
                (u, String::new())
            }
        };
        bus.input(&format!("{prefix}ar_ready"), ready);
        for (name, signal) in data {
            bus.input(&format!("{prefix}r_{}", &name[1..]), signal);
        }
        m.output(&axi("araddr"), bus.output(&format!("{prefix}ar_addr")));
        m.output(&axi("arlen"), bus.output(&format!("{prefix}ar_len")));
        m.output(&axi("arvalid"), bus.output(&format!("{prefix}ar_valid")));
        m.output(&axi("rready"), bus.output(&format!("{prefix}r_ready")));
        burst_constants(m, &axi("ar"), bytes);
    }

    fn write_port(&self, m: &Module, overlay: &StreamedConfig) {
        let bytes = overlay.port_bytes() as u32;
        let axi = |name: &str| format!("m{}_axi_{name}", overlay.data_port());
        let store = self.store;
        store.input("aw_ready", m.input(&axi("awready"), bit()));
        store.input("w_ready", m.input(&axi("wready"), bit()));
        store.input("b_valid", m.input(&axi("bvalid"), bit()));
        store.input("b_resp", m.input(&axi("bresp"), unsigned(2)));
        let outputs = ["aw_addr", "aw_len", "aw_valid", "w_data", "w_strb", "w_last", "w_valid", "b_ready"];
        for name in outputs {
            m.output(&axi(&name.replace('_', "")), store.output(name));
        }
        burst_constants(m, &axi("aw"), bytes);
    }
}

/// A unit's access to the step registers.
fn unit_reads(unit: Instance, prefix: &str, csr: Instance, reader: &str) {
    connect(unit, &format!("{prefix}_index"), csr, &format!("{reader}_index"));
    connect(csr, &format!("{reader}_value"), unit, &format!("{prefix}_value"));
}

fn share(reader: Instance, prefix: &str, arbiter: Instance, i: usize) {
    for name in ["ar_addr", "ar_len", "ar_valid"] {
        arbiter.input(&format!("q{i}_{name}"), reader.output(&format!("{prefix}{name}")));
    }
    arbiter.input(&format!("q{i}_r_ready"), reader.output(&format!("{prefix}r_ready")));
    for name in ["ar_ready", "r_valid", "r_data", "r_resp"] {
        reader.input(&format!("{prefix}{name}"), arbiter.output(&format!("q{i}_{name}")));
    }
}

/// Full-width incrementing bursts of unprivileged data that an interconnect may split and merge.
fn burst_constants(m: &Module, channel: &str, bytes: u32) {
    m.output(&format!("{channel}size"), lit(3, u64::from(bytes.ilog2())));
    m.output(&format!("{channel}burst"), lit(2, 1));
    m.output(&format!("{channel}cache"), lit(4, 0b0011));
    m.output(&format!("{channel}prot"), lit(3, 0));
}
