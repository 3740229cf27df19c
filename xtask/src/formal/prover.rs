//! yosys makes an and-inverter graph with constraints of a bench, and ABC proves or refutes it.

use super::bench::Proof;
use anyhow::{Context, Result, bail, ensure};
use sagen_host::tool::{self, End};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What is known after a proof was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No state that can be reached breaks a property.
    Proved,
    /// None that can be reached within so many cycles does.
    Bounded(u32),
    /// So many cycles from the start, one does.
    Refuted(u32),
    /// The time was up.
    Undecided,
}

/// Time of one program, of which yosys takes seconds.
const LIMIT: Duration = Duration::from_secs(300);
/// Time of a search; ABC looks at its clock only now and then.
const SEARCH: Duration = Duration::from_secs(200);

/// Synthesis for proofs: one clock, memories as registers, free values for what is not driven.
const SCRIPT: &str = "\
hierarchy -check -top bench
prep -flatten -top bench
async2sync
chformal -assume -early
memory_map
opt -fast
setundef -anyseq
opt_clean
delete -output
opt -full -fast
techmap
opt -fast
dffunmap
abc -g AND -fast
opt_clean
write_aiger -I -B -zinit -no-startoffset bench.aig
";

/// Try a proof of `bench` in these files, in an empty folder.
pub(crate) fn prove(folder: &Path, files: &[(String, String)], proof: Proof, stopped: &AtomicBool) -> Result<Verdict> {
    let mut script = String::new();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).with_context(|| folder.join(name).display().to_string())?;
        script += &format!("read_verilog -sv -formal {name}\n");
    }
    std::fs::write(folder.join("bench.ys"), script + SCRIPT)?;
    run(folder, "yosys", &["-q", "-s", "bench.ys"], stopped)?;
    let search = match proof {
        Proof::Unbounded => format!("pdr -T {}", SEARCH.as_secs()),
        Proof::Bounded(cycles) => format!("bmc3 -F {cycles} -T {}", SEARCH.as_secs()),
    };
    let command = format!("read_aiger bench.aig; fold; strash; {search}");
    let said = run(folder, "yosys-abc", &["-c", &command], stopped)?;
    verdict(&said).with_context(|| format!("yosys-abc said nothing that is known:\n{said}"))
}

fn run(folder: &Path, program: &str, arguments: &[&str], stopped: &AtomicBool) -> Result<String> {
    let log = folder.join(format!("{program}.log"));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    let end = tool::run(&mut command, &log, LIMIT, || stopped.load(Ordering::Relaxed), |_| {})?;
    let said = std::fs::read_to_string(&log).with_context(|| log.display().to_string())?;
    match end {
        End::Exited(status) => ensure!(status.success(), "{program}: {status}\n{said}"),
        End::TimeUp => bail!("{program} takes longer than {} s", LIMIT.as_secs()),
        End::Interrupted => bail!("interrupted"),
    }
    Ok(said)
}

/// The verdict in what ABC says.
fn verdict(said: &str) -> Option<Verdict> {
    let number = |before: &str| -> Option<u32> {
        let rest = &said[said.find(before)? + before.len()..];
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    if said.contains("Property proved.") {
        Some(Verdict::Proved)
    } else if said.contains("was asserted in frame ") {
        number("was asserted in frame ").map(Verdict::Refuted)
    } else if said.contains("No output asserted in ") {
        number("No output asserted in ").map(Verdict::Bounded)
    } else {
        said.contains("UNDECIDED").then_some(Verdict::Undecided)
    }
}
