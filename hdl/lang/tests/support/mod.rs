//! Runs the external tools of the tests, and random designs for them.

#![allow(dead_code)] // Each test binary uses a part.

pub(crate) mod bench;
pub(crate) mod random;

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

/// A small generator of pseudo-random numbers (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, n: u32) -> u32 {
        (((self.word() >> 32) * u64::from(n)) >> 32) as u32
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }
}
