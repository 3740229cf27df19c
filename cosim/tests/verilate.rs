//! From Verilog to a loadable object: both Verilators, the cache, concurrency, failures.

mod bench;

use expect_test::expect;
use sagen_cosim::bridge::{BridgeError, Sim};
use sagen_cosim::verilate::{
    Cache, Compiler, Design, Tools, TopPort, Variant, VerilateError, Verilator, XInitial, verilate,
};
use std::path::Path;

const ADDER: &str = "module adder(input clk, input [3:0] a, input [15:0] b, input [31:0] c, input [63:0] d,\n\
    input [127:0] e, output reg [127:0] sum, output reg [7:0] power_up);\n\
    always @(posedge clk) sum <= {124'd0, a} + {112'd0, b} + {96'd0, c} + {64'd0, d} + e;\n\
    always @(posedge clk) power_up <= power_up; endmodule\n";

fn adder_ports() -> [TopPort; 8] {
    [
        TopPort::input("clk", 1),
        TopPort::input("a", 4),
        TopPort::input("b", 16),
        TopPort::input("c", 32),
        TopPort::input("d", 64),
        TopPort::input("e", 128),
        TopPort::output("sum", 128),
        TopPort::output("power_up", 8),
    ]
}

fn adder(name: &str) -> Design {
    Design::read(&bench::folder(name, ADDER), "adder", &adder_ports()).unwrap()
}

fn tools() -> Tools {
    Tools::find(None).unwrap()
}

#[test]
fn every_verilator_of_this_machine_builds_a_design_that_adds() {
    let mut all = Verilator::candidates().unwrap();
    all.extend(std::env::var_os("SAGEN_VERILATOR").map(Into::into));
    assert!(!all.is_empty());
    for path in all {
        for trace in [false, true] {
            let tools = Tools::find(Some(&path)).unwrap();
            let variant = Variant { trace, x_initial: XInitial::Fast, assertions: false };
            let design = adder(&format!("adder-{trace}"));
            let built = verilate(&design, variant, &tools, &bench::cache())
                .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            println!("{}: {built:?}", path.display());
            let mut sim = Sim::load(&built.library, 0).unwrap();
            sim.port::<u8>("a").unwrap().set(15);
            sim.port::<u16>("b").unwrap().set(0xffff);
            sim.port::<u32>("c").unwrap().set(0xffff_ffff);
            sim.port::<u64>("d").unwrap().set(0xffff_ffff_ffff_ffff);
            sim.bus("e").unwrap().set(&(1u128 << 127).to_le_bytes());
            sim.clock(|| {}).unwrap();
            let mut sum = [0; 16];
            sim.bus("sum").unwrap().copy_to(&mut sum);
            let expected = 15 + 0xffff + 0xffff_ffff + 0xffff_ffff_ffff_ffffu128 + (1 << 127);
            assert_eq!(u128::from_le_bytes(sum), expected);
            sim.finish().unwrap();
        }
    }
}

#[test]
fn the_second_build_comes_from_the_cache_and_a_changed_design_does_not() {
    let cache = Cache::at(tempfile::tempdir().unwrap().keep());
    let first = verilate(&adder("first"), Variant::default(), &tools(), &cache).unwrap();
    let second = verilate(&adder("second"), Variant::default(), &tools(), &cache).unwrap();
    assert!(!first.cache_hit && second.cache_hit);
    assert_eq!(first.library, second.library);
    assert_eq!(first.compile_seconds, second.compile_seconds);
    let unique = Variant { x_initial: XInitial::Unique, ..Variant::default() };
    let third = verilate(&adder("third"), unique, &tools(), &cache).unwrap();
    assert!(!third.cache_hit && third.library != first.library);
    let text = ADDER.replace("{124'd0, a} + ", "");
    let changed = Design::read(&bench::folder("changed", &text), "adder", &adder_ports()).unwrap();
    let fourth = verilate(&changed, Variant::default(), &tools(), &cache).unwrap();
    assert!(!fourth.cache_hit && fourth.library != first.library);
    std::fs::remove_dir_all(cache.root()).unwrap();
}

#[test]
fn the_seed_chooses_power_up_values_of_a_unique_build() {
    let unique = Variant { x_initial: XInitial::Unique, ..Variant::default() };
    let built = verilate(&adder("seeds"), unique, &tools(), &bench::cache()).unwrap();
    let power_up = |seed| {
        let mut sim = Sim::load(&built.library, seed).unwrap();
        sim.clock(|| {}).unwrap();
        sim.port::<u8>("power_up").unwrap().get()
    };
    let values: Vec<u8> = (1..9).map(power_up).collect();
    let again: Vec<u8> = (1..9).map(power_up).collect();
    assert_eq!(values, again);
    assert!(values.iter().any(|v| *v != values[0]), "{values:?}");
}

#[test]
fn two_builds_of_the_same_design_at_once_both_work_and_one_waits() {
    let cache = Cache::at(tempfile::tempdir().unwrap().keep());
    let build = |name: &str| verilate(&adder(name), Variant::default(), &tools(), &cache).unwrap();
    let (one, two) = std::thread::scope(|scope| {
        let one = scope.spawn(|| build("one"));
        let two = scope.spawn(|| build("two"));
        (one.join().unwrap(), two.join().unwrap())
    });
    assert!(one.cache_hit != two.cache_hit, "{one:?} {two:?}");
    Sim::load(&one.library, 0).unwrap();
    std::fs::remove_dir_all(cache.root()).unwrap();
}

