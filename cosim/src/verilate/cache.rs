//! The folder of built objects: one slot per key, filled under a lock, published by rename.

use super::{Record, VerilateError};
use sagen_host::cache::Scratch;
use sagen_host::lock::Lock;
use sagen_host::{at, digest, interrupt, sealed};
use serde::{Deserialize, Serialize};
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
        // Compilers run inside the cache, so their arguments must not depend on the current folder.
        let folder = std::path::absolute(&folder).map_err(at(&folder))?;
        Ok(Slot { path: folder.join(&key.0), folder, key: key.0.clone() })
    }
}

/// The file of a slot that says what is in it.
const RECORD: &str = "build.json";

/// A record with the files that it is about.
#[derive(Serialize, Deserialize)]
struct Sealed {
    #[serde(flatten)]
    record: Record,
    files: Vec<Seal>,
}

/// Of which design a slot is.
pub fn design_of(slot: &Path) -> Option<String> {
    let text = std::fs::read_to_string(slot.join(RECORD)).ok()?;
    let design = serde_json::from_str::<Sealed>(&text).ok()?.record.design;
    (!design.is_empty()).then_some(design)
}

/// A file as it was written.
#[derive(Serialize, Deserialize)]
struct Seal {
    name: String,
    size: u64,
    sha256: String,
}

impl Seal {
    fn of(name: &str, path: &Path) -> Result<Self, VerilateError> {
        let (size, sha256) = digest::of_file(path).map_err(at(path))?;
        Ok(Self { name: name.to_owned(), size, sha256 })
    }

    /// What is wrong with the file.
    fn fault(&self, path: &Path) -> Option<String> {
        match digest::of_file(path) {
            Err(reason) => Some(format!("{}: {reason}", self.name)),
            Ok((size, _)) if size != self.size => {
                Some(format!("{} has {size} bytes, {} were written", self.name, self.size))
            }
            Ok((_, sha256)) if sha256 != self.sha256 => {
                Some(format!("{} is not what was written: its hash differs", self.name))
            }
            Ok(_) => None,
        }
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
    /// What is remembered of a finished build whose files are as they were written.
    pub(super) fn record(&self) -> Option<Record> {
        match self.open() {
            Ok(record) => {
                sagen_host::cache::used(&self.path.join(RECORD));
                Some(record)
            }
            Err(_) => None,
        }
    }

    /// The record, or why there is none that counts.
    fn open(&self) -> Result<Record, String> {
        let path = self.path.join(RECORD);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{RECORD}: {e}"))?;
        let sealed: Sealed = serde_json::from_str(&text).map_err(|e| format!("{RECORD}: {e}"))?;
        let path_of = |seal: &Seal| self.path.join(&seal.name);
        match sealed.files.iter().find_map(|seal| seal.fault(&path_of(seal))) {
            Some(fault) => Err(fault),
            None => Ok(sealed.record),
        }
    }

    /// Free the place of a build that is there and does not count; says so.
    fn clear(&self) {
        if self.path.symlink_metadata().is_err() {
            return;
        }
        if let Err(reason) = self.open() {
            sealed::damaged(&self.path, &reason, "it is built again");
        }
    }

    /// Where the output of a tool goes. Logs outlive failed builds.
    pub(super) fn log(&self, tool: &str) -> PathBuf {
        self.beside(&format!("{tool}.log"))
    }

    /// Waits until no other process builds this key.
    pub(super) fn lock(&self, patience: Duration) -> Result<Guard<'_>, VerilateError> {
        sagen_host::cache::prepare(&self.folder)?;
        let path = self.beside("lock");
        let waiting = "waiting for another run that builds the same design";
        let lock = Lock::take(&path, patience, interrupt::raised, waiting)?;
        self.clear();
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
        let seal = |name: &&str| Seal::of(name, &ready.path().join(name));
        let files = files.iter().map(seal).collect::<Result<_, _>>()?;
        let path = ready.path().join(RECORD);
        let text = serde_json::to_string(&Sealed { record: record.clone(), files }).expect("plain fields");
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
