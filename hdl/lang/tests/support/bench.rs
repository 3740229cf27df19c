//! One stimulus, three executors: the interpreter, Verilator and Icarus print the outputs of each cycle.

use super::{Random, run, verilator};
use sagen_lang::*;
use std::fmt::Write;
use std::path::Path;

/// Inputs of the top module per cycle: reset, then one value per input port.
pub(crate) struct Stimulus {
    ports: Vec<Port>,
    cycles: Vec<(bool, Vec<Bits>)>,
}

impl Stimulus {
    /// Two cycles of reset, then random values with many extremes and an occasional reset.
    pub(crate) fn random(d: &Design, top: ModuleId, cycles: u32, seed: u64) -> Stimulus {
        let r = &mut Random::new(seed);
        let inputs = d.ports(top).iter().filter(|p| p.direction == Direction::Input);
        let ports: Vec<Port> = inputs.cloned().collect();
        let cycles = (0..cycles).map(|c| {
            let values = ports.iter().map(|p| value(r, p.ty.width)).collect();
            (c < 2 || r.below(20) == 0, values)
        });
        Stimulus { cycles: cycles.collect(), ports }
    }

    fn hex(&self) -> String {
        let line = |(rst, values): &(bool, Vec<Bits>)| {
            let all: Vec<Bits> = [Bits::from(*rst)].into_iter().chain(values.iter().cloned()).collect();
            format!("{:x}\n", Bits::pack(&all).expect("reset is always there"))
        };
        self.cycles.iter().map(line).collect()
    }
}

fn value(r: &mut Random, width: u32) -> Bits {
    let words: Vec<u64> = (0..width.div_ceil(64)).map(|_| r.word()).collect();
    match r.below(6) {
        0 => Bits::from_limbs(&[], width),
        1 => Bits::from_limbs(&vec![u64::MAX; words.len()], width),
        2 => Bits::from_limbs(&[words[0] & 7], width),
        _ => Bits::from_limbs(&words, width),
    }
}

/// What each cycle's outputs are, in hexadecimal, in port order.
pub(crate) fn interpret(d: &Design, top: ModuleId, stimulus: &Stimulus) -> Vec<Vec<String>> {
    let mut sim = Sim::new(d, top).unwrap();
    let outputs: Vec<Port> = d.ports(top).iter().filter(|p| p.direction == Direction::Output).cloned().collect();
    let mut lines = Vec::new();
    for (rst, values) in &stimulus.cycles {
        sim.set("rst", *rst);
        for (port, value) in stimulus.ports.iter().zip(values) {
            sim.set(&port.name, value);
        }
        lines.push(outputs.iter().map(|p| format!("{:x}", sim.get(&p.name))).collect());
        sim.step();
    }
    lines
}

/// Writes the design and a test bench that plays the stimulus; `icarus.v` makes its clock.
pub(crate) fn write(d: &Design, top: ModuleId, stimulus: &Stimulus, dir: &Path) {
    let mut registers = String::new();
    for (name, text) in verilog::print(d, top) {
        std::fs::write(dir.join(&name), &text).unwrap();
    }
    initial_zeros(d, d.name(top), "dut", dir, &mut registers);
    std::fs::write(dir.join("stimulus.hex"), stimulus.hex()).unwrap();
    let width: u32 = 1 + stimulus.ports.iter().map(|p| p.ty.width).sum::<u32>();
    let (mut nets, mut pins, mut shown, mut lo) = (String::new(), String::new(), Vec::new(), 1);
    for port in d.ports(top) {
        match port.direction {
            Direction::Input => {
                let _ = write!(pins, ", .{}(in[{lo} +: {}])", port.name, port.ty.width);
                lo += port.ty.width;
            }
            Direction::Output => {
                let _ = writeln!(nets, "  wire [{}:0] {};", port.ty.width - 1, port.name);
                let _ = write!(pins, ", .{0}({0})", port.name);
                shown.push(port.name.clone());
            }
        }
    }
    let cycles = stimulus.cycles.len();
    let formats = vec!["%h"; shown.len()].join(" ");
    let bench = format!(
        "`timescale 1ns / 1ps\nmodule bench (input wire clk);\n  reg [{}:0] stimulus [0:{}];\n  integer cycle;\n  wire [{0}:0] in = stimulus[cycle];\n{nets}\
         \n  {} dut (.clk(clk), .rst(in[0]){pins});\n  initial begin\n    cycle = 0;\n    $readmemh(\"stimulus.hex\", stimulus);\n\
         `ifdef ICARUS\n{registers}`endif\n  end\n  always @(posedge clk) begin\n    $display(\"> {formats}\", {});\n    cycle <= cycle + 1;\n\
         \x20   if (cycle == {}) $finish;\n  end\nendmodule\n",
        width - 1,
        cycles - 1,
        d.name(top),
        shown.join(", "),
        cycles - 1,
    );
    std::fs::write(dir.join("bench.v"), bench).unwrap();
    let clock = "`timescale 1ns / 1ps\nmodule icarus;\n  reg clk;\n  bench bench (.clk(clk));\n  initial clk = 0;\n  always #1 clk = ~clk;\nendmodule\n";
    std::fs::write(dir.join("icarus.v"), clock).unwrap();
}

