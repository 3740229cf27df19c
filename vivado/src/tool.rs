//! Finding Vivado: where the user says, on the path, by `XILINX_VIVADO`, in the usual install folders.

use crate::run::RunError;
use sagen_host::tool::{self, End, on_path};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Why there is no Vivado to run.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The path given is not it.
    #[error("--vivado {path}: no such program; give the path of `vivado` or of the folder that holds bin/vivado")]
    NotThere {
        /// Path.
        path: String,
    },
    /// None found.
    #[error("Vivado was not found: not on PATH, not at XILINX_VIVADO, not below {searched}")]
    NotFound {
        /// Folders searched.
        searched: String,
    },
}

/// Where the installer puts versions by default, below `/` and the home folder.
const FOLDERS: [&str; 4] = ["tools/Xilinx", "opt/Xilinx", "tools/AMD", "opt/AMD"];

/// The program to run.
pub fn find(given: Option<&Path>) -> Result<PathBuf, ToolError> {
    if let Some(given) = given {
        let found = [given.to_path_buf(), given.join("bin/vivado")].into_iter().find(|p| p.is_file());
        return found.ok_or_else(|| ToolError::NotThere { path: given.display().to_string() });
    }
    let named = std::env::var_os("XILINX_VIVADO").map(|d| PathBuf::from(d).join("bin/vivado"));
    let roots = roots();
    let installed = roots.iter().flat_map(|r| installed(r));
    let found = on_path("vivado").into_iter().chain(named).chain(installed).find(|p| p.is_file());
    found.ok_or_else(|| ToolError::NotFound {
        searched: roots.iter().map(|r| r.display().to_string()).collect::<Vec<_>>().join(", "),
    })
}

fn roots() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let under: Vec<PathBuf> = [Some(PathBuf::from("/")), home].into_iter().flatten().collect();
    under.iter().flat_map(|u| FOLDERS.iter().map(|f| u.join(f))).collect()
}

/// `Vivado/<version>/bin/vivado`, and since 2025.1 `<version>/Vivado/bin/vivado`; newest first.
fn installed(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for version in folders(&root.join("Vivado")) {
        found.push((version.clone(), root.join("Vivado").join(version).join("bin/vivado")));
    }
    for version in folders(root).into_iter().filter(|v| v.starts_with("20")) {
        found.push((version.clone(), root.join(version).join("Vivado/bin/vivado")));
    }
    found.sort_by(|a, b| b.cmp(a));
    found.into_iter().map(|(_, path)| path).collect()
}

fn folders(of: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(of).into_iter().flatten().flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

/// `2023.2`, read from `vivado -version`; absent where it says something else, or nothing within the limit. It is ended
/// with all its children when its time is up and when `interrupted` is set.
pub fn version(vivado: &Path, limit: Duration, interrupted: &AtomicBool) -> Result<Option<String>, RunError> {
    let asked = tool::ask(Command::new(vivado).arg("-version"), limit, || interrupted.load(Ordering::Relaxed));
    let (end, text) = asked.map_err(|error| match error {
        tool::ToolError::Start { program, reason } => RunError::Start { program, reason },
        other => other.into(),
    })?;
    match end {
        End::Exited(_) => {}
        End::TimeUp => return Ok(None),
        End::Interrupted => return Err(RunError::Interrupted),
    }
    let words = text.split_whitespace().filter_map(|w| w.strip_prefix('v'));
    Ok(words.map(|w| w.trim_start_matches('.')).find(|w| w.starts_with("20")).map(str::to_string))
}

/// Whether the flow was written for a version.
pub fn supported(version: &str) -> bool {
    let mut parts = version.split('.').map(|p| p.parse::<u32>().unwrap_or(0));
    let (year, minor) = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    (2023..=2025).contains(&year) && (year, minor) >= (2023, 2)
}
