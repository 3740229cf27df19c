//! The parser on reports written by hand in the layouts of 2023.2 (Zynq UltraScale+) and 2025.1 (Zynq-7000).
//! A `bad_*` folder holds the one report in which it differs from `good`.

use sagen_vivado::report::{self, Report};
use std::fs;
use std::path::{Path, PathBuf};

const VERSIONS: [&str; 2] = ["2023.2", "2025.1"];

fn samples(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports").join(version)
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// `good` with the reports of another folder laid over it.
fn folder(version: &str, case: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&samples(version).join("good"), folder.path());
    copy(&samples(version).join(case), folder.path());
    folder
}

/// Failures with the folder's name cut off.
fn failures(folder: &Path) -> Vec<String> {
    let prefix = format!("{}/", folder.display());
    report::judge(folder).failures.iter().map(|f| f.replace(&prefix, "")).collect()
}

fn fails(version: &str, case: &str) -> String {
    let folder = folder(version, case);
    let all = failures(folder.path());
    assert_eq!(all.len(), 1, "{version} {case}: {all:?}");
    all[0].clone()
}

#[test]
fn good_reports_hold_and_give_their_figures() {
    let report: Report = report::judge(&samples("2023.2").join("good"));
    assert_eq!(report.failures, Vec::<String>::new());
    let timing = report.timing.unwrap();
    assert!(timing.tool.starts_with("Vivado v.2023.2 "), "{}", timing.tool);
    assert_eq!((timing.wns_ns, timing.whs_ns, timing.wpws_ns), (Some(0.742), Some(0.011), Some(3.498)));
    assert_eq!(report.checks.len(), 12);
    assert_eq!((report.clocks[0].name.as_str(), report.clocks[0].period_ns), ("clk_pl_0", 10.0));
    let used = |name: &str| report.resources.iter().find(|r| r.name == name).map(|r| (r.used, r.available));
    assert_eq!(used("CLB LUTs"), Some((78312.0, 117120.0)));
    assert_eq!(used("Block RAM Tile"), Some((61.5, 144.0)));
    assert_eq!(used("RAMB36/FIFO"), Some((58.0, 144.0)));
    assert_eq!(used("LUT as Shift Register"), None);

    let report = report::judge(&samples("2025.1").join("good"));
    assert_eq!(report.failures, Vec::<String>::new());
    assert!(report.timing.unwrap().tool.starts_with("Vivado v.2025.1 "));
    assert_eq!(report.clocks[0].name, "clk_fpga_0");
    assert!(report.resources.iter().any(|r| r.name == "Slice LUTs" && r.used == 38104.0));
}

#[test]
fn each_rule_is_named_with_its_value() {
    for version in VERSIONS {
        assert_eq!(fails(version, "bad_setup"), "WNS = -0.318 ns is negative");
        assert_eq!(fails(version, "bad_hold"), "WHS = -0.027 ns is negative");
        assert_eq!(fails(version, "bad_pulse"), "WPWS = -0.155 ns is negative");
        assert_eq!(fails(version, "bad_unconstrained"), "unconstrained_internal_endpoints = 17, 0 is required");
        assert_eq!(fails(version, "bad_no_clock"), "no_clock = 64, 0 is required");
        assert_eq!(fails(version, "bad_placed"), "the reports are of a design that is Placed, not Routed");
        let both = folder(version, "bad_no_paths");
        assert_eq!(failures(both.path()), ["WNS is NA: no path was timed", "WHS is NA: no path was timed"]);
    }
    assert_eq!(fails("2023.2", "bad_bram"), "Block RAM Tile: 150.5 used of 144 available, 104.5 %");
    assert_eq!(fails("2025.1", "bad_bram"), "Block RAM Tile: 150.5 used of 140 available, 107.5 %");
    assert_eq!(fails("2023.2", "bad_clock"), "clk_pl_0 runs at 50.000 MHz, the config makes 99.999 MHz");
    assert_eq!(fails("2025.1", "bad_clock"), "clk_fpga_0 runs at 50.000 MHz, the config makes 100.000 MHz");
    let luts = folder("2025.1", "bad_luts");
    let rows = ["Slice LUTs: 61288 used of 53200", "LUT as Logic: 59277 used of 53200"];
    assert!(failures(luts.path()).iter().zip(rows).all(|(found, row)| found.starts_with(row)));
}

