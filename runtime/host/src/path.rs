//! Errors of the file system with the path that they are about.

use std::path::{Path, PathBuf};

/// The file system refused.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}", path = path.display())]
pub struct PathError {
    /// Path.
    pub path: PathBuf,
    /// Why.
    pub reason: std::io::Error,
}

/// For `map_err`: the error at this path.
pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> PathError + '_ {
    move |reason| PathError { path: path.to_path_buf(), reason }
}

/// An error of the system without the name of a temporary file, which nobody has asked for.
#[must_use]
pub(crate) fn bare(reason: std::io::Error) -> std::io::Error {
    reason.raw_os_error().map_or(reason, std::io::Error::from_raw_os_error)
}
