//! A new overlay config to start from: every field with its meaning and the values allowed.

use sagen_config::Board;
use sagen_config::ConfigError;
use sagen_config::{FindError, find};
use sagen_streamed_arch::fields::{CONTROL_CORE, NUMBERS, PCPI};
use sagen_streamed_arch::{StreamedConfig, StreamedError, StreamedFile};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Why no config was written.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
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
        reason: StreamedError,
    },
    /// No config goes with the board.
    #[error("no config of this repository fits board {0}; name one with --like and see why")]
    NoneFits(String),
    /// What would be written is no config: a fault of ours.
    #[error("the new config is wrong: {0}")]
    Wrong(ConfigError),
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
#[derive(Debug)]
pub struct Created {
    /// Its file.
    pub path: PathBuf,
    /// The overlay that it describes.
    pub overlay: StreamedConfig,
    /// The config that it started from.
    pub like: String,
}

/// Write a config called `name`, or at that path. Without `like` it starts from the first config that fits the board.
pub fn create(name: &str, board: Option<&str>, like: Option<&str>) -> Result<Created, CreateError> {
    let configs = find::configs()?;
    let path = place(name, &configs)?;
    if path.exists() {
        return Err(CreateError::Exists(path.display().to_string()));
    }
    let boards = find::boards(&configs)?;
    let overlay = match like {
        Some(like) => {
            let like = sagen_streamed_arch::config::named(like)?;
            let board = board.map_or(Ok(like.board()), |b| named(b, &boards))?;
            on_board(&like, board).map(|o| (o, like.name().to_string()))?
        }
        None => first_fit(&configs, board.map(|b| named(b, &boards)).transpose()?)?,
    };
    let (overlay, like) = overlay;
    let text = text(&overlay, &like, &boards);
    let file = path.display().to_string();
    let overlay = sagen_streamed_arch::config::overlay(&file, &text, &boards).map_err(CreateError::Wrong)?;
    write(&path, &text)?;
    Ok(Created { path, overlay, like })
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
        nearest: sagen_config::nearest(name, known()).map_or(String::new(), |n| format!(", did you mean `{n}`?")),
        known: known().collect::<Vec<_>>().join(", "),
    })
}

/// The same values on another board, under the name that they make there.
fn on_board(like: &StreamedConfig, board: &Board) -> Result<StreamedConfig, CreateError> {
    let file = StreamedFile { board: board.name.clone(), ..like.file().clone() };
    let made = match StreamedConfig::new(file.clone(), board.clone()) {
        Err(StreamedError::Name { derived, .. }) => {
            StreamedConfig::new(StreamedFile { name: derived, ..file }, board.clone())
        }
        other => other,
    };
    made.map_err(|reason| CreateError::Unfit { like: like.name().to_string(), board: board.name.clone(), reason })
}

/// Configs of the board itself come first.
fn first_fit(configs: &Path, board: Option<&Board>) -> Result<(StreamedConfig, String), CreateError> {
    let read =
        |name: String| sagen_streamed_arch::config::named(&configs.join(format!("{name}.yaml")).display().to_string());
    let mut known: Vec<StreamedConfig> = find::names(configs)?.into_iter().map(read).collect::<Result<_, _>>()?;
    known.sort_by_key(|o| board.is_some_and(|b| b.name != o.board().name));
    let fit =
        |like: &StreamedConfig| Some((on_board(like, board.unwrap_or(like.board())).ok()?, like.name().to_string()));
    known.iter().find_map(fit).ok_or_else(|| CreateError::NoneFits(board.map_or("", |b| &b.name).to_string()))
}

/// The file, with a comment above every field.
fn text(overlay: &StreamedConfig, like: &str, boards: &[Board]) -> String {
    let f = overlay.file();
    let known = boards.iter().map(|b| format!("{} ({})", b.name, b.title)).collect::<Vec<_>>().join(", ");
    let mut text = format!("# An overlay for the {}, started from {like}.\n\n", overlay.board().title);
    put(&mut text, 0, "Must be the name that the fields make; `sagen show` tells it.", "name", &f.name);
    put(&mut text, 0, &format!("One of configs/boards: {known}."), "board", &f.board);
    let mut open = "";
    for number in NUMBERS {
        let (group, key) = number.path.split_once('.').unwrap_or(("", number.path));
        if group != open && !group.is_empty() {
            writeln!(text, "\n{group}:").expect("a string can be written to");
        }
        open = group;
        let comment = format!("{} Allowed: {}.", number.doc, number.allowed);
        put(&mut text, if group.is_empty() { 0 } else { 2 }, &comment, key, &(number.value)(f).to_string());
    }
    put(&mut text, 0, &format!("Resident control core. Allowed: {CONTROL_CORE}."), "control_core", "none");
    put(&mut text, 0, &format!("The core's coprocessor interface drives the queue. Allowed: {PCPI}."), "pcpi", "false");
    text
}

/// A field below its comment, which is broken into lines.
fn put(text: &mut String, indent: usize, comment: &str, key: &str, value: &str) {
    let margin = " ".repeat(indent);
    if indent == 0 && !text.ends_with("\n\n") {
        text.push('\n');
    }
    let mut line = format!("{margin}#");
    for word in comment.split(' ') {
        if line.len() + word.len() > 118 {
            *text += &format!("{line}\n");
            line = format!("{margin}#");
        }
        line += &format!(" {word}");
    }
    *text += &format!("{line}\n{margin}{key}: {value}\n");
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
