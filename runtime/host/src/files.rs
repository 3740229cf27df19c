//! Where a command writes: the only place that decides how.
//!
//! `-` is standard output. Links are followed. Devices and pipes are written as they are. A regular file is written
//! beside its place and then renamed, so that it is there whole or as it was before; it keeps its mode, and a new one
//! gets that of the user's umask.

mod place;

use crate::interrupt;
use crate::outcome::{PrintError, Voice, print};
use crate::path::bare;
use nix::errno::Errno;
use place::{Identity, Place};
use std::fs::{File, OpenOptions, Permissions};
use std::io::{Read, Write};
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
    /// A folder is needed and something else is there.
    #[error("{option} {path} is a file; a folder is needed")]
    NoFolder {
        /// Option that named the path.
        option: String,
        /// Path.
        path: String,
    },
    /// A pipe or device where one has to go back and forth.
    #[error("{option} {path}: a regular file is needed, this is a device or a pipe")]
    NotRegular {
        /// Option that named the path.
        option: String,
        /// Path.
        path: String,
    },
    /// One would overwrite the other.
    #[error("{second} and {first} are one file")]
    Same {
        /// Option and path that came first.
        first: String,
        /// The other ones.
        second: String,
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
    /// It cannot be written, whatever its folder.
    #[error("{what} {path}: {reason}")]
    Unusable {
        /// What was asked for.
        what: String,
        /// Path.
        path: String,
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
    /// Standard output was not written.
    #[error("standard output")]
    Print(#[source] PrintError),
}

/// The files that a command reads and writes, by the options that name them: checked before anything has run.
#[derive(Debug, Default)]
pub struct Files<'a> {
    known: Vec<(&'a str, &'a Path, Identity)>,
    standard: bool,
}

impl<'a> Files<'a> {
    /// A file that is read, which nothing may overwrite.
    pub fn reads(&mut self, option: &'a str, path: Option<&'a Path>) {
        let found = path.and_then(|path| Some((option, path, Identity::of(&Place::of(path).ok()?)?)));
        self.known.extend(found);
    }

    /// A file that will be written by [`write()`].
    pub fn writes(&mut self, option: &'a str, path: Option<&'a Path>) -> Result<(), FileError> {
        let Some(path) = path else { return Ok(()) };
        let place = check(option, path)?;
        self.standard |= matches!(place, Place::Standard);
        self.add(option, path, &place)
    }

    /// A file that another program will write, going back and forth in it.
    pub fn seeks(&mut self, option: &'a str, path: Option<&'a Path>) -> Result<(), FileError> {
        let Some(path) = path else { return Ok(()) };
        let place = check(option, path)?;
        if !matches!(place, Place::Regular { .. }) {
            return Err(FileError::NotRegular { option: option.to_owned(), path: path.display().to_string() });
        }
        self.add(option, path, &place)
    }

    /// Where text for people goes beside these files.
    #[must_use]
    pub fn voice(&self) -> Voice {
        if self.standard { Voice::Error } else { Voice::Output }
    }

    fn add(&mut self, option: &'a str, path: &'a Path, place: &Place) -> Result<(), FileError> {
        let Some(identity) = Identity::of(place) else { return Ok(()) };
        if let Some((first, other, _)) = self.known.iter().find(|(.., known)| *known == identity) {
            let shown = |option: &str, path: &Path| format!("{option} {}", path.display());
            return Err(FileError::Same { first: shown(first, other), second: shown(option, path) });
        }
        self.known.push((option, path, identity));
        Ok(())
    }
}

/// Refuse a folder that cannot be made or written into.
pub fn folder(option: &str, path: &Path) -> Result<(), FileError> {
    if path.exists() && !path.is_dir() {
        return Err(FileError::NoFolder { option: option.to_owned(), path: path.display().to_string() });
    }
    let existing = path.ancestors().map(place::or_here).find(|folder| folder.symlink_metadata().is_ok());
    let existing = existing.unwrap_or(Path::new("/"));
    let refused = |reason| refused(option, path, existing, reason);
    if !existing.is_dir() {
        return Err(refused(Errno::ENOTDIR.into()));
    }
    tempfile::tempfile_in(existing).map(drop).map_err(refused)
}

/// The contents of a file of at most so many bytes.
pub fn read_within(path: &Path, limit: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match File::open(path)?.take(limit + 1).read_to_end(&mut bytes)? as u64 {
        found if found > limit => Err(std::io::Error::other(format!("longer than {limit} bytes"))),
        _ => Ok(bytes),
    }
}

/// Write a whole file.
pub fn write(path: &Path, text: &str) -> Result<(), FileError> {
    write_bytes(path, text.as_bytes())
}

/// Write a whole file of any contents.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let failed = |reason| FileError::Write { path: path.display().to_string(), reason };
    match Place::of(path).map_err(failed)? {
        Place::Standard => match std::str::from_utf8(bytes) {
            Ok(text) => print(text).map_err(FileError::Print),
            Err(_) => std::io::stdout().write_all(bytes).map_err(failed),
        },
        Place::Special(node) => {
            // Append: a descriptor of ours that leads to a file goes on where the file ends.
            let mut file = OpenOptions::new().append(true).open(node).map_err(failed)?;
            file.write_all(bytes).map_err(failed)
        }
        Place::Regular { target, mode } => {
            let _whole = interrupt::hold();
            let mut file = beside("cannot write", path, &target)?;
            file.write_all(bytes).map_err(failed)?;
            keep_mode(file.as_file(), mode).map_err(failed)?;
            file.persist(target).map(drop).map_err(|e| failed(e.error))
        }
        Place::Folder => {
            Err(FileError::Folder { option: "cannot write:".to_owned(), path: path.display().to_string() })
        }
    }
}

