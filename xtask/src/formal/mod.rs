//! Proofs of the interfaces: properties of `hdl/formal`, on modules as they are emitted.
//!
//! Properties are ours and say what AXI and the blocks' documents say; yosys and its ABC decide. What is unbounded holds in
//! every state that can be reached; what is bounded holds for so many cycles after any reset.

/// A file of `hdl/formal`.
macro_rules! text {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../hdl/formal/", $file))
    };
}

mod bench;
mod prover;

use anyhow::{Result, ensure};
use bench::{Bench, Proof};
use clap::Args;
use prover::{Verdict, prove};
use sagen_host::interrupt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// Options of `cargo xtask formal`.
#[derive(Args)]
pub(crate) struct Options {
    /// Only proofs whose name contains this.
    #[arg(value_name = "PART", default_value = "")]
    only: String,
}

/// Prove all, two at a time, and print a table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let stopped = interrupt::listen()?;
    let benches: Vec<Bench> = bench::all().into_iter().filter(|b| b.name.contains(&options.only)).collect();
    ensure!(!benches.is_empty(), "no proof has `{}` in its name", options.only);
    println!("{:<38} {:<28} {:>8}", "module", "verdict", "seconds");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some(bench) = benches.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(error) = one(bench, &stopped) {
                failed.lock().expect("no worker panics").push(format!("{}: {error:#}", bench.name));
            }
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(worker))));
    let failed = failed.into_inner().expect("no worker panics");
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

fn one(bench: &Bench, stopped: &AtomicBool) -> Result<()> {
    ensure!(!stopped.load(Ordering::Relaxed), "interrupted");
    let (folder, begun) = (tempfile::tempdir()?, Instant::now());
    let verdict = prove(folder.path(), &bench.files()?, bench.proof, stopped)?;
    let shown = match verdict {
        Verdict::Proved => "proved".to_owned(),
        Verdict::Bounded(cycles) => format!("holds for {cycles} cycles"),
        Verdict::Refuted(cycle) => format!("REFUTED in cycle {cycle}"),
        Verdict::Undecided => "UNDECIDED, time is up".to_owned(),
    };
    println!("{:<38} {shown:<28} {:>8.1}", bench.name, begun.elapsed().as_secs_f64());
    let wanted = match bench.proof {
        Proof::Unbounded => verdict == Verdict::Proved,
        Proof::Bounded(cycles) => verdict == Verdict::Bounded(cycles),
    };
    ensure!(wanted, "{shown}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict over a small design with this fault, 0 being none.
    fn verdict(checker: &str, design: &str, fault: u32) -> Verdict {
        let folder = tempfile::tempdir().unwrap();
        let design = format!("`define FAULT {fault}\n{design}");
        let files = [("checker.v".to_owned(), checker.to_owned()), ("bench.v".to_owned(), design)];
        prove(folder.path(), &files, Proof::Bounded(14), &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn a_checker_passes_what_is_right_and_refutes_each_fault() {
        let checkers = [
            ("axi_lite_slave", text!("axi_lite_slave.v"), text!("faults/axi_lite_slave.v"), 6),
            ("axi_read_master", text!("axi_read_master.v"), text!("faults/axi_read_master.v"), 5),
            ("axi_write_master", text!("axi_write_master.v"), text!("faults/axi_write_master.v"), 5),
            ("fifo", text!("fifo.v"), text!("faults/fifo.v"), 4),
            ("read_arbiter", text!("read_arbiter.v"), text!("faults/read_arbiter.v"), 4),
        ];
        for (name, checker, design, faults) in checkers {
            assert_eq!(verdict(checker, design, 0), Verdict::Bounded(14), "{name} without a fault");
            for fault in 1..=faults {
                let found = verdict(checker, design, fault);
                assert!(matches!(found, Verdict::Refuted(_)), "{name}, fault {fault}: {found:?}");
            }
        }
    }
}
