//! The Verilog of the unit, as Verilator sees it.

use crate::compute::compute_unit;
use crate::testing::overlay;
use sagen_lang::{Design, verilog};
use std::process::Command;

#[test]
fn verilator_has_nothing_to_say_about_the_verilog() {
    for name in ["d16_100mhz_w128_p6", "d16_100mhz_w128_p6_a4", "d8_100mhz"] {
        let mut d = Design::new();
        let top = compute_unit(&mut d, &overlay(name));
        d.finish().unwrap_or_else(|e| panic!("{name}: {e}"));
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in verilog::print(&d, top) {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let tool = std::env::var("VERILATOR").unwrap_or_else(|_| "verilator".into());
        let args = ["--lint-only", "-Wall", "-f", "files.f"];
        let output = Command::new(&tool).args(args).current_dir(dir.path()).output();
        let output = output.unwrap_or_else(|e| panic!("the test needs `{tool}`: {e}"));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
