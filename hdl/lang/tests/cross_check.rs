//! Random designs behave the same in the interpreter, in Verilator and in Icarus.

mod support;

use sagen_lang::*;
use support::{bench, random};

const CYCLES: u32 = 100;

/// A top that places several random designs, so that they are compiled together.
fn design(seed: u64, count: u64) -> (Design, ModuleId) {
    let mut d = Design::new();
    let mut parts = Vec::new();
    for i in 0..count {
        let leaf = random::module(&mut d, &format!("leaf{i}"), seed + 2 * i, 12, None);
        parts.push(random::module(&mut d, &format!("part{i}"), seed + 2 * i + 1, 40, Some(leaf)));
    }
    let ports: Vec<Vec<Port>> = parts.iter().map(|&p| d.ports(p).to_vec()).collect();
    let top = d.module("top", |m| {
        for (i, (&part, ports)) in parts.iter().zip(&ports).enumerate() {
            let u = m.instance(&format!("u{i}"), part);
            for port in ports {
                let name = format!("p{i}_{}", port.name);
                match port.direction {
                    Direction::Input => u.input(&port.name, m.input(&name, port.ty)),
                    Direction::Output => m.output(&name, u.output(&port.name)),
                }
            }
        }
    });
    d.finish().unwrap_or_else(|e| panic!("{e}"));
    (d, top)
}

fn compare(d: &Design, top: ModuleId, seed: u64, expected: &[Vec<String>], tool: &str, found: &[Vec<String>]) {
    let outputs: Vec<&Port> = d.ports(top).iter().filter(|p| p.direction == Direction::Output).collect();
    assert_eq!(found.len(), expected.len(), "seed {seed}: {tool} ran another number of cycles");
    for (cycle, (e, f)) in expected.iter().zip(found).enumerate() {
        for ((port, e), f) in outputs.iter().zip(e).zip(f) {
            assert_eq!(e, f, "seed {seed}, cycle {cycle}, output {}: interpreter against {tool}", port.name);
        }
    }
}

fn seed() -> u64 {
    std::env::var("SAGEN_SEED").map_or(1, |s| s.parse().expect("SAGEN_SEED is a number"))
}

#[test]
fn random_designs_agree_with_verilator_and_icarus() {
    let seed = seed();
    let (d, top) = design(seed, 10);
    let stimulus = bench::Stimulus::random(&d, top, CYCLES, seed);
    let expected = bench::interpret(&d, top, &stimulus);
    let dir = support::directory();
    bench::write(&d, top, &stimulus, dir.path());
    compare(&d, top, seed, &expected, "Verilator", &bench::verilate(dir.path()));
    compare(&d, top, seed, &expected, "Icarus", &bench::icarus(dir.path()));
}

#[test]
fn more_random_designs_agree_with_icarus() {
    for seed in seed() + 1000..seed() + 1040 {
        let (d, top) = design(seed * 100, 1);
        let stimulus = bench::Stimulus::random(&d, top, CYCLES, seed);
        let expected = bench::interpret(&d, top, &stimulus);
        let dir = support::directory();
        bench::write(&d, top, &stimulus, dir.path());
        compare(&d, top, seed, &expected, "Icarus", &bench::icarus(dir.path()));
    }
}

#[test]
fn random_designs_pass_lint_and_are_read_by_yosys() {
    let (d, top) = design(seed() + 500, 6);
    let dir = support::directory();
    for (name, text) in verilog::print(&d, top) {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    for define in ["-DNOTHING", "-DSAGEN_ASSERT"] {
        // Random operators compare constants, which is no fault of the printer.
        let args = [
            "--lint-only",
            "-Wall",
            "-Wno-UNSIGNED",
            "-Wno-CMPCONST",
            define,
            "--top-module",
            "top",
            verilog::WAIVERS,
            "-f",
            "files.f",
        ];
        let text = support::run(dir.path(), &support::verilator(), &args);
        assert!(!text.contains("%Warning"), "{text}");
    }
    let files = std::fs::read_to_string(dir.path().join("files.f")).unwrap().replace('\n', " ");
    let script = format!("read_verilog {files}; hierarchy -check -top top; proc; check");
    let text = support::run(dir.path(), "yosys", &["-p", &script]);
    assert!(!text.contains("conflicting drivers") && !text.contains("logic loop"), "{text}");
}

#[test]
fn building_twice_gives_the_same_bytes() {
    let (a, top_a) = design(seed() + 700, 3);
    let (b, top_b) = design(seed() + 700, 3);
    assert_eq!(verilog::print(&a, top_a), verilog::print(&b, top_b));
    assert_eq!(a.manifest(top_a), b.manifest(top_b));
}
