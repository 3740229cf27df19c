//! The files of the flow. `settings.tcl` and `flow.json` hold what differs between overlays; the other scripts are the
//! same for all. Pure: the same input gives the same bytes.

use crate::constraints;
use crate::family::{self, ControlPort, Facts, MemoryPort};
use crate::tcl;
use sagen_config::board::{BoardPort, Window};
use sagen_host::digest;
use sagen_overlay::{Interface, MemoryMaster, Overlay};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tera::Context;

/// One file, with its path below the build folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path with `/` separators.
    pub path: String,
    /// Contents.
    pub text: String,
}

/// Seen from the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into it.
    Input,
    /// Out of it.
    Output,
}

/// A port of the synthesis top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Name.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// Direction.
    pub direction: Direction,
}

/// A Verilog file that synthesis reads.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Path below the build folder.
    pub path: &'a str,
    /// Contents.
    pub text: &'a str,
}

/// Why an overlay has no flow.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// A board without a folder of constraints.
    #[error(
        "board {board} has no folder constraints/{board}; boards that have one: {known}; these files become part of sagen \
         when it is built: after adding the folder, build sagen again"
    )]
    NoConstraints {
        /// Board.
        board: String,
        /// Boards that have one.
        known: String,
    },
    /// A port name that the family does not have.
    #[error("board {board}: {field} names {found}, which {ps} does not have; it has {known}")]
    UnknownPort {
        /// Board.
        board: String,
        /// Field of the board file.
        field: &'static str,
        /// Name found.
        found: String,
        /// IP of the processing system.
        ps: &'static str,
        /// Names that exist.
        known: String,
    },
    /// A DDR window that the processing system cannot map.
    #[error("board {board}: ddr.windows: {window} is not mapped by {ps}, which has {known}")]
    Window {
        /// Board.
        board: String,
        /// Range.
        window: String,
        /// IP of the processing system.
        ps: &'static str,
        /// What exists.
        known: &'static str,
    },
    /// The top does not have the ports of a bus.
    #[error("the synthesis top has no port {port}")]
    MissingPort {
        /// Port.
        port: String,
    },
    /// A template or the JSON does not render: a fault of ours.
    #[error("{file}: {reason}")]
    Render {
        /// File.
        file: &'static str,
        /// What is wrong.
        reason: String,
    },
}

/// What a build is expected to be; `flow.json`, copied beside the reports.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub struct Expected {
    /// Overlay.
    pub config: String,
    /// Hash of config and sources, as in the CSR.
    pub build_hash: String,
    /// Build hash and hash of the flow's own files: names the folder of results.
    pub key: String,
    /// Board.
    pub board: String,
    /// FPGA part.
    pub part: String,
    /// Clock of the config.
    pub requested_khz: u32,
    /// Clock that the dividers make of it.
    pub clock_khz: u32,
}

#[derive(Serialize)]
struct Segment {
    name: &'static str,
    base: String,
    range: String,
}

