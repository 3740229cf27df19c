//! Verilog to a loadable design: Verilator, one unity file, one shared object, cached by content.
//!
//! The key covers everything that can change the object: the Verilog text, the ports, the variant, the identity of
//! Verilator and of the compiler, the flags and the glue. Two processes that want the same key take turns at a file
//! lock and the second finds the first one's result. A result appears by rename, so a half-built one is never seen.

mod cache;
mod command;
mod design;
mod glue;
mod tools;

pub use cache::{Cache, design_of};
pub use command::{CommandError, first_error};
pub use design::{Design, Direction, TopPort};
pub use tools::{Compiler, Tools, ToolsError, Verilator};

pub(crate) use tools::probe;

use command::Invocation;
use sagen_host::cache::CacheError;
use sagen_host::lock::LockError;
use sagen_host::{PathError, at};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Verilating or compiling takes longer than this only when something hangs.
const TOOL_TIMEOUT: Duration = Duration::from_secs(1800);

const VERILATOR_FLAGS: &[&str] =
    &["--cc", "-O3", "--x-assign", "fast", "--no-timing", "--noassert", "--prefix", glue::CLASS];
const COMPILER_FLAGS: &[&str] =
    &["-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-w", "-DVL_USER_FATAL", "-DVL_USER_STOP"];
const LINKER_FLAGS: &[&str] = &["-shared", "-Wl,-Bsymbolic", "-pthread", "-Wl,--as-needed", "-latomic"];

/// How registers without a reset power up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum XInitial {
    /// All zero: the fastest.
    #[default]
    Fast,
    /// Chosen by the seed given to `Sim::load`, so that a missing reset shows up as a difference between seeds.
    Unique,
}

/// Which build of a design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Variant {
    /// Can write FST traces; about a quarter slower even when it does not.
    pub trace: bool,
    /// Power-up values.
    pub x_initial: XInitial,
    /// The assertions of the Verilog end the run that breaks one.
    pub assertions: bool,
}

/// A design ready to load.
#[derive(Debug, Clone)]
pub struct Built {
    /// The shared object for `Sim::load`.
    pub library: PathBuf,
    /// True when it was there already.
    pub cache_hit: bool,
    /// Seconds this call took, waiting included.
    pub seconds: f64,
    /// Seconds the build itself took, whenever that was.
    pub compile_seconds: f64,
    /// The Verilator that made it, for reports.
    pub verilator: String,
    /// The compiler that made it, for reports.
    pub compiler: String,
}

/// Why a design could not be built.
#[derive(Debug, thiserror::Error)]
pub enum VerilateError {
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] PathError),
    /// `files.f` names something that is not a Verilog file of the folder.
    #[error("{path}:{line}: `{found}` is not a path to a Verilog file inside the build folder")]
    FileList {
        /// The list.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The entry.
        found: String,
    },
    /// A port name that Verilator would not keep.
    #[error("top-level port `{name}` ({width} bits) cannot be reached from C++: {reason}")]
    Port {
        /// The port.
        name: String,
        /// Its width.
        width: u32,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Verilator or the compiler failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// Another process builds the same design, and takes too long.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// No cache folder is known.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

/// What is remembered beside a cached object.
#[derive(Clone, Serialize, Deserialize)]
struct Record {
    /// The build folder's name: that of the overlay.
    #[serde(default)]
    design: String,
    compile_seconds: f64,
    verilator: String,
    compiler: String,
}

/// Builds `design`, or finds it in the cache.
pub fn verilate(design: &Design, variant: Variant, tools: &Tools, cache: &Cache) -> Result<Built, VerilateError> {
    let start = Instant::now();
    let glue = glue::source(design, variant);
    let slot = cache.slot("designs", &key(design, variant, tools, &glue))?;
    let built = |record: Record, cache_hit| Built {
        library: slot.path.join("model.so"),
        cache_hit,
        seconds: start.elapsed().as_secs_f64(),
        compile_seconds: record.compile_seconds,
        verilator: record.verilator,
        compiler: record.compiler,
    };
    if let Some(record) = slot.record() {
        return Ok(built(record, true));
    }
    let guard = slot.lock(TOOL_TIMEOUT)?;
    if let Some(record) = slot.record() {
        return Ok(built(record, true));
    }
    let runtime = runtime_objects(variant.trace, tools, cache)?;
    let compiling = Instant::now();
    let work = guard.workspace()?;
    generate(design, variant, tools, &slot, work.path())?;
    compile(&glue, variant, tools, &slot, work.path(), &runtime)?;
    let record = Record {
        design: design.folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        compile_seconds: compiling.elapsed().as_secs_f64(),
        verilator: tools.verilator.version.clone(),
        compiler: tools.compiler.version.clone(),
    };
    guard.publish(work, &["model.so"], &record)?;
    Ok(built(record, false))
}

fn key(design: &Design, variant: Variant, tools: &Tools, glue: &str) -> cache::Key {
    cache::Key::of(&[
        &design.text,
        &design.top,
        glue,
        glue::MODEL_H,
        &verilator_flags(variant).join(" "),
        &COMPILER_FLAGS.join(" "),
        &LINKER_FLAGS.join(" "),
        &tools.verilator.identity,
        &tools.compiler.identity,
    ])
}

fn verilator_flags(variant: Variant) -> Vec<&'static str> {
    let mut flags = VERILATOR_FLAGS.to_vec();
    if variant.assertions {
        flags.push("+define+SAGEN_ASSERT");
    }
    flags.push("--x-initial");
    flags.push(match variant.x_initial {
        XInitial::Fast => "fast",
        XInitial::Unique => "unique",
    });
    if variant.trace {
        flags.push("--trace-fst");
    }
    flags
}

