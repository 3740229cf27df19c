//! The parser on reports written by hand in the layouts of 2023.2 (Zynq UltraScale+) and 2025.1 (Zynq-7000).
//! A `bad_*` folder holds the one report in which it differs from `good`.

use sagen_vivado::report::{self, Report};
use std::fs;
use std::path::{Path, PathBuf};

const READ: [&str; 8] = [
    "timing_summary.rpt",
    "check_timing.rpt",
    "utilization.rpt",
    "clocks.rpt",
    "utilization_hierarchical.rpt",
    "drc.rpt",
    "methodology.rpt",
    "address_map.rpt",
];
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
        for name in READ {
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
        for name in READ {
            let folder = folder(version, "good");
            let path = folder.path().join(name);
            let text = fs::read_to_string(&path).unwrap();
            let whole = text.trim_end_matches(['\n', '-', '=', ' ']).len();
            let lines = text.match_indices('\n').map(|(at, _)| at + 1);
            for cut in lines.chain((0..whole).rev().take(60)).filter(|cut| *cut <= whole) {
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
    assert_eq!(failures(folder.path()).len(), 9);
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

/// A report of rules with some of each severity.
fn broken_rules(head: &str) -> String {
    let (before, _) = head.split_once("Violations found: 0").unwrap();
    let detail = |rule: &str, number: u32, severity: &str| {
        format!("{rule}#{number} {severity}\nA title  \nWhat it is about.\nRelated violations: <none>\n\n")
    };
    format!(
        "{before}Violations found: 5\n\
         +--------+------------------+-------------+------------+\n\
         | Rule   | Severity         | Description | Violations |\n\
         +--------+------------------+-------------+------------+\n\
         | NSTD-1 | Error            | No standard | 1          |\n\
         | PDRC-3 | Critical Warning | Placement   | 2          |\n\
         | DPIP-1 | Warning          | Pipelining  | 1          |\n\
         | AVAL-4 | Advisory         | Values      | 1          |\n\
         +--------+------------------+-------------+------------+\n\n\
         2. REPORT DETAILS\n-----------------\n{}{}{}{}{}",
        detail("NSTD-1", 1, "Error"),
        detail("PDRC-3", 1, "Critical Warning"),
        detail("PDRC-3", 2, "Critical Warning"),
        detail("DPIP-1", 1, "Warning"),
        detail("AVAL-4", 1, "Advisory"),
    )
}

#[test]
fn broken_rules_fail_by_severity_and_critical_warnings_are_listed() {
    for version in VERSIONS {
        for name in ["drc.rpt", "methodology.rpt"] {
            let folder = folder(version, "good");
            let path = folder.path().join(name);
            let text = broken_rules(&fs::read_to_string(&path).unwrap());
            fs::write(&path, &text).unwrap();
            let report = report::judge(folder.path());
            assert_eq!(report.failures, [format!("{name}: Error NSTD-1 (No standard), 1 time(s)")]);
            assert_eq!(report.warnings, [format!("{name}: Critical Warning PDRC-3 (Placement), 2 time(s)")]);
            // As newer releases head the column, and the count.
            let newer = text.replace("| Violations |", "| Checks     |").replace("Violations found:", "Checks found:");
            fs::write(&path, newer).unwrap();
            assert_eq!(failures(folder.path()).len(), 1);
            // A row that is gone, a detail that is gone, a severity that is none.
            let rows = text.replace("| DPIP-1 | Warning          | Pipelining  | 1          |\n", "");
            let details = text.replacen("PDRC-3#2 Critical Warning", "x", 1);
            let severity = text.replace("| Advisory         |", "| Grave            |");
            for (broken, expected) in [
                (rows, "expected as many violations as the rows of the table have, 4"),
                (details, "expected 2 details of PDRC-3, there are 1"),
                (severity, "expected a severity: Advisory, Warning, Critical Warning, Error or Fatal"),
            ] {
                fs::write(&path, broken).unwrap();
                let all = failures(folder.path());
                assert!(all.len() == 1 && all[0].contains(expected), "{all:?}");
            }
            let end = text.trim_end().len();
            for cut in text.match_indices('\n').map(|(at, _)| at + 1).filter(|at| *at < end).chain(end - 40..end) {
                fs::write(&path, &text[..cut]).unwrap();
                let all = failures(folder.path());
                assert!(
                    all.iter().any(|f| f.starts_with(&format!("{name}:")) && f.contains("expected")),
                    "{cut}: {all:?}"
                );
            }
        }
    }
}

#[test]
fn reports_of_another_run_design_or_part_fail() {
    for version in VERSIONS {
        let change = |name: &str, from: &str, to: &str| {
            let folder = folder(version, "good");
            let path = folder.path().join(name);
            let text = fs::read_to_string(&path).unwrap();
            let line = text.lines().find(|l| l.starts_with(&format!("| {from}")) && l.contains(": ")).unwrap();
            let changed = format!("{}: {to}", line.split_once(": ").unwrap().0);
            fs::write(&path, text.replacen(line, &changed, 1)).unwrap();
            failures(folder.path())
        };
        for name in &READ[1..7] {
            let all = change(name, "Tool Version", "Vivado v.2019.1 (lin64)");
            assert!(
                all.len() == 1 && all[0].starts_with(&format!("{name}: Tool Version is `Vivado v.2019.1 (lin64)`, ")),
                "{all:?}"
            );
            let all = change(name, "Design State", "Synthesized");
            assert_eq!(all, [format!("{name} is of a design that is Synthesized, not Routed")]);
            let all = change(name, "Device", "xc7a35ti-csg324");
            assert!(all[0].starts_with(&format!("{name}: Device is `xc7a35ti-csg324`, ")), "{all:?}");
        }
        let all = change("drc.rpt", "Design  ", "other_wrapper");
        assert!(all.len() == 1 && all[0].starts_with("drc.rpt: Design is `other_wrapper`, "), "{all:?}");
        // All of them of another part.
        let folder = folder(version, "good");
        let path = folder.path().join("expected.json");
        let text = fs::read_to_string(&path).unwrap();
        let part: serde_json::Value = serde_json::from_str(&text).unwrap();
        fs::write(&path, text.replace(part["part"].as_str().unwrap(), "xczu7ev-ffvc1156-2-e")).unwrap();
        let all = failures(folder.path());
        assert!(all.len() == 1 && all[0].ends_with(", the build is for xczu7ev-ffvc1156-2-e"), "{all:?}");
    }
}

#[test]
fn the_hierarchy_and_the_address_map_are_read() {
    for version in VERSIONS {
        let change = |name: &str, from: &str, to: &str| {
            let folder = folder(version, "good");
            let path = folder.path().join(name);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "{name}: {from}");
            fs::write(&path, text.replacen(from, to, 1)).unwrap();
            let all = failures(folder.path());
            assert_eq!(all.len(), 1, "{all:?}");
            all[0].clone()
        };
        let hierarchy = |from, to| change("utilization_hierarchical.rpt", from, to);
        assert!(
            hierarchy("| system_wrapper |", "| another_thing  |")
                .contains("expected a row of the design, system_wrapper")
        );
        assert!(hierarchy("| 91377 |\n|   s", "|\n|   s").contains("cells, as the head of the table has"));
        assert!(hierarchy("| Instance ", "| Thing    ").contains("expected a table with the column `Instance`"));
        let address = |from, to| change("address_map.rpt", from, to);
        assert!(address("segments 2", "segments 3").contains("expected as many segments as there are lines, 2"));
        assert!(address("segments 2\n", "").contains("expected the last line, `segments <count>`"));
        assert!(address(" 64K", " all").contains("expected a segment, its offset"));
        assert!(address(" 0x", " zx").contains("expected a segment, its offset"));
    }
}