#[derive(Serialize)]
struct Master {
    bus: String,
    writes: bool,
    ports: Vec<String>,
    ps_port: &'static str,
    ps_clock: &'static str,
    direct: bool,
    segments: Vec<Segment>,
    parameters: Vec<(&'static str, u32)>,
}

#[derive(Serialize)]
struct Settings<'a> {
    expected: &'a Expected,
    board_part: &'a str,
    top: &'a str,
    ps: &'static str,
    ps_clock: &'static str,
    ps_reset: &'static str,
    external: &'static str,
    frequency_parameter: &'static str,
    actual_parameter: &'static str,
    frequency: String,
    parameters: Vec<(&'static str, String)>,
    control: [&'static str; 2],
    control_base: String,
    control_range: String,
    slave_ports: Vec<String>,
    masters: Vec<Master>,
    sources: Vec<(&'a str, String)>,
    constraints: Vec<&'static str>,
}

const SETTINGS: &str = include_str!("../templates/settings.tcl");
/// Scripts that are the same for every overlay.
const SCRIPTS: [(&str, &str); 7] = [
    ("build.tcl", include_str!("../templates/build.tcl")),
    ("common.tcl", include_str!("../templates/common.tcl")),
    ("package_ip.tcl", include_str!("../templates/package_ip.tcl")),
    ("block_design.tcl", include_str!("../templates/block_design.tcl")),
    ("synthesis.tcl", include_str!("../templates/synthesis.tcl")),
    ("implementation.tcl", include_str!("../templates/implementation.tcl")),
    ("bitstream.tcl", include_str!("../templates/bitstream.tcl")),
];

/// The flow of an overlay; `ports` are those of the synthesis top, `sources` all that it needs.
pub fn files(
    overlay: &Overlay,
    ports: &[Port],
    sources: &[Source<'_>],
    build_hash: u32,
) -> Result<Vec<File>, FlowError> {
    supported(overlay)?;
    let mut files: Vec<File> = SCRIPTS.iter().map(|(name, text)| file(name, text)).collect();
    let constraints = constraints::of(&overlay.board.name);
    files.extend(constraints.iter().map(|(name, text)| file(&format!("constraints/{name}"), text)));

    let mut expected = expected(overlay, build_hash);
    let draft = settings(overlay, ports, sources, &expected)?;
    expected.key = format!("{}-{}", expected.build_hash, &digest(files.iter().chain([&file("", &draft)]))[..8]);
    files.push(file("settings.tcl", &settings(overlay, ports, sources, &expected)?));
    let json = serde_json::to_string_pretty(&expected);
    let json = json.map_err(|e| FlowError::Render { file: "flow.json", reason: e.to_string() })?;
    files.push(file("flow.json", &(json + "\n")));
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Whether the overlay's board has constraints; without, its RTL can be simulated but not built.
pub fn supported(overlay: &Overlay) -> Result<(), FlowError> {
    let board = &overlay.board.name;
    if constraints::of(board).is_empty() {
        return Err(FlowError::NoConstraints { board: board.clone(), known: constraints::boards().join(", ") });
    }
    Ok(())
}

fn file(name: &str, text: &str) -> File {
    File { path: format!("vivado/{name}"), text: text.to_string() }
}

fn digest<'a>(files: impl Iterator<Item = &'a File>) -> String {
    let mut hasher = Sha256::new();
    for file in files {
        hasher.update(&file.path);
        hasher.update(&file.text);
    }
    base16ct::lower::encode_string(&hasher.finalize())
}

fn expected(overlay: &Overlay, build_hash: u32) -> Expected {
    let (board, requested_khz) = (&overlay.board, 1000 * overlay.clock_mhz);
    Expected {
        config: overlay.name.clone(),
        build_hash: format!("{build_hash:08x}"),
        key: String::new(),
        board: board.name.clone(),
        part: board.part.clone(),
        requested_khz,
        clock_khz: board.fabric_clock.nearest(requested_khz).expect("an overlay's clock can be made by its board"),
    }
}

fn settings(
    overlay: &Overlay,
    ports: &[Port],
    sources: &[Source<'_>],
    expected: &Expected,
) -> Result<String, FlowError> {
    let board = &overlay.board;
    let facts = family::facts(board.family);
    let control = control_port(overlay, facts)?;
    let used: Vec<&BoardPort> = overlay.masters().map(|(_, m)| &board.ports[m.board_port]).collect();
    used.iter().try_for_each(|p| memory_port(overlay, facts, p).map(|_| ()))?;
    let masters = overlay.masters().map(|(interface, m)| master(overlay, facts, ports, interface, m));
    let settings = Settings {
        expected,
        top: &overlay.top,
        board_part: board.board_part.as_deref().unwrap_or(""),
        ps: facts.ps,
        ps_clock: facts.clock,
        ps_reset: facts.reset,
        external: facts.external,
        frequency_parameter: facts.frequency,
        actual_parameter: facts.actual_frequency,
        frequency: frequency(expected),
        parameters: parameters(facts, &used, control.name),
        control: [control.interface, control.clock],
        control_base: format!("{:#x}", board.control.window.base),
        control_range: format!("{:#x}", board.control.window.bytes),
        slave_ports: bus(ports, overlay.slave(), "awaddr")?,
        masters: masters.collect::<Result<_, _>>()?,
        sources: sources.iter().map(|s| (s.path, digest::of(s.text.as_bytes()))).collect(),
        constraints: constraints::of(&board.name).iter().map(|(name, _)| *name).collect(),
    };
    let render = |reason: tera::Error| FlowError::Render { file: "settings.tcl", reason: format!("{reason:?}") };
    tcl::tera().render_str(SETTINGS, &Context::from_serialize(&settings).map_err(render)?).map_err(render)
}

/// MHz to ask for: the dividers are chosen for the greatest frequency that is not above it.
fn frequency(expected: &Expected) -> String {
    let khz = if expected.clock_khz > expected.requested_khz { expected.clock_khz + 1 } else { expected.requested_khz };
    format!("{}.{:03}", khz / 1000, khz % 1000)
}

fn control_port(overlay: &Overlay, facts: &'static Facts) -> Result<&'static ControlPort, FlowError> {
    let board = &overlay.board;
    let found = facts.control.iter().find(|c| c.name == board.control.name);
    found.ok_or_else(|| FlowError::UnknownPort {
        board: board.name.clone(),
        field: "control.name",
        found: board.control.name.clone(),
        ps: facts.ps,
        known: facts.control.iter().map(|c| c.name).collect::<Vec<_>>().join(", "),
    })
}

fn memory_port(overlay: &Overlay, facts: &'static Facts, port: &BoardPort) -> Result<&'static MemoryPort, FlowError> {
    let found = facts.memory.iter().find(|m| m.name == port.name);
    found.ok_or_else(|| FlowError::UnknownPort {
        board: overlay.board.name.clone(),
        field: "ports",
        found: port.name.clone(),
        ps: facts.ps,
        known: facts.memory.iter().map(|m| m.name).collect::<Vec<_>>().join(", "),
    })
}

/// Every port of the processing system is either used or off: an enabled one with an open clock is an error.
fn parameters(facts: &Facts, used: &[&BoardPort], control: &str) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> = facts.always.iter().map(|(k, v)| (*k, v.to_string())).collect();
    all.extend(facts.disable.iter().map(|k| (*k, "0".to_string())));
    let flag = |on: bool| u32::from(on).to_string();
    all.extend(facts.control.iter().map(|c| (c.enable, flag(c.name == control))));
    for port in facts.memory {
        let here = used.iter().find(|p| p.name == port.name);
        all.push((port.enable, flag(here.is_some())));
        all.extend(here.map(|p| (port.width, p.width.to_string())));
    }
    all
}

fn master(
    overlay: &Overlay,
    facts: &'static Facts,
    ports: &[Port],
    interface: &Interface,
    master: &MemoryMaster,
) -> Result<Master, FlowError> {
    let board_port = &overlay.board.ports[master.board_port];
    let memory = memory_port(overlay, facts, board_port)?;
    let windows = overlay.board.ddr.windows.iter().map(|w| segment(overlay, facts, memory, *w));
    Ok(Master {
        ports: bus(ports, interface, "araddr")?,
        writes: master.writes,
        bus: interface.name.clone(),
        ps_port: memory.interface,
        ps_clock: memory.clock,
        direct: facts.axi4 && board_port.width == interface.bits,
        segments: windows.collect::<Result<_, _>>()?,
        parameters: interface.parameters(),
    })
}

/// A segment's range is a power of two; the processing system itself ends where its DDR does.
fn segment(overlay: &Overlay, facts: &Facts, memory: &MemoryPort, window: Window) -> Result<Segment, FlowError> {
    let name = if window.end() <= 1 << 32 { Some(memory.low) } else { memory.high };
    let range = window.bytes.next_power_of_two();
    let name = name.filter(|_| window.base.is_multiple_of(range)).ok_or_else(|| FlowError::Window {
        board: overlay.board.name.clone(),
        window: format!("{:#x}..{:#x}", window.base, window.end()),
        ps: facts.ps,
        known: if memory.high.is_some() {
            "one segment below 4 GiB and one from 32 GiB on, both aligned to their size"
        } else {
            "one segment below 4 GiB, aligned to its size"
        },
    })?;
    Ok(Segment { name, base: format!("{:#x}", window.base), range: format!("{range:#x}") })
}

/// Ports of an interface; `must` is the signal that tells that it is there.
fn bus(ports: &[Port], interface: &Interface, must: &str) -> Result<Vec<String>, FlowError> {
    let of = |p: &&Port| interface.signal(&p.name).is_some();
    let found: Vec<String> = ports.iter().filter(of).map(|p| p.name.clone()).collect();
    let must = format!("{}_{must}", interface.name);
    if found.contains(&must) { Ok(found) } else { Err(FlowError::MissingPort { port: must }) }
}
