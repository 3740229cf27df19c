//! A build folder: computed in memory, written beside, then put in place by renaming. An earlier build stays until
//! the new one is complete. Two builds of one overlay at once take turns.

use crate::diagram::{self, DiagramError};
use crate::emit::{self, EmitError, File, TableError};
use sagen_arch::Overlay;
use std::fs::{self, File as Handle};
use std::path::{Path, PathBuf};

/// Why a build folder was not written.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The overlay cannot be emitted.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// The tables cannot be rendered.
    #[error(transparent)]
    Tables(#[from] TableError),
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
    let mut files = emitted.files;
    files.extend(packages);
    files.extend(emit::tables()?.into_iter().map(|f| File { path: format!("include/{}", f.path), ..f }));
    fs::create_dir_all(out).map_err(io(out))?;
    let folder = out.join(overlay.name());
    let _turn = lock(&out.join(format!(".{}.lock", overlay.name())))?;
    if !same(&folder, &files) {
        replace(out, &folder, &files)?;
    }
    Ok(Built { folder, files: files.len(), build_hash: emitted.build_hash, manifest: emitted.manifest })
}

fn lock(path: &Path) -> Result<Handle, BuildError> {
    let handle = Handle::create(path).map_err(io(path))?;
    handle.lock().map_err(io(path))?;
    Ok(handle)
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
    let old = beside.path().join("old");
    if folder.exists() {
        fs::rename(folder, &old).map_err(io(folder))?;
    }
    let moved = fs::rename(&fresh, folder);
    if moved.is_err() && old.exists() {
        // Put the earlier build back; the first error is the one to report.
        let _ = fs::rename(&old, folder);
    }
    moved.map_err(io(folder))
}
