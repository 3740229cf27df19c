//! Runs the external tools of the tests, and random designs for them.

#![allow(dead_code)] // Each test binary uses a part.

pub(crate) mod bench;
pub(crate) mod random;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::process::Command;

/// A directory for one design; `SAGEN_KEEP` keeps it.
pub(crate) fn directory() -> tempfile::TempDir {
    let mut dir = tempfile::tempdir().unwrap();
    dir.disable_cleanup(std::env::var_os("SAGEN_KEEP").is_some());
    println!("files are in {}", dir.path().display());
    dir
}

/// Runs a tool in `dir` and returns what it printed; a missing tool or a failure is a test failure.
pub(crate) fn run(dir: &Path, tool: &str, args: &[&str]) -> String {
    let output = Command::new(tool).args(args).current_dir(dir).output();
    let output = output
        .unwrap_or_else(|e| panic!("the tests need `{tool}` ({e}): apt-get install verilator yosys iverilog g++"));
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "`{tool} {}` failed in {}:\n{text}", args.join(" "), dir.display());
    text
}

/// The Verilator to test with: `$VERILATOR` or the one in the path.
pub(crate) fn verilator() -> String {
    std::env::var("VERILATOR").unwrap_or_else(|_| "verilator".into())
}

/// Seeded random numbers.
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0.random()
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        self.0.random_range(0..n)
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }
}
