//! The overlay as other tools take it: FuseSoC core file and IP-XACT component, from the ports of the synthesis top,
//! the list of sources and the CSR map.

use super::tables::{TableError, render};
use super::verilog::WAIVERS;
use super::{File, Verilog};
use sagen_lang::{Direction, Port};
use sagen_overlay::{Interface, InterfaceKind, Overlay, Register};
use serde::Serialize;

const CORE: &str = include_str!("../../templates/overlay.core");
const COMPONENT: &str = include_str!("../../templates/component.xml");

/// A port of the top in the terms of IP-XACT.
#[derive(Serialize)]
struct Wire {
    name: String,
    direction: &'static str,
    msb: u32,
}

/// One signal of a bus: name in the standard, port of the top.
#[derive(Serialize)]
struct Signal {
    logical: String,
    physical: String,
}

/// One AXI interface.
#[derive(Serialize)]
struct Bus {
    name: String,
    kind: &'static str,
    slave: bool,
    /// Address space of a master.
    space: String,
    /// Bits of its data.
    width: u32,
    board_port: String,
    /// What an interconnect may rely on.
    parameters: Vec<(&'static str, u32)>,
    signals: Vec<Signal>,
}

#[derive(Serialize)]
struct Package {
    name: String,
    version: &'static str,
    board: String,
    part: String,
    top: String,
    sim_top: String,
    build_hash: String,
    sources: Vec<String>,
    sim_sources: Vec<String>,
    /// For Verilator, where some sources are not ours.
    waivers: Option<&'static str>,
    ports: Vec<Wire>,
    buses: Vec<Bus>,
    /// Bytes that a master reaches.
    range: u64,
    csrs: Vec<Register>,
    csr_bytes: u32,
}

/// `sagen_overlay.core` and `component.xml`.
pub fn package(overlay: &Overlay, emitted: &Verilog) -> Result<Vec<File>, TableError> {
    let verilog = emitted.files.iter().map(|f| f.path.clone()).filter(|p| p.ends_with(".v"));
    let (sim_sources, sources) = verilog.partition(|p| *p == format!("rtl/{}.v", overlay.sim_top));
    let package = Package {
        name: overlay.name.clone(),
        version: env!("CARGO_PKG_VERSION"),
        board: overlay.board.name.clone(),
        part: overlay.board.part.clone(),
        top: overlay.top.clone(),
        sim_top: overlay.sim_top.clone(),
        build_hash: format!("{:08x}", emitted.build_hash),
        sources,
        sim_sources,
        waivers: emitted.files.iter().any(|f| f.path == WAIVERS).then_some(WAIVERS),
        ports: clock_and_reset().chain(emitted.ports.iter().map(wire)).collect(),
        buses: overlay.interfaces.iter().map(|i| bus(overlay, i, &emitted.ports)).collect(),
        range: 1 << 40,
        csrs: overlay.registers.registers.clone(),
        csr_bytes: overlay.registers.bytes,
    };
    let file =
        |path: &'static str, template| Ok(File { path: path.to_string(), text: render(path, template, &package)? });
    Ok(vec![file("sagen_overlay.core", CORE)?, file("component.xml", COMPONENT)?])
}

/// Every top has both, and the design does not list them.
fn clock_and_reset() -> impl Iterator<Item = Wire> {
    ["clk", "rst"].into_iter().map(|name| Wire { name: name.to_string(), direction: "in", msb: 0 })
}

fn wire(port: &Port) -> Wire {
    let direction = match port.direction {
        Direction::Input => "in",
        Direction::Output => "out",
    };
    Wire { name: port.name.clone(), direction, msb: port.ty.width - 1 }
}

fn bus(overlay: &Overlay, interface: &Interface, ports: &[Port]) -> Bus {
    let board = &overlay.board;
    let (kind, slave, board_port) = match &interface.kind {
        InterfaceKind::Registers => ("AXI4-Lite", true, &board.control.name),
        InterfaceKind::Memory(master) => ("AXI4", false, &board.ports[master.board_port].name),
    };
    let signal = |port: &Port| {
        let logical = interface.signal(&port.name)?.to_uppercase();
        Some(Signal { logical, physical: port.name.clone() })
    };
    Bus {
        name: interface.name.clone(),
        kind,
        slave,
        space: format!("{}_memory", interface.name.trim_end_matches("_axi")),
        width: interface.bits,
        board_port: board_port.clone(),
        parameters: interface.parameters(),
        signals: ports.iter().filter_map(signal).collect(),
    }
}