#[test]
fn a_report_that_cannot_be_read_is_named_with_line_and_expectation() {
    let columns = fails("2023.2", "bad_columns");
    assert!(columns.starts_with("timing_summary.rpt:"), "{columns}");
    assert!(columns.contains(": expected the columns WNS(ns), TNS(ns), "), "{columns}");
    let number = fails("2025.1", "bad_number");
    assert!(number.ends_with(": expected a number for WNS(ns), found `0.7x2`"), "{number}");
    let check = fails("2023.2", "bad_check");
    assert!(check.ends_with("expected a line `N. checking no_clock (<count>)`, found the end of the file"), "{check}");
    let table = fails("2025.1", "bad_table");
    assert!(table.contains(": expected a column `Available`, found `| Site Type"), "{table}");
    let clock = fails("2023.2", "bad_clock_name");
    assert_eq!(clock, "no fabric clock: expected clk_pl_0 or clk_fpga_0, found clk_x");
}

#[test]
fn a_missing_an_empty_and_a_cut_report_each_fail() {
    for version in VERSIONS {
        for entry in fs::read_dir(samples(version).join("good")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let folder = folder(version, "good");
            let path = folder.path().join(&name);
            fs::remove_file(&path).unwrap();
            assert_eq!(failures(folder.path()), [format!("{name}: No such file or directory (os error 2)")]);
            fs::write(&path, "\n").unwrap();
            assert_eq!(failures(folder.path()).len(), 1, "{name}");
        }
        for name in ["timing_summary.rpt", "check_timing.rpt", "utilization.rpt", "clocks.rpt"] {
            let folder = folder(version, "good");
            let path = folder.path().join(name);
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, &text[..text.len() / 8]).unwrap();
            let all = failures(folder.path());
            assert!(all.len() == 1 && all[0].starts_with(name) && all[0].contains("expected"), "{all:?}");
        }
    }
}

/// Every report that is read, cut behind every byte: it fails unless only blank lines are gone.
#[test]
fn a_report_cut_anywhere_fails() {
    for version in VERSIONS {
        for name in ["timing_summary.rpt", "check_timing.rpt", "utilization.rpt", "clocks.rpt"] {
            let folder = folder(version, "good");
            let path = folder.path().join(name);
            let text = fs::read_to_string(&path).unwrap();
            let whole = text.trim_end_matches(['\n', '-', '=', ' ']).len();
            let lines = text.match_indices('\n').map(|(at, _)| at + 1);
            for cut in lines.chain((0..whole).rev().take(300)).filter(|cut| *cut <= whole) {
                fs::write(&path, &text[..cut]).unwrap();
                let all = failures(folder.path());
                assert!(all.len() == 1 && all[0].starts_with(name), "{version} {name} cut at {cut}: {all:?}");
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_no_panic() {
    let folder = folder("2023.2", "good");
    for entry in fs::read_dir(samples("2023.2").join("good")).unwrap() {
        fs::write(folder.path().join(entry.unwrap().file_name()), [0xff, 0x00, b'|', 0x80]).unwrap();
    }
    assert_eq!(failures(folder.path()).len(), 5);
}

#[test]
fn the_folder_may_be_the_build_the_results_or_the_reports() {
    let root = tempfile::tempdir().unwrap();
    let flow = root.path().join("vivado");
    let reports = flow.join("work/d2ecb24d-3f0e11aa/reports");
    fs::create_dir_all(&flow).unwrap();
    fs::copy(samples("2023.2").join("good/expected.json"), flow.join("flow.json")).unwrap();
    let error = report::folder(root.path()).unwrap_err().to_string();
    assert!(error.contains("no reports of this build (d2ecb24d-3f0e11aa); run `sagen vivado` first"), "{error}");
    fs::create_dir_all(&reports).unwrap();
    for given in [root.path(), reports.parent().unwrap(), &reports] {
        assert_eq!(report::folder(given).unwrap(), reports);
    }
    let error = report::folder(&reports.join("../../../flow.json")).unwrap_err().to_string();
    assert!(error.ends_with("flow.json: this is a file; the folder that holds the reports is expected"), "{error}");
    let error = report::folder(&root.path().join("absent")).unwrap_err().to_string();
    assert!(error.ends_with("absent: no such folder"), "{error}");
}
