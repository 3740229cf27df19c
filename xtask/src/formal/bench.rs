//! What is proved: a module of an overlay, or of the blocks, between free inputs and a checker.

use anyhow::{Context, Result};
use sagen::{emit, family};
use sagen_blocks::fifo::{deep_fifo, fifo};
use sagen_lang::{Design, Direction, ModuleId, Port, RamStyle, unsigned};
use sagen_overlay::{Interface, InterfaceKind};
use sagen_streamed_isa::{Layout, Load, Store};
use std::fmt::Write;

/// Bits of the queues: what they hold does not decide what they do.
const QUEUE_BITS: u32 = 2;

/// One proof.
pub(crate) struct Bench {
    pub(crate) name: String,
    /// Properties: a file of `hdl/formal`.
    checker: &'static str,
    /// Assumptions about the inputs, and the checker's instance: a file of `hdl/formal/benches`.
    body: &'static str,
    dut: Dut,
    pub(crate) proof: Proof,
}

/// Numbers that a bench may call by name.
type Parameters = Vec<(&'static str, u32)>;

/// Design under test.
enum Dut {
    /// A module of an overlay.
    Unit { overlay: &'static str, module: &'static str },
    /// A short queue.
    Fifo { depth: u32 },
    /// A deep queue.
    DeepFifo { depth: u32 },
}

/// How far a proof goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Every reachable state, by property directed reachability.
    Unbounded,
    /// So many cycles from any reset.
    Bounded(u32),
}

/// Overlays with narrow and with wide ports.
const OVERLAYS: [&str; 2] = [NARROW, "d16_100mhz_w128_p6"];
/// Its units share one port.
const NARROW: &str = "d8_50mhz_z1";

/// All of them.
pub(crate) fn all() -> Vec<Bench> {
    let unit = |overlay, module, checker, body, proof| Bench {
        name: format!("{module} of {overlay}"),
        checker,
        body,
        dut: Dut::Unit { overlay, module },
        proof,
    };
    let (read, write) = (text!("axi_read_master.v"), text!("axi_write_master.v"));
    let units = OVERLAYS.into_iter().flat_map(|overlay| {
        [
            unit(overlay, "csr_block", text!("axi_lite_slave.v"), text!("benches/csr_block.v"), Proof::Unbounded),
            unit(overlay, "fetch_unit", read, text!("benches/fetch_unit.v"), Proof::Unbounded),
            unit(overlay, "stream_lane", read, text!("benches/stream_lane.v"), Proof::Unbounded),
            unit(overlay, "load_unit", read, text!("benches/load_unit.v"), Proof::Unbounded),
            unit(overlay, "store_unit", write, text!("benches/store_unit.v"), Proof::Bounded(18)),
        ]
    });
    let (order, routes) = (text!("read_arbiter.v"), text!("benches/read_arbiter.v"));
    let arbiter = unit(NARROW, "read_arbiter_3x64", order, routes, Proof::Bounded(16));
    let queue = |name: String, body, dut, proof| Bench { name, checker: text!("fifo.v"), body, dut, proof };
    let short = [2, 4, 8]
        .map(|depth| queue(format!("fifo of {depth}"), text!("benches/fifo.v"), Dut::Fifo { depth }, Proof::Unbounded));
    let deep = queue(
        "deep_fifo of 16".to_owned(),
        text!("benches/deep_fifo.v"),
        Dut::DeepFifo { depth: 16 },
        Proof::Bounded(15),
    );
    units.chain([arbiter]).chain(short).chain([deep]).collect()
}

impl Bench {
    /// Name and text of the Verilog files; the top is `bench`.
    pub(crate) fn files(&self) -> Result<Vec<(String, String)>> {
        let (design, dut, parameters) = self.dut.elaborate()?;
        let mut files = sagen_lang::verilog::print(&design, dut);
        files.retain(|(name, _)| name.ends_with(".v"));
        files.push(("checker.v".to_owned(), self.checker.to_owned()));
        files.push(("bench.v".to_owned(), top(design.name(dut), design.ports(dut), &parameters, self.body)));
        Ok(files)
    }
}

impl Dut {
    /// The design, the module in it, and what the bench may call by name.
    fn elaborate(&self) -> Result<(Design, ModuleId, Parameters)> {
        match *self {
            Self::Unit { overlay, module } => {
                let overlay = family::overlay(overlay)?;
                let memory = |i: &&Interface| matches!(i.kind, InterfaceKind::Memory(_));
                let port = overlay.interfaces.iter().find(memory).context("an overlay has a memory port")?.bits;
                let design = emit::tree(&overlay, 0)?;
                let id = design.lookup(module).with_context(|| format!("{} has no module {module}", overlay.name))?;
                Ok((design, id, vec![("PORT_BYTES", port / 8)]))
            }
            Self::Fifo { depth } => {
                let mut design = Design::new();
                fifo(&mut design, unsigned(QUEUE_BITS), depth);
                let id = design.lookup(&format!("fifo_{QUEUE_BITS}x{depth}")).context("the queue was just made")?;
                Ok((design, id, vec![("BITS", QUEUE_BITS), ("DEPTH", depth)]))
            }
            Self::DeepFifo { depth } => {
                let mut design = Design::new();
                let id = deep_fifo(&mut design, QUEUE_BITS, depth, RamStyle::Block);
                Ok((design, id, vec![("BITS", QUEUE_BITS), ("DEPTH", depth)]))
            }
        }
    }
}

/// A top whose inputs are free, but for a reset in the first cycle. Fields of a descriptor have names.
fn top(dut: &str, ports: &[Port], parameters: &[(&'static str, u32)], body: &str) -> String {
    let range = |width: u32| format!("[{}:0]", width - 1);
    let of = |direction| ports.iter().filter(move |p| p.direction == direction);
    let inputs: String =
        of(Direction::Input).map(|p| format!(",\n  input wire {} {}", range(p.ty.width), p.name)).collect();
    let mut text = format!("`default_nettype none\nmodule bench (\n  input wire clk,\n  input wire rst{inputs}\n);\n");
    let mut line = |line: String| writeln!(text, "{line}").expect("a string can be written to");
    parameters.iter().for_each(|(name, value)| line(format!("localparam {name} = {value};")));
    of(Direction::Output).for_each(|p| line(format!("wire {} {};", range(p.ty.width), p.name)));
    if ports.iter().any(|p| p.name == "desc" && p.direction == Direction::Input) {
        [Load::LAYOUT, Store::LAYOUT].into_iter().for_each(|layout| fields(layout, &mut line));
    }
    line("reg started = 0;\nalways @(posedge clk) started <= 1;\nalways @* if (!started) assume(rst);".to_owned());
    let connections: String = ports.iter().map(|p| format!(",\n  .{0}({0})", p.name)).collect();
    line(format!("{dut} u_dut (\n  .clk(clk),\n  .rst(rst){connections}\n);\n{body}\nendmodule"));
    text
}

fn fields(layout: &Layout, line: &mut impl FnMut(String)) {
    let unit = layout.name.to_lowercase();
    for field in layout.fields {
        let (name, width, lo) = (field.name, field.width, field.lo);
        line(format!("wire [{}:0] {unit}_{name} = desc[{lo} +: {width}];", width - 1));
    }
}
