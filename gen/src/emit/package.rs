//! The overlay as other tools take it: FuseSoC core file and IP-XACT component, from the ports of the synthesis top,
//! the list of sources and the CSR map.

use super::csr_map::{self, CsrRow};
use super::tables::{TableError, render};
use super::{File, Verilog};
use sagen_lang::{Direction, Port};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_rtl::top::{SIM_TOP, TOP};
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
    signals: Vec<Signal>,
}

#[derive(Serialize)]
struct Package {
    name: String,
    version: &'static str,
    board: String,
    part: String,
    top: &'static str,
    sim_top: &'static str,
    build_hash: String,
    sources: Vec<String>,
    sim_sources: Vec<String>,
    ports: Vec<Wire>,
    buses: Vec<Bus>,
    /// Bytes that a master reaches.
    range: u64,
    csrs: Vec<CsrRow>,
    csr_bytes: u32,
}

/// `sagen_overlay.core` and `component.xml`.
pub fn package(overlay: &StreamedConfig, emitted: &Verilog) -> Result<Vec<File>, TableError> {
    let verilog = emitted.files.iter().map(|f| f.path.clone()).filter(|p| p.ends_with(".v"));
    let (sim_sources, sources) = verilog.partition(|p| *p == format!("rtl/{SIM_TOP}.v"));
    let package = Package {
        name: overlay.name().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        board: overlay.board().name.clone(),
        part: overlay.board().part.clone(),
        top: TOP,
        sim_top: SIM_TOP,
        build_hash: format!("{:08x}", emitted.build_hash),
        sources,
        sim_sources,
        ports: clock_and_reset().chain(emitted.ports.iter().map(wire)).collect(),
        buses: buses(overlay, &emitted.ports),
        range: 1 << 40,
        csrs: csr_map::rows(),
        csr_bytes: sagen_streamed_isa::CSR_BYTES,
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

/// Every port but clock and reset belongs to an AXI interface: `<bus>_axi_<signal>`.
fn buses(overlay: &StreamedConfig, ports: &[Port]) -> Vec<Bus> {
    let mut buses: Vec<Bus> = Vec::new();
    for port in ports {
        let Some((bus, signal)) = port.name.split_once("_axi_") else { continue };
        let name = format!("{bus}_axi");
        let at = buses.iter().position(|b| b.name == name).unwrap_or_else(|| {
            buses.push(empty(overlay, bus));
            buses.len() - 1
        });
        if signal.ends_with("data") {
            buses[at].width = port.ty.width;
        }
        buses[at].signals.push(Signal { logical: signal.to_uppercase(), physical: port.name.clone() });
    }
    buses
}

fn empty(overlay: &StreamedConfig, bus: &str) -> Bus {
    let number = bus.strip_prefix('m').and_then(|n| n.parse::<usize>().ok());
    let board = overlay.board();
    Bus {
        name: format!("{bus}_axi"),
        kind: if number.is_some() { "AXI4" } else { "AXI4-Lite" },
        slave: number.is_none(),
        space: format!("{bus}_memory"),
        width: 0,
        board_port: number.map_or(&board.control.name, |n| &board.ports[n].name).clone(),
        signals: Vec::new(),
    }
}
