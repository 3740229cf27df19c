//! Files written beside their place and then renamed, so that nothing half-written is left.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// There is a folder in its place.
    #[error("{option} {path} is a folder; a file is needed")]
    Folder {
        /// Option that named the path.
        option: String,
        /// Path.
        path: String,
    },
    /// Nothing can be made where it should be.
    #[error("{what} {path}: cannot write into {folder}: {reason}")]
    Refused {
        /// What was asked for.
        what: String,
        /// Path.
        path: String,
        /// Folder of the path.
        folder: String,
        /// Why.
        reason: std::io::Error,
    },
    /// It was not written.
    #[error("cannot write {path}: {reason}")]
    Write {
        /// Path.
        path: String,
        /// Why.
        reason: std::io::Error,
    },
}

/// Refuse a path that cannot be written, before anything has run; `option` is the one that named it.
pub fn check(option: &str, path: &Path) -> Result<(), FileError> {
    if path.is_dir() {
        return Err(FileError::Folder { option: option.to_owned(), path: path.display().to_string() });
    }
    beside(option, path).map(drop)
}

/// Write a whole file.
pub fn write(path: &Path, text: &str) -> Result<(), FileError> {
    let failed = |reason| FileError::Write { path: path.display().to_string(), reason };
    let mut file = beside("cannot write", path)?;
    file.write_all(text.as_bytes()).map_err(failed)?;
    file.persist(path).map(drop).map_err(|e| failed(e.error))
}

fn beside(what: &str, path: &Path) -> Result<NamedTempFile, FileError> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // As any program makes files: the user's umask decides who reads them.
    let file = Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder);
    file.map_err(|reason| FileError::Refused {
        what: what.to_owned(),
        path: path.display().to_string(),
        folder: folder.display().to_string(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::{check, write};
    use std::path::Path;

    #[test]
    fn a_file_is_replaced_whole_and_a_place_that_cannot_hold_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        check("--report", &path).unwrap();
        assert!(!path.exists());
        for text in ["a long text", "short"] {
            write(&path, text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        let error = check("--report", folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("--report ") && error.ends_with(" is a folder; a file is needed"), "{error}");
        let nowhere = Path::new("/no/such/report.json");
        let error = check("--report", nowhere).unwrap_err().to_string();
        assert!(error.starts_with("--report /no/such/report.json: cannot write into /no/such: No such"), "{error}");
        let error = write(nowhere, "").unwrap_err().to_string();
        assert!(error.starts_with("cannot write /no/such/report.json: cannot write into /no/such: No such"), "{error}");
    }
}
