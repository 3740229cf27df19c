//! A build folder: computed in memory, written beside, then put in place by renaming. An earlier build stays until
//! the new one is complete. Two builds of one overlay at once take turns. Vivado's results, in `vivado/work`, belong to
//! the user: they are carried over into the new folder, where their names tell to which sources they belong.

use crate::diagram::{self, DiagramError};
use crate::emit::{self, EmitError, File, TableError};
use sagen_host::interrupt;
use sagen_host::lock::{Lock, LockError};
use sagen_overlay::Overlay;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Another build of the overlay takes seconds; what takes longer hangs.
const TURN_LIMIT: Duration = Duration::from_secs(600);

/// Why a build folder was not written.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The overlay cannot be emitted.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// The tables cannot be rendered.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// The board's data and the flow do not fit.
    #[error(transparent)]
    Flow(#[from] sagen_vivado::FlowError),
    /// Vivado works in the folder.
    #[error("{folder}: Vivado is running here; wait for it or end it")]
    Busy {
        /// Folder.
        folder: String,
    },
    /// Another build of the overlay does not end.
    #[error(transparent)]
    Turn(#[from] LockError),
    /// The diagram cannot be drawn.
    #[error(transparent)]
    Diagram(#[from] DiagramError),
    /// The file system refused.
    #[error("{path}: {reason}; the earlier build, if any, is unchanged")]
    Io {
        /// Path.
        path: String,
        /// Why.
        reason: std::io::Error,
    },
}

/// A finished build.
#[derive(Debug)]
pub struct Built {
    /// Its folder.
    pub folder: PathBuf,
    /// Files in it.
    pub files: usize,
    /// First 32 bits of the hash of config and sources.
    pub build_hash: u32,
    /// Ports of the co-simulation top.
    pub manifest: sagen_lang::Manifest,
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> BuildError + '_ {
    move |reason| BuildError::Io { path: path.display().to_string(), reason }
}

/// Build an overlay into `out/<name>`.
pub fn build(overlay: &Overlay, out: &Path) -> Result<Built, BuildError> {
    let emitted = emit::verilog(overlay)?;
    let mut packages = emit::package(overlay, &emitted)?;
    packages.push(diagram::diagram(overlay, &emitted)?);
    packages.extend(emit::vivado(overlay, &emitted)?);
    let mut files = emitted.files;
    files.extend(packages);
    files.extend(emit::tables(overlay)?.into_iter().map(|f| File { path: format!("include/{}", f.path), ..f }));
    fs::create_dir_all(out).map_err(io(out))?;
    let folder = out.join(&overlay.name);
    let turn = out.join(format!(".{}.lock", overlay.name));
    let waiting = format!("waiting for another build of {}", overlay.name);
    let _turn = Lock::take(&turn, TURN_LIMIT, interrupt::raised, &waiting)?;
    if !same(&folder, &files) {
        let _idle = vivado_turn(overlay, out)?;
        // A signal waits until the folder is there again.
        interrupt::whole(|| replace(out, &folder, &files))?;
    }
    Ok(Built { folder, files: files.len(), build_hash: emitted.build_hash, manifest: emitted.manifest })
}

/// Holds the right to run Vivado in an overlay's folder, or to replace the folder.
pub fn vivado_turn(overlay: &Overlay, out: &Path) -> Result<Lock, BuildError> {
    let lock = Lock::free(&out.join(format!(".{}.vivado.lock", overlay.name))).map_err(LockError::Io)?;
    lock.ok_or_else(|| BuildError::Busy { folder: out.join(&overlay.name).display().to_string() })
}

fn same(folder: &Path, files: &[File]) -> bool {
    files.iter().all(|f| fs::read(folder.join(&f.path)).is_ok_and(|old| old == f.text.as_bytes()))
}

fn replace(out: &Path, folder: &Path, files: &[File]) -> Result<(), BuildError> {
    let beside = tempfile::Builder::new().prefix(".build-").tempdir_in(out).map_err(io(out))?;
    let fresh = beside.path().join("new");
    for file in files {
        let path = fresh.join(&file.path);
        let parent = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(parent).map_err(io(parent))?;
        fs::write(&path, &file.text).map_err(io(&path))?;
    }
    let (old, results) = (beside.path().join("old"), Path::new("vivado/work"));
    let carried = folder.join(results).is_dir();
    if folder.exists() {
        fs::rename(folder, &old).map_err(io(folder))?;
    }
    let mut moved = if carried { carry(&old, &fresh, results) } else { Ok(()) };
    moved = moved.and_then(|()| fs::rename(&fresh, folder));
    if moved.is_err() && old.exists() {
        // Put the earlier build back; the first error is the one to report.
        if fresh.join(results).is_dir() && fs::rename(fresh.join(results), old.join(results)).is_err() {
            // What took hours stays on the disk, wherever it is.
            let _ = beside.keep();
            return moved.map_err(io(folder));
        }
        let _ = fs::rename(&old, folder);
    }
    moved.map_err(io(folder))
}

fn carry(from: &Path, to: &Path, results: &Path) -> std::io::Result<()> {
    let target = to.join(results);
    fs::create_dir_all(target.parent().expect("results lie in a folder"))?;
    fs::rename(from.join(results), target)
}
