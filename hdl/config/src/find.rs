//! Finding overlay configs: by path, or by name in the `configs` folder of this directory or one above it.

use crate::board::Board;
use crate::yaml::{self, ConfigError, nearest};
use std::path::{Path, PathBuf};

/// Why a config was not found or not read.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// No folder of configs.
    #[error(
        "no folder `configs` with `boards` in {from} or above; run inside the repository or give the path of a config"
    )]
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

/// The folder of overlay configs.
pub fn configs() -> Result<PathBuf, FindError> {
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let found = here.ancestors().map(|d| d.join("configs")).find(|d| d.join("boards").is_dir());
    found.ok_or_else(|| FindError::NoConfigs { from: here.display().to_string() })
}

/// Names of all overlay configs in a folder, sorted.
pub fn names(configs: &Path) -> Result<Vec<String>, FindError> {
    let mut names = yaml_stems(configs)?;
    names.sort();
    Ok(names)
}

/// A config as found, with the boards that it may name.
#[derive(Debug)]
pub struct ConfigFile {
    /// Path, for messages.
    pub path: String,
    /// Contents.
    pub text: String,
    /// Boards known.
    pub boards: Vec<Board>,
}

/// The config called `name`, or the file at that path.
pub fn config(name: &str) -> Result<ConfigFile, FindError> {
    let is_path = name.ends_with(".yaml") || name.ends_with(".yml") || name.contains(std::path::MAIN_SEPARATOR);
    let path = if is_path { PathBuf::from(name) } else { named(name)? };
    let folder = match path.parent().filter(|p| p.join("boards").is_dir()) {
        Some(beside) => beside.to_path_buf(),
        None => configs()?,
    };
    Ok(ConfigFile { path: path.display().to_string(), text: read(&path)?, boards: boards(&folder)? })
}

fn named(name: &str) -> Result<PathBuf, FindError> {
    let folder = configs()?;
    let path = folder.join(format!("{name}.yaml"));
    if path.is_file() {
        return Ok(path);
    }
    let known = names(&folder)?;
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
    let mut stems = yaml_stems(&folder)?;
    stems.sort();
    let boards: Vec<Board> = stems.into_iter().map(|stem| board(&folder, stem)).collect::<Result<_, _>>()?;
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

fn yaml_stems(folder: &Path) -> Result<Vec<String>, FindError> {
    let error = |reason| FindError::Read { path: folder.display().to_string(), reason };
    let mut stems = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(error)? {
        let path = entry.map_err(error)?.path();
        if path.extension().is_some_and(|e| e == "yaml") {
            stems.extend(path.file_stem().map(|s| s.to_string_lossy().into_owned()));
        }
    }
    Ok(stems)
}

fn read(path: &Path) -> Result<String, FindError> {
    std::fs::read_to_string(path).map_err(|reason| FindError::Read { path: path.display().to_string(), reason })
}
