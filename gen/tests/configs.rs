//! Every config of the repository is emitted, deterministically, and every tool reads every file.

use sagen::{build, emit, family};
use sagen_config::find;
use sagen_overlay::Overlay;
use std::path::{Path, PathBuf};
use std::process::Command;

fn overlays() -> Vec<Overlay> {
    let names = find::names(&find::configs().unwrap()).unwrap();
    names.iter().map(|n| family::overlay(n).unwrap()).collect()
}

/// A build folder of its own for each test.
fn folder(test: &str, overlay: &Overlay) -> PathBuf {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    build::build(overlay, &out).unwrap().folder
}

fn sources(folder: &Path) -> Vec<String> {
    std::fs::read_to_string(folder.join("files.f")).unwrap().lines().map(str::to_string).collect()
}

/// Output of a tool that has to be installed; a failure shows what it said.
fn tool(folder: &Path, name: &str, arguments: &[String]) -> String {
    let output = Command::new(name).args(arguments).current_dir(folder).output();
    let output = output.unwrap_or_else(|e| panic!("{name}: {e}; `make setup` installs it"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} in {}: {text}", folder.display());
    text
}

#[test]
fn emission_is_deterministic() {
    for overlay in overlays() {
        let (first, second) = (emit::verilog(&overlay).unwrap(), emit::verilog(&overlay).unwrap());
        assert_eq!(first.files, second.files, "{}", overlay.name);
        assert_ne!(first.build_hash, 0);
    }
}

#[test]
fn verilator_has_no_warning() {
    for overlay in overlays() {
        let folder = folder("lint", &overlay);
        for top in [&overlay.top, &overlay.sim_top] {
            let mut arguments: Vec<String> =
                ["--lint-only", "-Wall", "--top-module", top, "rtl/lint.vlt"].map(str::to_string).into();
            // The other top is in the list too: it is unused here, and nothing else may be.
            let other = if *top == overlay.top { &overlay.sim_top } else { &overlay.top };
            arguments.extend(sources(&folder).into_iter().filter(|f| *f != format!("rtl/{other}.v")));
            let text = tool(&folder, "verilator", &arguments);
            assert_eq!(text, "", "{} {top}", overlay.name);
        }
    }
}

#[test]
fn two_overlays_with_prefixes_share_a_project() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prefix");
    let mut files: Vec<String> = Vec::new();
    for (name, prefix) in [("d8_100mhz", "left_"), ("d8_50mhz", "right_")] {
        let overlay = family::overlay(name).unwrap().with_prefix(prefix).unwrap();
        let folder = build::build(&overlay, &out).unwrap().folder;
        files.extend(sources(&folder).iter().map(|f| folder.join(f).display().to_string()));
    }
    let both = "module both(input wire clk, input wire rst); left_overlay a(.clk(clk), .rst(rst)); right_overlay b(.clk(clk), .rst(rst)); endmodule\n";
    std::fs::write(out.join("both.v"), both).unwrap();
    let mut arguments: Vec<String> = ["-g2001", "-t", "null", "-s", "both", "both.v"].map(str::to_string).into();
    arguments.extend(files);
    tool(&out, "iverilog", &arguments);
}

#[test]
fn icarus_reads_every_file() {
    for overlay in overlays() {
        let folder = folder("icarus", &overlay);
        let mut arguments: Vec<String> = ["-g2001", "-t", "null", "-s", "overlay"].map(str::to_string).into();
        arguments.extend(sources(&folder));
        assert_eq!(tool(&folder, "iverilog", &arguments), "", "{}", overlay.name);
    }
}

#[test]
fn yosys_reads_every_file_and_finds_the_hierarchy_complete() {
    for overlay in overlays() {
        let folder = folder("yosys", &overlay);
        let script = format!(
            "read_verilog {}; hierarchy -check -top overlay; check -noinit -assert",
            sources(&folder).join(" ")
        );
        tool(&folder, "yosys", &["-q".to_string(), "-p".to_string(), script]);
    }
}
