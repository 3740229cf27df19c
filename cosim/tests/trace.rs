//! FST windows.

mod bench;

use bench::Bench;
use sagen_cosim::axi::Profile;
use sagen_cosim::bridge::TraceWindow;
use sagen_cosim::verilate::{Variant, XInitial};
use std::path::Path;

/// First and last time of an FST file, from its header block.
fn times(path: &Path) -> (u64, u64) {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes[0], 0, "an FST file starts with a header block");
    let word = |at: usize| u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap());
    (word(9), word(17))
}

#[test]
fn a_window_holds_its_cycles_and_no_others() {
    let built = bench::build(64, Variant { trace: true, x_initial: XInitial::Fast, assertions: false });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("window.fst");
    let mut bench = Bench::with(&built, Profile::Ideal, 100_000_000);
    bench.rig.sim_mut().trace(TraceWindow { cycles: 30..40, path: path.clone() }).unwrap();
    bench.read(0, 16, 10).run(160, 0).unwrap();
    assert_eq!(times(&path), (60, 79));
}

#[test]
fn a_run_that_ends_inside_the_window_leaves_a_readable_file() {
    let built = bench::build(64, Variant { trace: true, x_initial: XInitial::Fast, assertions: false });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.fst");
    let mut bench = Bench::with(&built, Profile::Ideal, 100_000_000);
    bench.rig.sim_mut().trace(TraceWindow { cycles: 10..1_000_000, path: path.clone() }).unwrap();
    bench.rig.run(20).unwrap();
    let end = bench.rig.sim().cycle();
    drop(bench);
    assert_eq!(times(&path), (20, 2 * end - 1));
}

#[test]
fn two_windows_make_two_files() {
    let built = bench::build(64, Variant { trace: true, x_initial: XInitial::Fast, assertions: false });
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Bench::with(&built, Profile::Ideal, 100_000_000);
    for start in [20, 40] {
        let path = folder.path().join(format!("{start}.fst"));
        bench.rig.sim_mut().trace(TraceWindow { cycles: start..start + 5, path: path.clone() }).unwrap();
        bench.rig.run(25).unwrap();
        assert_eq!(times(&path), (2 * start, 2 * start + 9));
    }
}

#[test]
fn a_build_without_traces_says_so() {
    let mut bench = Bench::new(64, Profile::Ideal, 100_000_000);
    let window = TraceWindow { cycles: 10..20, path: "unused.fst".into() };
    let e = bench.rig.sim_mut().trace(window).unwrap_err().to_string();
    assert_eq!(e, "this build of the design cannot trace; build it with `trace`");
}

#[test]
fn a_trace_that_cannot_be_written_is_an_error() {
    let built = bench::build(64, Variant { trace: true, x_initial: XInitial::Fast, assertions: false });
    let mut bench = Bench::with(&built, Profile::Ideal, 100_000_000);
    let window = TraceWindow { cycles: 10..20, path: "/nowhere/x.fst".into() };
    bench.rig.sim_mut().trace(window).unwrap();
    let e = bench.rig.run(20).unwrap_err().to_string();
    assert_eq!(e, "/nowhere/x.fst: cannot write the trace: No such file or directory (os error 2)");
}
