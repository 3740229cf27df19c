//! What tests of several units share: overlays, random numbers, the lint.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sagen_config::Board;
use sagen_lang::{Design, ModuleId, verilog};
use sagen_streamed_arch::{StreamedConfig, config};
use std::path::PathBuf;
use std::process::Command;

/// The overlay in `configs/<name>.yaml`.
pub(crate) fn overlay(name: &str) -> StreamedConfig {
    let configs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../configs");
    let read = |path: PathBuf| std::fs::read_to_string(&path).unwrap();
    let board: Board = sagen_config::parse("kv260.yaml", &read(configs.join("boards/kv260.yaml"))).unwrap();
    config::overlay(name, &read(configs.join(format!("{name}.yaml"))), &[board]).unwrap()
}

/// Verilator must have nothing to say about a unit, on any of the overlays.
pub(crate) fn lint(unit: fn(&mut Design, &StreamedConfig) -> ModuleId) {
    for name in ["d16_100mhz_w128_p6", "d16_100mhz_w128_p6_a4", "d8_100mhz", "d16_250mhz_w128_p6"] {
        let mut d = Design::new();
        let top = unit(&mut d, &overlay(name));
        d.finish().unwrap_or_else(|e| panic!("{name}: {e}"));
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in verilog::print(&d, top) {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        let tool = std::env::var("VERILATOR").unwrap_or_else(|_| "verilator".into());
        let args = ["--lint-only", "-Wall", "--top-module", d.name(top), verilog::WAIVERS, "-f", "files.f"];
        let output = Command::new(&tool).args(args).current_dir(dir.path()).output();
        let output = output.unwrap_or_else(|e| panic!("the test needs `{tool}`: {e}"));
        let text = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('%')).collect();
        assert!(output.status.success() && lines.is_empty(), "{name}: {text}");
    }
}

/// Seeded random numbers.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }
    pub(crate) fn next(&mut self) -> u64 {
        self.0.random()
    }
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0.random_range(0..n)
    }
    pub(crate) fn percent(&mut self, p: u64) -> bool {
        self.below(100) < p
    }
}
