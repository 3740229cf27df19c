//! What one row of the cache is: all files that go together, and the lock of whoever makes them.

use sagen_host::lock::Lock;
use sagen_host::{PathError, at, cache};
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What an entry is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Model,
    Calibration,
    Simulator,
    Runtime,
    Netlist,
    /// Logs of what failed, and remains of what was killed.
    Rest,
}

/// Folders of the cache, and what their entries are.
const FOLDERS: [(&str, Kind); 5] = [
    ("models", Kind::Model),
    ("calibration", Kind::Calibration),
    ("verilated/designs", Kind::Simulator),
    ("verilated/runtime", Kind::Runtime),
    ("yosys", Kind::Netlist),
];

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Calibration => "calibration",
            Self::Simulator => "simulator",
            Self::Runtime => "simulator runtime",
            Self::Netlist => "netlist",
            Self::Rest => "rest",
        }
    }
}

/// Files that are made and removed together.
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) bytes: u64,
    pub(super) used: SystemTime,
    paths: Vec<PathBuf>,
    lock: PathBuf,
}

/// Everything in a cache, sorted by kind, the largest first.
pub(super) fn entries(root: &Path) -> Result<Vec<Entry>, PathError> {
    let mut found = Vec::new();
    for (folder, kind) in FOLDERS {
        found.extend(in_folder(&root.join(folder), kind)?);
    }
    let doctors = list(root)?.into_iter().filter(|path| begins(path, "doctor-"));
    found.extend(doctors.map(|path| Entry::of(Kind::Rest, vec![path], root.join("lock"))));
    found.sort_by_key(|e| (e.kind, std::cmp::Reverse(e.bytes), e.name.clone()));
    Ok(found)
}

/// Names up to the first dot belong together: `key`, `key.lock`, `key.compile.log`. What has another name was not made by
/// these programs, and is left alone: the folder may be one of the user's.
fn in_folder(folder: &Path, kind: Kind) -> Result<Vec<Entry>, PathError> {
    let mut groups: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in list(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let key = name.split('.').next().unwrap_or_default().to_owned();
        let rest = kind == Kind::Netlist && (key == "failed" || begins(&path, "work-"));
        if rest || is_key(&key) {
            groups.entry(key).or_default().push(path);
        }
    }
    let entry = |(key, paths): (String, Vec<PathBuf>)| {
        let whole = |path: &PathBuf| [key.clone(), format!("{key}.json")].iter().any(|name| path.ends_with(name));
        let kind = if is_key(&key) && paths.iter().any(whole) { kind } else { Kind::Rest };
        let lock = match kind {
            Kind::Model => folder.join(&key).join("lock"),
            Kind::Calibration | Kind::Simulator | Kind::Runtime | Kind::Netlist | Kind::Rest => {
                folder.join(format!("{key}.lock"))
            }
        };
        Entry::of(kind, paths, lock)
    };
    // A lock alone is nothing.
    Ok(groups.into_iter().map(entry).filter(|e| e.bytes > 0).collect())
}

/// Keys are hashes: of 12 bytes, or of 32.
fn is_key(name: &str) -> bool {
    [24, 64].contains(&name.len()) && name.chars().all(|c| c.is_ascii_hexdigit())
}

fn begins(path: &Path, start: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
}

impl Entry {
    fn of(kind: Kind, paths: Vec<PathBuf>, lock: PathBuf) -> Self {
        let files: Vec<(PathBuf, Metadata)> = paths.iter().flat_map(|path| files(path)).collect();
        let used = files.iter().filter_map(|(_, found)| found.modified().ok()).max().unwrap_or(SystemTime::UNIX_EPOCH);
        let bytes = files.iter().map(|(_, found)| found.len()).sum();
        Self { kind, name: name(kind, &paths, &files), bytes, used, paths, lock }
    }

    /// Remove it, unless somebody makes it just now.
    pub(super) fn remove(&self) -> Result<bool, PathError> {
        let held = match self.lock.parent().is_some_and(Path::is_dir) {
            true => Some(Lock::free(&self.lock)?),
            false => None,
        };
        if let Some(None) = held {
            return Ok(false);
        }
        self.paths.iter().try_for_each(|path| cache::remove(path))?;
        cache::remove(&self.lock)?;
        Ok(true)
    }
}

/// A model is called as its file, a simulator as its design; all else as its key.
fn name(kind: Kind, paths: &[PathBuf], files: &[(PathBuf, Metadata)]) -> String {
    let last = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let key = paths.first().map_or(String::new(), |path| last(path));
    let short = |key: &str| key.split('.').next().unwrap_or_default().chars().take(12).collect::<String>();
    match kind {
        Kind::Model => {
            let file = files.iter().filter(|(path, _)| !path.ends_with("lock")).max_by_key(|(_, found)| found.len());
            file.map_or(short(&key), |(path, _)| last(path))
        }
        Kind::Simulator => {
            let of = paths.iter().find_map(|path| sagen_cosim::verilate::design_of(path));
            of.map_or(short(&key), |design| format!("{design} {}", short(&key)))
        }
        Kind::Calibration | Kind::Runtime | Kind::Netlist => short(&key),
        Kind::Rest => key,
    }
}

/// The files at a path and below; what vanishes meanwhile is left out.
fn files(path: &Path) -> Vec<(PathBuf, Metadata)> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => list(path).unwrap_or_default().iter().flat_map(|path| files(path)).collect(),
        Ok(found) => vec![(path.to_path_buf(), found)],
        Err(_) => Vec::new(),
    }
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, PathError> {
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(reason) if matches!(reason.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(reason) => return Err(at(folder)(reason)),
    };
    let mut paths =
        entries.map(|entry| Ok(entry.map_err(at(folder))?.path())).collect::<Result<Vec<_>, PathError>>()?;
    paths.sort();
    Ok(paths)
}
