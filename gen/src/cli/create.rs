//! `sagen new`: a new overlay config to start from.

use anyhow::Result;
use clap::Args;
use sagen::family;
use sagen_config::library::{self, Boards, Entry};
use sagen_config::{Board, ConfigError, ConfigFile, FindError, find};
use sagen_host::{interrupt, outcome};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
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
    /// Another config is called so.
    #[error("{name} is the name of {path}; choose another name")]
    Taken {
        /// Name.
        name: String,
        /// Where the other one is.
        path: String,
    },
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
    #[error("no known config fits board {0}; name one with --like and see why")]
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
    let path = place(name)?;
    if path.symlink_metadata().is_ok() {
        return Err(CreateError::Exists(path.display().to_string()));
    }
    let known = library::overlays()?;
    if let Some(taken) = known.iter().find(|entry| entry.name() == name) {
        return Err(CreateError::Taken { name: name.to_string(), path: taken.path() });
    }
    let Boards { known: boards, .. } = library::boards(None)?;
    let board = board.map(|b| named(b, &boards)).transpose()?;
    let stem = path.file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned());
    let start = match like {
        Some(like) => Start::read(&find::config(like)?)?.on_board(board, &stem)?,
        None => first_fit(&known, board, &stem)?,
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
    fn read(file: &ConfigFile) -> Result<Self, CreateError> {
        let (file, overlay) = (file.clone(), family::of(file).map_err(FindError::from)?);
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

fn place(name: &str) -> Result<PathBuf, CreateError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
    if name.ends_with(".yaml") && Path::new(name).file_stem().is_some_and(|s| !s.is_empty() && s != ".yaml") {
        return Ok(PathBuf::from(name));
    }
    if name.is_empty() || !name.chars().all(plain) {
        return Err(CreateError::Name(name.to_string()));
    }
    Ok(Path::new(library::FOLDER).join(format!("{name}.yaml")))
}

fn named<'a>(name: &str, boards: &'a [Board]) -> Result<&'a Board, CreateError> {
    let known = || boards.iter().map(|b| b.name.as_str());
    boards.iter().find(|b| b.name == name).ok_or_else(|| CreateError::Board {
        found: name.to_string(),
        nearest: sagen_host::spelling::did_you_mean(name, known()),
        known: known().collect::<Vec<_>>().join(", "),
    })
}

/// Configs of the board itself come first. One that cannot be used is passed over: nobody asked for it.
fn first_fit(known: &[Entry], board: Option<&Board>, stem: &str) -> Result<Text, CreateError> {
    let direct = known.iter().filter(|entry| entry.is_direct());
    let mut starts: Vec<Start> = direct.filter_map(|entry| Start::read(&find::known(entry).ok()?).ok()).collect();
    starts.sort_by_key(|start| board.is_some_and(|b| b.name != start.board.name));
    let fit = starts.iter().find_map(|start| start.on_board(board, stem).ok());
    fit.ok_or_else(|| CreateError::NoneFits(board.map_or("", |b| &b.name).to_string()))
}

/// Whole or not at all, and never over another file. The folder of configs is made where there is none.
fn write(path: &Path, text: &str) -> Result<(), CreateError> {
    let io = |reason: std::io::Error| {
        // Without the name of the temporary file.
        let reason = reason.raw_os_error().map_or(reason, std::io::Error::from_raw_os_error);
        CreateError::Io { path: path.display().to_string(), reason }
    };
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let made = folder == Path::new(library::FOLDER) && !folder.exists();
    if made {
        fs::create_dir(folder).map_err(io)?;
    }
    let write = || {
        let mode = fs::Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new().permissions(mode).tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.persist_noclobber(path).map(drop).map_err(|e| e.error)
    };
    interrupt::whole(write).map_err(|reason| {
        if made {
            // Empty, or somebody else's by now.
            let _ = fs::remove_dir(folder);
        }
        io(reason)
    })
}
