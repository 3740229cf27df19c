//! The generated scripts run against `vivado/tests/stubs.tcl`, a strict stand-in for Vivado, for every config, every
//! board and several releases; broken scripts must be caught. Syntax and references are checked, nothing else is.

use sagen::{build, emit, family};
use sagen_config::Board;
use sagen_config::find;
use sagen_overlay::Overlay;
use sagen_streamed_arch::{StreamedConfig, StreamedFile};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const RELEASES: [&str; 4] = ["2023.2", "2024.1", "2024.2", "2025.1"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Every config, and on every board: its narrowest and its widest use of ports.
fn overlays() -> Vec<Overlay> {
    let configs = find::configs().unwrap();
    let mut all: Vec<Overlay> = find::names(&configs).unwrap().iter().map(|n| family::overlay(n).unwrap()).collect();
    for board in find::boards(&configs).unwrap() {
        let width = board.ports[0].width;
        all.push(on_board(&board, 64, 1, 1));
        all.push(on_board(&board, width, 4, 2));
    }
    all
}

fn on_board(board: &Board, width: u32, total: u32, stream: u32) -> Overlay {
    let mut file: StreamedFile = sagen_streamed_arch::config::named("d8_100mhz").unwrap().file().clone();
    file.board = board.name.clone();
    (file.ports.width, file.ports.total, file.ports.stream) = (width, total, stream);
    let ports = if (width, total) == (64, 1) { String::new() } else { format!("_w{width}_p{total}") };
    let suffix = if board.suffix.is_empty() { String::new() } else { format!("_{}", board.suffix) };
    file.name = format!("d8_100mhz{ports}{suffix}");
    sagen_streamed_rtl::overlay::overlay(&StreamedConfig::new(file, board.clone()).unwrap())
}

fn fresh(test: &str, overlay: &Overlay) -> PathBuf {
    // Every script runs where a path has all that Tcl takes for something else.
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a b'c\"d[e]f$g;h{i#jü").join(test);
    let _ = fs::remove_dir_all(out.join(&overlay.name));
    build::build(overlay, &out).unwrap().folder.join("vivado")
}

/// Runs build.tcl under the stub; what it printed, and whether it ended well.
fn run(folder: &Path, release: &str, board_files: bool, arguments: &[&str], fails: &str) -> (bool, String) {
    let stub = repository().join("vivado/tests/stubs.tcl");
    let mut command = Command::new("tclsh");
    command.arg(stub).args([release, if board_files { "1" } else { "0" }]).arg(folder).args(arguments);
    let output = command.env("STUB_FAILS", fails).output();
    let output = output.unwrap_or_else(|e| panic!("tclsh: {e}; `make setup` installs it"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

fn passes(folder: &Path, release: &str, board_files: bool, arguments: &[&str]) -> String {
    let (ok, text) = run(folder, release, board_files, arguments, "");
    assert!(ok, "{release} {}: {text}", folder.display());
    text
}

/// The message of a run that must fail.
fn refused(folder: &Path, arguments: &[&str], fails: &str) -> String {
    let (ok, text) = run(folder, "2024.2", true, arguments, fails);
    assert!(!ok, "this should have failed: {text}");
    let error = text.lines().find_map(|l| l.strip_prefix("ERROR: [sagen] "));
    error.unwrap_or_else(|| panic!("no line `ERROR:` in {text}")).to_string()
}

fn small() -> Overlay {
    family::overlay("d8_100mhz").unwrap()
}

/// Replaces one text in one script; it must be there exactly once.
fn break_script(folder: &Path, script: &str, from: &str, to: &str) {
    let path = folder.join(script);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "`{from}` in {script}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

#[test]
fn every_overlay_runs_in_every_release_with_and_without_board_files() {
    for overlay in overlays() {
        let folder = fresh("vivado_all", &overlay);
        for release in RELEASES {
            for board_files in [false, true] {
                let _ = fs::remove_dir_all(folder.join("work"));
                let text = passes(&folder, release, board_files, &[]);
                let warnings: Vec<&str> = text.lines().filter(|l| l.starts_with("WARNING")).collect();
                assert_eq!(warnings.len(), usize::from(!board_files), "{}: {warnings:?}", &overlay.name);
                assert!(warnings.iter().all(|w| w.contains("part-only flow")), "{warnings:?}");
            }
        }
    }
}

#[test]
fn the_flow_is_deterministic() {
    for overlay in overlays() {
        let flow = || emit::vivado(&overlay, &emit::verilog(&overlay).unwrap()).unwrap();
        assert!(flow().iter().any(|f| f.path == "vivado/build.tcl"));
        assert_eq!(flow(), flow(), "{}", &overlay.name);
    }
}

#[test]
fn every_board_has_constraints() {
    let boards = find::boards(&find::configs().unwrap()).unwrap();
    let names: BTreeSet<&str> = boards.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, sagen_vivado::boards().into_iter().collect());
}

#[test]
fn a_build_leaves_bitstream_handoff_platform_and_a_description() {
    let (overlay, folder) = (small(), fresh("vivado_products", &small()));
    passes(&folder, "2024.2", true, &["--jobs", "4", "--until", "bit"]);
    let flow: serde_json::Value = serde_json::from_str(&fs::read_to_string(folder.join("flow.json")).unwrap()).unwrap();
    let out = folder.join("work").join(flow["key"].as_str().unwrap()).join("out");
    for end in ["bit", "hwh", "xsa"] {
        assert!(out.join(format!("{}.{end}", &overlay.name)).is_file(), "{end}");
    }
    let text = fs::read_to_string(out.join("build_info.json")).unwrap();
    let info: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(info["config"], overlay.name);
    assert_eq!((&info["build_hash"], &info["key"]), (&flow["build_hash"], &flow["key"]));
    assert_eq!(info["vivado"], "2024.2");
    assert_eq!(info["requested_mhz"], 100.0);
    assert_eq!(info["actual_mhz"], 99.999);
    assert_eq!((&info["wns_ns"], &info["whs_ns"]), (&0.125.into(), &0.125.into()));
    let sources = info["sources"].as_object().unwrap();
    assert!(sources.contains_key("rtl/overlay.v") && sources.values().all(|h| h.as_str().unwrap().len() == 64));
}

#[test]
fn a_finished_stage_is_kept_and_a_failed_one_is_run_again() {
    let folder = fresh("vivado_resume", &small());
    let error = refused(&folder, &[], "impl_1");
    assert!(error.starts_with("impl_1 stopped: synth_design ERROR; its log is "), "{error}");
    let text = passes(&folder, "2024.2", true, &[]);
    let stages: Vec<&str> = text.lines().filter(|l| l.starts_with("sagen: stage")).collect();
    let expected = ["package: kept", "design: kept", "synth: kept", "impl: started", "impl: finished"];
    assert_eq!(stages[..5], expected.map(|s| format!("sagen: stage {s}")));
    assert!(!passes(&folder, "2024.2", true, &[]).contains("started"));
}

#[test]
fn results_of_other_sources_are_refused() {
    let folder = fresh("vivado_stale", &small());
    passes(&folder, "2024.2", true, &["--until", "synth"]);
    let work = fs::read_dir(folder.join("work")).unwrap().next().unwrap().unwrap().path();
    fs::write(work.join("stamps/synth"), "01234567-89abcdef\n").unwrap();
    let error = refused(&folder, &[], "");
    assert!(error.contains("stamps/synth belongs to 01234567-89abcdef, these scripts are "), "{error}");
    assert!(error.contains("move ") && work.join("stamps/synth").is_file());
}

#[test]
fn wrong_options_and_missing_sources_are_named() {
    let folder = fresh("vivado_options", &small());
    assert_eq!(
        refused(&folder, &["--until", "route"], ""),
        "--until route: one of package, design, synth, impl, bit is expected"
    );
    assert_eq!(refused(&folder, &["--jobs", "0"], ""), "--jobs 0: a number from 1 is expected");
    assert_eq!(
        refused(&folder, &["--job", "1"], ""),
        "unknown option --job; known: --until, --jobs, --timeout-minutes"
    );
    fs::remove_file(folder.join("../rtl/overlay.v")).unwrap();
    assert_eq!(refused(&folder, &[], ""), "rtl/overlay.v is missing; renew the folder with `sagen build`");
}

#[test]
fn another_release_is_warned_about_and_used() {
    let folder = fresh("vivado_release", &small());
    let text = passes(&folder, "2022.1", true, &["--until", "package"]);
    assert!(text.contains("WARNING: [sagen] Vivado 2022.1 is outside 2023.2 to 2025.x; going on"), "{text}");
}

#[test]
fn the_stub_catches_broken_scripts() {
    let cases = [
        ("block_design.tcl", "create_bd_design system", "create_bd_design -fast system", "create_bd_design"),
        ("bitstream.tcl", "-include_bit -force", "-include_bitstream -force", "unknown option -include_bitstream"),
        ("settings.tcl", "MAX_BURST_LENGTH", "MAX_BURST", "unknown bus parameter MAX_BURST"),
        ("settings.tcl", "NUM_READ_OUTSTANDING 16", "", "bus:m0_axi has no parameter NUM_READ_OUTSTANDING"),
        ("settings.tcl", "variable top overlay", "variable top overlai", "no module overlai"),
        ("settings.tcl", "base.xdc", "absent.xdc", "no file "),
        ("settings.tcl", "variable ps_clock pl_clk0", "variable ps_clock pl_clk1", "/ps has no pin pl_clk1"),
        ("settings.tcl", "S_AXI_HP0_FPD", "S_AXI_HP1_FPD", "/ps has no pin S_AXI_HP1_FPD"),
        ("settings.tcl", "SAXIGP2/HP0_DDR_LOW", "SAXIGP3/HP1_DDR_LOW", "offers no ps/SAXIGP3/HP1_DDR_LOW"),
        ("settings.tcl", "m0_axi_rlast", "m0_axi_rlost", "port m0_axi_rlost was not recognised as part of bus m0_axi"),
        ("settings.tcl", "saxihp0_fpd_aclk 0\n", "saxihp0_fpd_aclk 1\n", "differ in width"),
        ("settings.tcl", "REF_CTRL__FREQMHZ 100.000", "REF_CTRL__FREQMHZ 50.000", "99.999 MHz are expected"),
        ("block_design.tcl", "reset/peripheral_reset", "reset/mb_reset", "/sagen/rst is not driven by"),
        ("block_design.tcl", "    validate_bd_design\n", "", "the design was not validated"),
        ("implementation.tcl", "report_clocks -file", "report_clock -file", "unknown command report_clock"),
        ("constraints/base.xdc", "COMPRESS TRUE", "COMPRESSED TRUE", "no property BITSTREAM.GENERAL.COMPRESSED"),
        ("constraints/base.xdc", "[current_design]", "[get_ports led]", "the design has no port led"),
    ];
    for (script, from, to, message) in cases {
        let folder = fresh("vivado_broken", &small());
        break_script(&folder, script, from, to);
        let error = refused(&folder, &[], "");
        assert!(error.contains(message), "{script}: {from} -> {to}: {error}");
    }
}

#[test]
fn a_parameter_that_no_release_has_is_warned_about() {
    let folder = fresh("vivado_parameter", &small());
    break_script(&folder, "settings.tcl", "CONFIG.PSU__NUM_FABRIC_RESETS", "CONFIG.PSU__NUM_RESETS");
    let text = passes(&folder, "2024.2", true, &["--until", "design"]);
    assert!(text.contains("WARNING: [sagen] /ps has no CONFIG.PSU__NUM_RESETS; left out"), "{text}");
}

/// Files that Verilator read to elaborate `overlay`, by its own list of dependencies.
fn elaborated(folder: &Path, sources: &[String]) -> BTreeSet<String> {
    let out = folder.join("deps");
    let mut command = Command::new("verilator");
    command
        .args(["--lint-only", "-MMD", "-Wall", "--top-module", "overlay", "rtl/lint.vlt", "-y", "rtl", "--Mdir"])
        .arg(&out);
    // Given the top alone, it looks the others up: what it does not need, it does not read.
    command.arg(sources.iter().find(|s| *s == "rtl/overlay.v").unwrap()).current_dir(folder);
    let output = command.output().unwrap_or_else(|e| panic!("verilator: {e}; `make setup` installs it"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(out.join("Voverlay__ver.d")).unwrap();
    let read = text.split_once(" : ").unwrap().1.split_whitespace();
    read.filter(|f| f.ends_with(".v")).map(str::to_string).collect()
}

#[test]
fn the_source_list_is_what_verilator_elaborates() {
    for overlay in overlays() {
        let folder = fresh("vivado_sources", &overlay);
        let build = folder.parent().unwrap();
        let list = fs::read_to_string(build.join("files.f")).unwrap();
        let all: Vec<String> = list.lines().map(str::to_string).collect();
        let expected: BTreeSet<String> = all.iter().filter(|f| *f != "rtl/overlay_sim.v").cloned().collect();
        assert_eq!(elaborated(build, &all), expected, "{}", &overlay.name);
        let text = passes(&folder, "2024.2", true, &["--until", "package"]);
        let packaged = text.lines().find_map(|l| l.strip_prefix("stub: packaged ")).unwrap();
        let root = build.canonicalize().unwrap();
        let relative = |p: &str| Path::new(p).strip_prefix(&root).unwrap().display().to_string();
        assert_eq!(packaged.split('|').map(relative).collect::<BTreeSet<_>>(), expected, "{}", &overlay.name);
    }
}
