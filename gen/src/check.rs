//! Are the committed tables under `docs/generated` those that the code makes?

use crate::emit::{TableError, tables};
use std::path::{Path, PathBuf};

/// Tables that are committed, since people and tools read them without building.
const COMMITTED: [&str; 3] = ["csr.md", "sagen_csr.rdl", "descriptors.md"];

/// Why the check could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The tables cannot be rendered.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// A file cannot be written.
    #[error("{path}: {reason}")]
    Io {
        /// Path.
        path: String,
        /// Why.
        reason: std::io::Error,
    },
}

/// Paths below `root` whose contents differ from what the code makes; with `write`, they are renewed.
pub fn stale(root: &Path, write: bool) -> Result<Vec<PathBuf>, CheckError> {
    let folder = root.join("docs/generated");
    let mut stale = Vec::new();
    for file in tables()?.into_iter().filter(|f| COMMITTED.contains(&f.path.as_str())) {
        let path = folder.join(&file.path);
        if std::fs::read_to_string(&path).is_ok_and(|old| old == file.text) {
            continue;
        }
        if write {
            let io = |reason| CheckError::Io { path: path.display().to_string(), reason };
            std::fs::create_dir_all(&folder).map_err(io)?;
            std::fs::write(&path, &file.text).map_err(io)?;
        }
        stale.push(path);
    }
    Ok(stale)
}