#[test]
fn bad_verilog_shows_the_first_error_the_command_and_the_log_and_leaves_nothing() {
    let cache = Cache::at(tempfile::tempdir().unwrap().keep());
    let folder = bench::folder("bad", "module bad(input clk);\n  wire x = ;\n  wire y = ;\nendmodule\n");
    let design = Design::read(&folder, "bad", &[TopPort::input("clk", 1)]).unwrap();
    let e = verilate(&design, Variant::default(), &tools(), &cache).unwrap_err().to_string();
    let lines: Vec<&str> = e.lines().collect();
    assert!(lines[0].starts_with("Verilator failed (exit status: 1): %Error: top.v:2:12:"), "{e}");
    assert!(lines[1].starts_with("  command: cd ") && lines[1].contains("--x-assign fast"), "{e}");
    let log = lines[2].strip_prefix("  log: ").unwrap();
    assert!(std::fs::read_to_string(log).unwrap().contains("top.v:3:12:"));
    let left = std::fs::read_dir(cache.root().join("verilated/designs")).unwrap();
    let names: Vec<_> = left.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|n| n.ends_with(".log") || n.ends_with(".lock")), "{names:?}");
    std::fs::remove_dir_all(cache.root()).unwrap();
}

#[test]
fn a_port_of_another_width_than_declared_fails_in_the_compiler() {
    let ports = [TopPort::input("clk", 1), TopPort::output("sum", 64)];
    let design = Design::read(&bench::folder("width", ADDER), "adder", &ports).unwrap();
    let e = verilate(&design, Variant::default(), &tools(), &bench::cache()).unwrap_err();
    assert!(e.to_string().contains("width of sum"), "{e}");
}

#[test]
fn a_compiler_that_does_not_exist_is_named() {
    let e = Compiler::at(Path::new("/nowhere/clang++")).unwrap_err().to_string();
    assert!(e.starts_with("cannot start the C++ compiler:"), "{e}");
    assert!(e.ends_with("command: /nowhere/clang++ --version"), "{e}");
}

#[test]
fn a_verilator_that_does_not_exist_is_named() {
    let e = Verilator::at(Path::new("/nowhere/verilator")).unwrap_err();
    expect!["/nowhere/verilator: No such file or directory (os error 2)"].assert_eq(&e.to_string());
}

#[test]
fn file_lists_cannot_leave_the_folder_or_smuggle_options() {
    let folder = bench::folder("list", ADDER);
    for (entry, line) in [("../top.v", 2), ("/etc/passwd", 2), ("+incdir+x", 2), ("--public", 2)] {
        std::fs::write(folder.join("files.f"), format!("top.v\n{entry}\n")).unwrap();
        let e = Design::read(&folder, "adder", &[]).unwrap_err();
        assert!(matches!(&e, VerilateError::FileList { line: l, found, .. } if *l == line && found == entry));
    }
    std::fs::write(folder.join("files.f"), "none.v // gone\n").unwrap();
    let e = Design::read(&folder, "adder", &[]).unwrap_err().to_string();
    assert!(e.ends_with("none.v: No such file or directory (os error 2)"), "{e}");
}

#[test]
fn a_port_name_that_verilator_would_escape_is_refused() {
    let e = Design::read(&bench::folder("name", ADDER), "adder", &[TopPort::input("a__b", 3)]);
    expect!["top-level port `a__b` (3 bits) cannot be reached from C++: Verilator escapes empty names and double underscores"]
        .assert_eq(&e.unwrap_err().to_string());
}

#[test]
fn errors_of_the_bridge_name_port_and_path() {
    let built = verilate(&adder("ports"), Variant::default(), &tools(), &bench::cache()).unwrap();
    let sim = Sim::load(&built.library, 0).unwrap();
    let text = |e: BridgeError| e.to_string();
    expect!["the design has no port `f`"].assert_eq(&sim.port::<u8>("f").map(|_| ()).map_err(text).unwrap_err());
    expect!["port `b` is 16 bits wide, which is not stored in 8 bits"]
        .assert_eq(&sim.port::<u8>("b").map(|_| ()).map_err(text).unwrap_err());
    let e = Sim::load(Path::new("/nowhere/model.so"), 0).map(|_| ()).map_err(text).unwrap_err();
    assert!(e.starts_with("/nowhere/model.so: cannot load the design: "), "{e}");
}

#[test]
fn a_fatal_of_the_simulator_is_an_error_with_its_cycle() {
    let text = "module stop(input clk, input a); reg [3:0] n; initial n = 0;\n\
        always @(posedge clk) begin n <= n + 4'd1; if (n == 4'd5 && a) $stop; end endmodule\n";
    let ports = [TopPort::input("clk", 1), TopPort::input("a", 1)];
    let design = Design::read(&bench::folder("stop", text), "stop", &ports).unwrap();
    let built = verilate(&design, Variant::default(), &tools(), &bench::cache()).unwrap();
    let mut sim = Sim::load(&built.library, 0).unwrap();
    sim.port::<u8>("a").unwrap().set(1);
    let e = (0..10).find_map(|_| sim.clock(|| {}).err()).unwrap();
    expect!["cycle 5: the simulated design stopped: top.v:2: the design executed $stop or a failing assertion"]
        .assert_eq(&e.to_string());
}