/// Icarus starts with X where the interpreter has zero: assigns zero to every register and memory without contents.
fn initial_zeros(d: &Design, module: &str, path: &str, dir: &Path, out: &mut String) {
    let text = std::fs::read_to_string(dir.join(format!("{module}.v"))).unwrap();
    for line in text.lines() {
        let Some((_, declared)) = line.split_once("reg ") else {
            continue;
        };
        let Some((declared, _)) = declared.split_once(';') else {
            continue;
        };
        match declared.rsplit_once(" [0:") {
            Some((name, depth)) => {
                let name = name.rsplit(' ').next().unwrap();
                if text.contains(&format!("    {name}[0] = ")) {
                    continue;
                }
                let depth: u32 = depth.trim_end_matches(']').parse().unwrap();
                (0..=depth).for_each(|i| _ = writeln!(out, "    {path}.{name}[{i}] = 0;"));
            }
            None => _ = writeln!(out, "    {path}.{} = 0;", declared.rsplit(' ').next().unwrap()),
        }
    }
    let id = d.lookup(module).unwrap();
    for instance in &d.manifest(id).modules.last().unwrap().instances {
        initial_zeros(d, &instance.module, &format!("{path}.{}", instance.name), dir, out);
    }
}

/// Outputs per cycle as Icarus shows them.
pub(crate) fn icarus(dir: &Path) -> Vec<Vec<String>> {
    run(
        dir,
        "iverilog",
        &[
            "-g2001",
            "-DICARUS",
            "-DSAGEN_ASSERT",
            "-s",
            "icarus",
            "-o",
            "icarus.out",
            "-f",
            "files.f",
            "bench.v",
            "icarus.v",
        ],
    );
    lines(&run(dir, "vvp", &["-n", "icarus.out"]))
}

const MAIN: &str = "#include \"Vbench.h\"\n#include \"verilated.h\"\nint main() {\n  VerilatedContext c;\n  Vbench top{&c};\n  \
    while (!c.gotFinish()) {\n    top.clk = 0; top.eval();\n    top.clk = 1; top.eval();\n  }\n  top.final();\n}\n";

/// Outputs per cycle as Verilator shows them. Any lint warning inside the design is a failure.
pub(crate) fn verilate(dir: &Path) -> Vec<Vec<String>> {
    std::fs::write(dir.join("main.cpp"), MAIN).unwrap();
    let options = [
        "--cc",
        "--exe",
        "--build",
        "-j",
        "2",
        "-O2",
        "-CFLAGS",
        "-O0",
        "-DSAGEN_ASSERT",
        "-Wno-WIDTH",
        "-Wno-UNSIGNED",
        "-Wno-CMPCONST",
    ];
    let files = ["--top-module", "bench", "--Mdir", "obj", "-f", "files.f", "bench.v", "main.cpp"];
    run(dir, &verilator(), &[&options[..], &files[..]].concat());
    lines(&run(dir, "obj/Vbench", &[]))
}

fn lines(text: &str) -> Vec<Vec<String>> {
    let shown = text.lines().filter_map(|l| l.strip_prefix("> "));
    shown.map(|l| l.split_whitespace().map(str::to_string).collect()).collect()
}
