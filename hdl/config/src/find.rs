//! Finding overlay configs: by path, or by name among those that are known; folders of configs as such.

use crate::board::Board;
use crate::family::{Family, Head};
use crate::library::{self, BrokenBoard, Entry};
use crate::yaml::{self, ConfigError, nearest};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Why a config was not found or not read.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// No folder of configs.
    #[error("no folder `configs` with `boards` in {from} or above; run inside the repository")]
    NoConfigs {
        /// Where the search began.
        from: String,
    },
    /// No config of that name.
    #[error("unknown config `{name}`{nearest}; known: {known}")]
    Unknown {
        /// Name given.
        name: String,
        /// A question that names the closest one, or nothing.
        nearest: String,
        /// Names known.
        known: String,
    },
    /// A board called otherwise than its file.
    #[error("{path}: name = {name}, but the file's name makes {stem}")]
    BoardName {
        /// Path.
        path: String,
        /// Name inside.
        name: String,
        /// Name of the file.
        stem: String,
    },
    /// Two boards whose overlays would be called alike.
    #[error("boards {first} and {second} both have suffix = {suffix:?}; overlay names tell boards apart by it")]
    Suffix {
        /// Board.
        first: String,
        /// The other one.
        second: String,
        /// Their suffix.
        suffix: String,
    },
    /// A file that cannot be read.
    #[error("{path}: {reason}")]
    Read {
        /// Path.
        path: String,
        /// Why.
        reason: std::io::Error,
    },
    /// A file that can be read but not used.
    #[error(transparent)]
    Config(#[from] ConfigError),
}

/// Folders beside the configs that hold other things.
pub(crate) const OTHERS: [&str; 3] = ["boards", "models", "shapes"];

/// The repository's folder of overlay configs: in the current folder or one above it.
pub fn configs() -> Result<PathBuf, FindError> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let found = here.ancestors().map(|d| d.join("configs")).find(|d| d.join("boards").is_dir());
    found.ok_or_else(|| FindError::NoConfigs { from: here.display().to_string() })
}

/// Names of the overlay configs directly in a folder, sorted.
pub fn names(configs: &Path) -> Result<Vec<String>, FindError> {
    let mut names: Vec<String> = yaml_files(configs)?.iter().map(|path| stem(path)).collect();
    names.sort();
    Ok(names)
}

/// Every overlay config in a folder and below, sorted.
pub fn all(configs: &Path) -> Result<Vec<PathBuf>, FindError> {
    let mut files = yaml_files(configs)?;
    for path in entries(configs)?.iter().filter(|p| p.is_dir() && !OTHERS.contains(&stem(p).as_str())) {
        files.extend(all(path)?);
    }
    files.sort();
    Ok(files)
}

/// A config as found, with the boards that it may name.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// Path, for messages.
    pub path: String,
    /// Contents.
    pub text: String,
    /// Of which family it says to be.
    pub family: Family,
    /// Boards known.
    pub boards: Vec<Board>,
    /// Boards that cannot be used.
    pub broken: Vec<BrokenBoard>,
}

impl ConfigFile {
    /// A text that may become the file at `path`.
    pub fn new(path: &str, text: String, boards: Vec<Board>) -> Result<Self, ConfigError> {
        let Head { family } = yaml::parse(path, &text)?;
        Ok(Self { path: path.to_string(), text, family, boards, broken: Vec::new() })
    }

    /// The board called `name`.
    pub fn board(&self, name: &str) -> Result<&Board, ConfigError> {
        if let Some(broken) = self.broken.iter().find(|b| b.name == name) {
            return Err(ConfigError::Overlay { file: self.path.clone(), reason: broken.reason.clone() });
        }
        self.boards.iter().find(|b| b.name == name).ok_or_else(|| ConfigError::UnknownBoard {
            file: self.path.clone(),
            found: name.to_string(),
            known: self.boards.iter().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

/// The config called `name`, or the file at that path.
pub fn config(name: &str) -> Result<ConfigFile, FindError> {
    let is_path = name.ends_with(".yaml") || name.ends_with(".yml") || name.contains(std::path::MAIN_SEPARATOR);
    if !is_path {
        return known(&named(name)?);
    }
    let path = Path::new(name);
    with_boards(name, read(path)?, path.parent().filter(|p| p.join("boards").is_dir()))
}

/// A config that is known by name.
pub fn known(entry: &Entry) -> Result<ConfigFile, FindError> {
    with_boards(&entry.path(), entry.text()?.into_owned(), None)
}

fn with_boards(path: &str, text: String, beside: Option<&Path>) -> Result<ConfigFile, FindError> {
    let boards = library::boards(beside)?;
    Ok(ConfigFile { broken: boards.broken, ..ConfigFile::new(path, text, boards.known)? })
}

/// The user's own first.
fn named(name: &str) -> Result<Entry, FindError> {
    let entries = library::overlays()?;
    let mut called = entries.iter().filter(|entry| entry.name() == name);
    if let Some(found) = called.clone().find(|entry| entry.is_own()).or_else(|| called.next()) {
        return Ok(found.clone());
    }
    let known: Vec<String> = entries.iter().map(Entry::name).collect();
    let nearest = nearest(name, known.iter().map(String::as_str));
    Err(FindError::Unknown {
        name: name.to_string(),
        nearest: nearest.map_or(String::new(), |n| format!(", did you mean `{n}`?")),
        known: known.join(", "),
    })
}

/// Every board described in a folder of configs.
pub fn boards(configs: &Path) -> Result<Vec<Board>, FindError> {
    let folder = configs.join("boards");
    let boards: Vec<Board> = names(&folder)?.into_iter().map(|stem| board(&folder, stem)).collect::<Result<_, _>>()?;
    for (i, second) in boards.iter().enumerate() {
        if let Some(first) = boards[..i].iter().find(|b| b.suffix == second.suffix) {
            let (first, second, suffix) = (first.name.clone(), second.name.clone(), second.suffix.clone());
            return Err(FindError::Suffix { first, second, suffix });
        }
    }
    Ok(boards)
}

fn board(folder: &Path, stem: String) -> Result<Board, FindError> {
    let path = folder.join(format!("{stem}.yaml"));
    let board: Board = yaml::parse(&path.display().to_string(), &read(&path)?)?;
    if board.name == stem {
        return Ok(board);
    }
    Err(FindError::BoardName { path: path.display().to_string(), name: board.name, stem })
}

pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned())
}

pub(crate) fn yaml_files(folder: &Path) -> Result<Vec<PathBuf>, FindError> {
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|e| e == "yaml");
    Ok(entries(folder)?.into_iter().filter(is_yaml).collect())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, FindError> {
    let error = |reason| FindError::Read { path: folder.display().to_string(), reason };
    let entries = std::fs::read_dir(folder).map_err(error)?;
    entries.map(|entry| Ok(entry.map_err(error)?.path())).collect()
}

/// Bytes of the largest config: a page of text is usual.
const LARGEST: u64 = 1 << 20;

pub(crate) fn read(path: &Path) -> Result<String, FindError> {
    let failed = |reason| FindError::Read { path: path.display().to_string(), reason };
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    match file.take(LARGEST + 1).read_to_string(&mut text).map_err(failed)? as u64 {
        found if found > LARGEST => Err(failed(std::io::Error::other(format!("longer than {LARGEST} bytes")))),
        _ => Ok(text),
    }
}
