//! The folder of built objects: one slot per key, filled under a lock, published by rename.

use super::{Record, VerilateError};
use sha2::{Digest, Sha256};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Where built objects are kept.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `SAGEN_CACHE`, else `sagen` in the user's cache folder.
    pub fn user() -> Result<Self, VerilateError> {
        let named = std::env::var_os("SAGEN_CACHE").filter(|v| !v.is_empty()).map(PathBuf::from);
        let root = named.or_else(|| dirs::cache_dir().map(|d| d.join("sagen")));
        root.map(|root| Self { root }).ok_or(VerilateError::NoCache)
    }

    /// A cache in a folder of the caller's choice.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn slot(&self, kind: &str, key: &Key) -> Result<Slot, VerilateError> {
        let folder = self.root.join("verilated").join(kind);
        std::fs::create_dir_all(&folder).map_err(VerilateError::io(&folder))?;
        // Compilers run inside the cache, so their arguments must not depend on the current folder.
        let folder = std::path::absolute(&folder).map_err(VerilateError::io(&folder))?;
        Ok(Slot { path: folder.join(&key.0), folder, key: key.0.clone() })
    }
}

/// A hash of everything that decides a slot's contents.
pub(super) struct Key(String);

impl Key {
    pub(super) fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(hash.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect())
    }
}

/// The place of one key.
pub(super) struct Slot {
    /// The finished folder; exists only when complete.
    pub(super) path: PathBuf,
    folder: PathBuf,
    key: String,
}

impl Slot {
    /// What is remembered of a finished build.
    pub(super) fn record(&self) -> Option<Record> {
        let text = std::fs::read_to_string(self.path.join("build.json")).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Where the output of a tool goes. Logs outlive failed builds.
    pub(super) fn log(&self, tool: &str) -> PathBuf {
        self.folder.join(format!("{}.{tool}.log", self.key))
    }

    /// Waits until no other process builds this key.
    pub(super) fn lock(&self, patience: Duration) -> Result<Guard<'_>, VerilateError> {
        let path = self.folder.join(format!("{}.lock", self.key));
        let file = File::create(&path).map_err(VerilateError::io(&path))?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => {
                    return Ok(Guard { slot: self, _lock: file });
                }
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(VerilateError::Lock { path, seconds: patience.as_secs() });
                }
                Err(TryLockError::Error(source)) => return Err(VerilateError::Io { path, source }),
            }
        }
    }
}

/// The right to fill a slot. Released when dropped, also by the death of the process.
pub(super) struct Guard<'a> {
    slot: &'a Slot,
    _lock: File,
}

impl Guard<'_> {
    fn work(&self) -> PathBuf {
        self.slot.folder.join(format!("{}.work", self.slot.key))
    }

    /// An empty folder to build in. A dead process may have left one: the lock says that nobody uses it.
    pub(super) fn workspace(&self) -> Result<PathBuf, VerilateError> {
        let work = self.work();
        self.clear(&work)?;
        std::fs::create_dir(&work).map_err(VerilateError::io(&work))?;
        Ok(work)
    }

    /// Makes `files` of the workspace the contents of the slot and drops the rest.
    pub(super) fn publish(&self, files: &[&str], record: &Record) -> Result<(), VerilateError> {
        let work = self.work();
        let ready = self.slot.folder.join(format!("{}.ready", self.slot.key));
        self.clear(&ready)?;
        self.clear(&self.slot.path)?;
        std::fs::create_dir(&ready).map_err(VerilateError::io(&ready))?;
        for name in files {
            let to = ready.join(name);
            std::fs::rename(work.join(name), &to).map_err(VerilateError::io(&to))?;
        }
        let path = ready.join("build.json");
        let text = serde_json::to_string(record).expect("a record of plain fields");
        std::fs::write(&path, text).map_err(VerilateError::io(&path))?;
        std::fs::rename(&ready, &self.slot.path).map_err(VerilateError::io(&self.slot.path))?;
        self.clear(&work)
    }

    fn clear(&self, folder: &Path) -> Result<(), VerilateError> {
        match std::fs::remove_dir_all(folder) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(VerilateError::io(folder)(e)),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Drop for Guard<'_> {
    /// A failed build leaves its logs and nothing else. Errors are of no interest here: the next build clears again.
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(self.work()));
    }
}

/// Names of the files of `folder` with this extension, sorted.
pub(super) fn files(folder: &Path, extension: &str) -> Result<Vec<String>, VerilateError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(VerilateError::io(folder))? {
        let name = entry.map_err(VerilateError::io(folder))?.file_name();
        if Path::new(&name).extension().is_some_and(|e| e == extension) {
            names.extend(name.into_string());
        }
    }
    names.sort();
    Ok(names)
}
