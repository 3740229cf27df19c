//! Random legal overlays: each is emitted, has no lint warning, and runs random programs with the bits of the golden model.
//! `SAGEN_OVERLAYS` sets how many, `SAGEN_SEED` where the seeds begin.

mod overlay;

use overlay::number;
use sagen_cosim::verilate::Variant;
use sagen_streamed_fuzz::config::random_overlay;
use std::path::Path;
use std::process::Command;

/// Programs on each overlay.
const PROGRAMS: u64 = 12;

fn lint(folder: &Path, name: &str) {
    let list = std::fs::read_to_string(folder.join("files.f")).unwrap();
    let sources = list.lines().filter(|f| !f.ends_with("/overlay_sim.v"));
    let mut verilator = Command::new("verilator");
    verilator
        .args(["--lint-only", "-Wall", "--top-module", "overlay", "rtl/lint.vlt"])
        .args(sources)
        .current_dir(folder);
    let output = verilator.output().unwrap_or_else(|e| panic!("verilator: {e}; `make setup` installs it"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
}

#[test]
fn random_overlays_run_random_programs_bit_exactly() {
    let boards = sagen_config::find::boards(&sagen_config::find::configs().unwrap()).unwrap();
    let (count, first) = (number("SAGEN_OVERLAYS", 7), number("SAGEN_SEED", 1));
    for seed in first..first + count {
        let o = random_overlay(seed, &boards);
        println!("seed {seed}: {}, {} vector lanes", o.name(), o.vector_lanes());
        let (folder, ports) = overlay::emit(&o, &format!("seed-{seed}"));
        lint(&folder, o.name());
        let built = overlay::simulator(&folder, &ports, Variant::default());
        for program in 1..=PROGRAMS {
            let random = overlay::program(&o, program);
            overlay::run(&built.library, &o, &random, program)
                .unwrap_or_else(|e| panic!("overlay seed {seed}, {}, program seed {program}: {e}", o.name()));
        }
    }
}
