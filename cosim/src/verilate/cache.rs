//! The folder of built objects: one slot per key, filled under a lock, published by rename.

use super::{Record, VerilateError};
use sagen_host::cache::Scratch;
use sagen_host::lock::Lock;
use sagen_host::{at, interrupt};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where built objects are kept.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `SAGEN_CACHE`, else `sagen` in the user's cache folder.
    pub fn user() -> Result<Self, VerilateError> {
        Ok(Self { root: sagen_host::cache::folder()? })
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
        std::fs::create_dir_all(&folder).map_err(at(&folder))?;
        // Compilers run inside the cache, so their arguments must not depend on the current folder.
        let folder = std::path::absolute(&folder).map_err(at(&folder))?;
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
        Self(base16ct::lower::encode_string(&hash.finalize()[..12]))
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
        self.beside(&format!("{tool}.log"))
    }

    /// Waits until no other process builds this key.
    pub(super) fn lock(&self, patience: Duration) -> Result<Guard<'_>, VerilateError> {
        let path = self.beside("lock");
        let waiting = "waiting for another run that builds the same design";
        let lock = Lock::take(&path, patience, interrupt::raised, waiting)?;
        Ok(Guard { slot: self, _lock: lock })
    }

    fn beside(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{}.{what}", self.key))
    }
}

/// The right to fill a slot. Released when dropped, also by the death of the process.
pub(super) struct Guard<'a> {
    slot: &'a Slot,
    _lock: Lock,
}

impl Guard<'_> {
    /// An empty folder to build in. A failed build leaves its logs and nothing else.
    pub(super) fn workspace(&self) -> Result<Scratch, VerilateError> {
        Ok(Scratch::new(self.slot.beside("work"))?)
    }

    /// Makes `files` of the workspace the contents of the slot and drops the rest.
    pub(super) fn publish(&self, work: Scratch, files: &[&str], record: &Record) -> Result<(), VerilateError> {
        let ready = Scratch::new(self.slot.beside("ready"))?;
        for name in files {
            let to = ready.path().join(name);
            std::fs::rename(work.path().join(name), &to).map_err(at(&to))?;
        }
        let path = ready.path().join("build.json");
        let text = serde_json::to_string(record).expect("a record of plain fields");
        std::fs::write(&path, text).map_err(at(&path))?;
        Ok(ready.publish(&self.slot.path)?)
    }
}

/// Names of the files of `folder` with this extension, sorted.
pub(super) fn files(folder: &Path, extension: &str) -> Result<Vec<String>, VerilateError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let name = entry.map_err(at(folder))?.file_name();
        if Path::new(&name).extension().is_some_and(|e| e == extension) {
            names.extend(name.into_string());
        }
    }
    names.sort();
    Ok(names)
}