/// Runs Verilator; its C++ lands in the workspace.
fn generate(
    design: &Design,
    variant: Variant,
    tools: &Tools,
    slot: &cache::Slot,
    work: &Path,
) -> Result<(), VerilateError> {
    let mut command = tools.verilator.command();
    command.args(verilator_flags(variant)).args(["--top-module", &design.top, "--Mdir"]).arg(work);
    command.args(&design.sources).current_dir(&design.folder);
    Invocation { tool: "Verilator", command, log: slot.log("verilator"), timeout: TOOL_TIMEOUT }.run()?;
    Ok(())
}

/// Compiles everything Verilator wrote, and the glue, as one file; links it with the runtime.
fn compile(
    glue: &str,
    variant: Variant,
    tools: &Tools,
    slot: &cache::Slot,
    work: &Path,
    runtime: &Path,
) -> Result<(), VerilateError> {
    let write = |name: &str, text: &str| {
        let path = work.join(name);
        std::fs::write(&path, text).map_err(at(&path))
    };
    write("sagen_model.h", glue::MODEL_H)?;
    write("unity.cc", &format!("{}{glue}", glue::includes(&cache::files(work, "cpp")?)))?;
    let mut command = tools.compiler.command();
    command.args(COMPILER_FLAGS).arg("-I").arg(tools.verilator.include()).arg("-I").arg(work);
    command.arg("-I").arg(tools.verilator.include().join("vltstd")).arg("unity.cc");
    command.args(cache::files(runtime, "o")?.iter().map(|name| runtime.join(name)));
    command.args(["-o", "model.so"]).args(LINKER_FLAGS).current_dir(work);
    if variant.trace {
        command.args(["-lz", "-llz4"]);
    }
    Invocation { tool: "the C++ compiler", command, log: slot.log("compile"), timeout: TOOL_TIMEOUT }.run()?;
    Ok(())
}

/// Verilator's own runtime, which is half of a build and the same for every design.
fn runtime_objects(trace: bool, tools: &Tools, cache: &Cache) -> Result<PathBuf, VerilateError> {
    let sources: &[&str] = if trace {
        &["verilated", "verilated_threads", "verilated_fst_c"]
    } else {
        &["verilated", "verilated_threads"]
    };
    let flags = COMPILER_FLAGS.join(" ");
    let identities = [&tools.verilator.identity, &tools.compiler.identity];
    let key = cache::Key::of(&[&sources.join(" "), &flags, identities[0], identities[1]]);
    let slot = cache.slot("runtime", &key)?;
    if slot.record().is_some() {
        return Ok(slot.path);
    }
    let guard = slot.lock(TOOL_TIMEOUT)?;
    if slot.record().is_some() {
        return Ok(slot.path.clone());
    }
    let start = Instant::now();
    let work = guard.workspace()?;
    for name in sources {
        let include = tools.verilator.include();
        let mut command = tools.compiler.command();
        command.args(COMPILER_FLAGS).arg("-I").arg(&include).arg("-I").arg(include.join("vltstd"));
        command.arg("-c").arg(include.join(format!("{name}.cpp")));
        command.args(["-o", &format!("{name}.o")]).current_dir(work.path());
        let log = slot.log(name);
        Invocation { tool: "the C++ compiler", command, log, timeout: TOOL_TIMEOUT }.run()?;
    }
    let objects: Vec<String> = sources.iter().map(|name| format!("{name}.o")).collect();
    let names: Vec<&str> = objects.iter().map(String::as_str).collect();
    let record = Record {
        design: String::new(),
        compile_seconds: start.elapsed().as_secs_f64(),
        verilator: tools.verilator.version.clone(),
        compiler: tools.compiler.version.clone(),
    };
    guard.publish(work, &names, &record)?;
    Ok(slot.path.clone())
}