fn keep_mode(file: &File, mode: Option<u32>) -> std::io::Result<()> {
    mode.map_or(Ok(()), |mode| file.set_permissions(Permissions::from_mode(mode)))
}

fn check(option: &str, path: &Path) -> Result<Place, FileError> {
    let (what, shown) = (option.to_owned(), path.display().to_string());
    let place =
        Place::of(path).map_err(|reason| FileError::Unusable { what: what.clone(), path: shown.clone(), reason })?;
    match &place {
        Place::Folder => return Err(FileError::Folder { option: what, path: shown }),
        Place::Regular { target, mode } => {
            let denied = mode.is_some().then(|| place::writable(target)).and_then(Result::err);
            if let Some(reason) = denied {
                return Err(FileError::Unusable { what, path: shown, reason });
            }
            beside(option, path, target)?;
        }
        Place::Special(node) => {
            place::writable(node).map_err(|reason| FileError::Unusable { what, path: shown, reason })?;
        }
        Place::Standard => {}
    }
    Ok(place)
}

fn refused(what: &str, path: &Path, folder: &Path, reason: std::io::Error) -> FileError {
    let [path, folder] = [path, folder].map(|p| p.display().to_string());
    FileError::Refused { what: what.to_owned(), path, folder, reason: bare(reason) }
}

fn beside(what: &str, path: &Path, target: &Path) -> Result<NamedTempFile, FileError> {
    let folder = place::or_here(target.parent().unwrap_or(Path::new("")));
    // As any program makes files: the user's umask decides who reads them.
    let file = Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder);
    file.map_err(|reason| refused(what, path, folder, reason))
}

#[cfg(test)]
mod tests {
    use super::{Files, write};
    use std::path::Path;

    #[test]
    fn a_file_is_replaced_whole_and_a_place_that_cannot_hold_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let check = |path: &Path| Files::default().writes("--report", Some(path));
        check(&path).unwrap();
        assert!(!path.exists());
        for text in ["a long text", "short"] {
            write(&path, text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        let error = check(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("--report ") && error.ends_with(" is a folder; a file is needed"), "{error}");
        let nowhere = Path::new("/no/such/report.json");
        let error = check(nowhere).unwrap_err().to_string();
        assert!(error.starts_with("--report /no/such/report.json: cannot write into /no/such: No such"), "{error}");
        let error = write(nowhere, "").unwrap_err().to_string();
        assert!(error.starts_with("cannot write /no/such/report.json: cannot write into /no/such: No such"), "{error}");
    }
}
