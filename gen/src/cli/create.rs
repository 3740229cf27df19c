//! `sagen new`: a new overlay config to start from.

use anyhow::Result;
use clap::Args;
use sagen::family;
use sagen_config::{Board, ConfigError, ConfigFile, FindError, find};
use sagen_host::outcome;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What to start from, and where to.
#[derive(Args)]
pub(crate) struct Options {
    /// Name of the new config, which goes to configs/, or a path that ends in .yaml.
    name: String,
    /// Board, by name.
    #[arg(long)]
    board: Option<String>,
    /// Config to take the values from; the first that fits the board if left out.
    #[arg(long)]
    like: Option<String>,
}

/// Write the config and say how it is called.
pub(crate) fn run(options: &Options) -> Result<()> {
    let created = create(&options.name, options.board.as_deref(), options.like.as_deref())?;
    let (path, name, like) = (created.path.display(), &options.name, created.like);
    Ok(outcome::print(&format!("{path}: {}, like {like}; see `sagen show --config {name}`\n", created.overlay))?)
}

/// Why no config was written.
#[derive(Debug, thiserror::Error)]
enum CreateError {
    /// Configs that it could start from, or boards, cannot be read.
    #[error(transparent)]
    Find(#[from] FindError),
    /// A name that makes no file.
    #[error("`{0}` is neither a name (lower-case letters, digits, `_`, `-`) nor a path that ends in .yaml")]
    Name(String),
    /// The file is there.
    #[error("{0} exists already; remove it or choose another name")]
    Exists(String),
    /// No such board.
    #[error("unknown board `{found}`{nearest}; known: {known}")]
    Board {
        /// Board named.
        found: String,
        /// A question that names the closest one, or nothing.
        nearest: String,
        /// Boards known.
        known: String,
    },
    /// The values of the config to start from do not go with the board.
    #[error("{like} does not fit board {board}: {reason}; choose another config with --like")]
    Unfit {
        /// Config to start from.
        like: String,
        /// Board.
        board: String,
        /// Rule broken.
        reason: String,
    },
    /// No config goes with the board.
    #[error("no config of this repository fits board {0}; name one with --like and see why")]
    NoneFits(String),
    /// What would be written is no config: a fault of ours.
    #[error("the new config is wrong: {0}")]
    Wrong(#[from] ConfigError),
    /// The file system refused.
    #[error("{path}: {reason}")]
    Io {
        /// Path.
        path: String,
        /// Why.
        reason: std::io::Error,
    },
}

/// A config that was written.
struct Created {
    path: PathBuf,
    /// Name of the overlay that it describes.
    overlay: String,
    /// The overlay that it started from.
    like: String,
}

/// Write a config called `name`, or at that path. Without `like` it starts from the first config that fits the board.
fn create(name: &str, board: Option<&str>, like: Option<&str>) -> Result<Created, CreateError> {
    let configs = find::configs()?;
    let path = place(name, &configs)?;
    if path.exists() {
        return Err(CreateError::Exists(path.display().to_string()));
    }
    let boards = find::boards(&configs)?;
    let board = board.map(|b| named(b, &boards)).transpose()?;
    let stem = path.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    let start = match like {
        Some(like) => Start::read(like)?.on_board(board, &stem)?,
        None => first_fit(&configs, board, &stem)?,
    };
    let file = ConfigFile::new(&path.display().to_string(), start.text, boards)?;
    let overlay = family::of(&file)?.name;
    write(&path, &file.text)?;
    Ok(Created { path, overlay, like: start.like })
}

/// The text of a new config, and the overlay that it started from.
struct Text {
    text: String,
    like: String,
}

/// A config to start from.
struct Start {
    file: ConfigFile,
    name: String,
    board: Board,
}

impl Start {
    fn read(config: &str) -> Result<Self, CreateError> {
        let file = find::config(config)?;
        let overlay = family::of(&file).map_err(FindError::from)?;
        Ok(Self { file, name: overlay.name, board: overlay.board })
    }

    /// The same values on another board, under a name that they may have there.
    fn on_board(&self, board: Option<&Board>, stem: &str) -> Result<Text, CreateError> {
        let board = board.unwrap_or(&self.board);
        let unfit = |reason: String| CreateError::Unfit { like: self.name.clone(), board: board.name.clone(), reason };
        match family::template(&self.file, board, stem) {
            Ok(text) => Ok(Text { text, like: self.name.clone() }),
            Err(ConfigError::Overlay { reason, .. }) => Err(unfit(reason)),
            Err(other) => Err(unfit(other.to_string())),
        }
    }
}

fn place(name: &str, configs: &Path) -> Result<PathBuf, CreateError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
    if name.ends_with(".yaml") && Path::new(name).file_stem().is_some_and(|s| !s.is_empty() && s != ".yaml") {
        return Ok(PathBuf::from(name));
    }
    if name.is_empty() || !name.chars().all(plain) {
        return Err(CreateError::Name(name.to_string()));
    }
    Ok(configs.join(format!("{name}.yaml")))
}

fn named<'a>(name: &str, boards: &'a [Board]) -> Result<&'a Board, CreateError> {
    let known = || boards.iter().map(|b| b.name.as_str());
    boards.iter().find(|b| b.name == name).ok_or_else(|| CreateError::Board {
        found: name.to_string(),
        nearest: sagen_host::spelling::did_you_mean(name, known()),
        known: known().collect::<Vec<_>>().join(", "),
    })
}

/// Configs of the board itself come first.
fn first_fit(configs: &Path, board: Option<&Board>, stem: &str) -> Result<Text, CreateError> {
    let read = |name: String| Start::read(&configs.join(format!("{name}.yaml")).display().to_string());
    let mut known: Vec<Start> = find::names(configs)?.into_iter().map(read).collect::<Result<_, _>>()?;
    known.sort_by_key(|start| board.is_some_and(|b| b.name != start.board.name));
    let fit = known.iter().find_map(|start| start.on_board(board, stem).ok());
    fit.ok_or_else(|| CreateError::NoneFits(board.map_or("", |b| &b.name).to_string()))
}

/// Whole or not at all, and never over another file.
fn write(path: &Path, text: &str) -> Result<(), CreateError> {
    let io = |reason| CreateError::Io { path: path.display().to_string(), reason };
    let mut file = File::create_new(path).map_err(io)?;
    file.write_all(text.as_bytes()).map_err(|reason| {
        // The first error is the one to report.
        let _ = fs::remove_file(path);
        io(reason)
    })
}
