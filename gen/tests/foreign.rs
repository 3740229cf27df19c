//! Verilog that is not ours goes from the overlay to every tool: file list, Verilator, IP-XACT, FuseSoC, Vivado.

use sagen::{build, emit, estimate, family};
use sagen_lang::{Design, Direction, ModuleId, Port, Source, bit};
use sagen_overlay::Overlay;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Verilator has a word to say about it: `seen` is never read.
const BEACON: &str = "module beacon(input wire clk, input wire watch);
  reg seen;
  always @(posedge clk) seen <= watch;
endmodule
";

/// An overlay whose tops hold a foreign module beside the core.
fn overlay(text: &'static str) -> Overlay {
    overlay_with(vec![Source { file: "beacon.v".to_string(), licence: "ISC".to_string(), text: text.to_string() }])
}

fn overlay_with(files: Vec<Source>) -> Overlay {
    let mut overlay = family::overlay("d8_100mhz").unwrap();
    let inner = overlay.elaborate;
    overlay.elaborate = Box::new(move |stamp| {
        let mut design = inner(stamp)?;
        let ports = [Port::input("clk", bit()), Port::input("watch", bit())];
        let beacon = design.black_box("beacon", &ports, &[], &files);
        top(&mut design, "lit", beacon, false);
        top(&mut design, "lit_sim", beacon, true);
        design.finish()?;
        Ok(design)
    });
    (overlay.top, overlay.sim_top) = ("lit".to_string(), "lit_sim".to_string());
    overlay
}

fn top(design: &mut Design, name: &str, beacon: ModuleId, taps: bool) {
    let core = design.lookup("overlay_core").unwrap();
    let ports = design.ports(core).to_vec();
    design.module(name, |m| {
        let (core, beacon) = (m.instance("u_core", core), m.instance("u_beacon", beacon));
        for port in ports.iter().filter(|p| taps || !p.name.starts_with("tap_")) {
            match port.direction {
                Direction::Input => core.input(&port.name, m.input(&port.name, port.ty)),
                Direction::Output => {
                    m.output(&port.name, core.output(&port.name));
                }
            }
        }
        beacon.input("watch", core.output("m0_axi_arvalid"));
    });
}

fn folder(test: &str) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    // What an earlier run of the tests left would be kept by the scripts.
    if out.exists() {
        std::fs::remove_dir_all(&out).unwrap();
    }
    build::build(&overlay(BEACON), &out).unwrap().folder
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap()
}

#[test]
fn every_list_of_sources_has_the_file() {
    let folder = folder("foreign");
    assert_eq!(read(&folder, "foreign/beacon.v"), BEACON);
    assert_eq!(read(&folder, "files.f").lines().next(), Some("foreign/beacon.v"));
    assert!(read(&folder, "component.xml").contains("<ipxact:name>foreign/beacon.v</ipxact:name>"));
    let core = read(&folder, "sagen_overlay.core");
    assert!(core.contains("      - foreign/beacon.v\n") && core.contains("      - rtl/lint.vlt\n"), "{core}");
    assert!(core.contains("filesets: [waivers, rtl]\n"), "{core}");
    assert!(read(&folder, "vivado/settings.tcl").contains("\n        foreign/beacon.v "));
    let manifest: serde_json::Value = serde_json::from_str(&read(&folder, "manifest.json")).unwrap();
    assert_eq!(manifest["foreign"][0]["licence"], "ISC");
}

#[test]
fn an_estimate_needs_the_file() {
    assert!(estimate::sources(&overlay(BEACON)).is_ok());
    let error = estimate::sources(&overlay_with(Vec::new())).unwrap_err();
    let expected = "module beacon is a black box without a source; an estimate needs the Verilog of every module";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_text_counts_for_the_build_hash() {
    let hash = |text| emit::verilog(&overlay(text)).unwrap().build_hash;
    assert_ne!(hash(BEACON), hash("module beacon(input wire clk, input wire watch);\nendmodule\n"));
}

#[test]
fn verilator_judges_only_what_is_ours() {
    let folder = folder("foreign_lint");
    let lint = |waivers: &[&str]| {
        let mut command = Command::new("verilator");
        command.args(["--lint-only", "-Wall", "--top-module", "lit"]).args(waivers).current_dir(&folder);
        let list = read(&folder, "files.f");
        let output = command.args(list.lines().filter(|f| *f != "rtl/lit_sim.v")).output();
        String::from_utf8(output.unwrap_or_else(|e| panic!("verilator: {e}; `make setup` installs it")).stderr).unwrap()
    };
    assert_eq!(lint(&["rtl/lint.vlt"]), "");
    assert!(lint(&[]).contains("foreign/beacon.v:2"), "the fixture has nothing to waive");
}

#[test]
fn the_scripts_of_vivado_package_it() {
    let folder = folder("foreign_vivado").join("vivado").canonicalize().unwrap();
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vivado/tests/stubs.tcl");
    let mut command = Command::new("tclsh");
    let output = command.arg(stub).args(["2024.2", "1"]).arg(&folder).args(["--until", "package"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let packaged = text.lines().find_map(|l| l.strip_prefix("stub: packaged ")).unwrap_or_default();
    assert!(packaged.contains("/foreign/beacon.v"), "{text}");
}
