//! The Verilog of the unit, as Verilator sees it.

use crate::testing::overlay;
use crate::vector::vector_unit;
use sagen_lang::{Design, verilog};
use std::process::Command;

#[test]
fn verilator_has_nothing_to_say_about_the_verilog() {
    let mut d = Design::new();
    let top = vector_unit(&mut d, &overlay("d16_100mhz_w128_p6"));
    d.finish().unwrap_or_else(|e| panic!("{e}"));
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in verilog::print(&d, top) {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let tool = std::env::var("VERILATOR").unwrap_or_else(|_| "verilator".into());
    let args = ["--lint-only", "-Wall", "-Wno-fatal", "--top-module", "vector_unit", "-f", "files.f"];
    let output = Command::new(&tool).args(args).current_dir(dir.path()).output();
    let output = output.unwrap_or_else(|e| panic!("the test needs `{tool}`: {e}"));
    let text = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('%')).collect();
    assert!(output.status.success() && lines.is_empty(), "{}", lines.join("\n"));
}
