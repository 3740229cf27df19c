//! What is known by name: the configs and boards that are built into the programs, and those in the folder `configs` of
//! the current folder, which come first, file by file.

use crate::board::Board;
use crate::find::{self, FindError};
use crate::yaml;
use include_dir::{Dir, include_dir};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../configs");

/// The user's folder, in the current one.
pub const FOLDER: &str = "configs";

/// An overlay config or a board that is known by name.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Path below the folder of configs.
    relative: PathBuf,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    BuiltIn(&'static str),
    Own(PathBuf),
}

impl Entry {
    /// Name: that of the file.
    #[must_use]
    pub fn name(&self) -> String {
        find::stem(&self.relative)
    }

    /// Path, for messages.
    #[must_use]
    pub fn path(&self) -> String {
        match &self.source {
            Source::BuiltIn(_) => format!("{FOLDER}/{} (built in)", self.relative.display()),
            Source::Own(path) => path.display().to_string(),
        }
    }

    /// Whether it lies directly in the folder of configs.
    #[must_use]
    pub fn is_direct(&self) -> bool {
        self.relative.components().count() == 1
    }

    /// Whether it is the user's: not built in, or changed.
    #[must_use]
    pub fn is_own(&self) -> bool {
        match &self.source {
            Source::BuiltIn(_) => false,
            Source::Own(path) => {
                let built_in = BUILT_IN.get_file(&self.relative).map(include_dir::File::contents);
                built_in.is_none() || std::fs::read(path).ok().as_deref() != built_in
            }
        }
    }

    /// Contents.
    pub fn text(&self) -> Result<Cow<'static, str>, FindError> {
        match &self.source {
            Source::BuiltIn(text) => Ok(Cow::Borrowed(text)),
            Source::Own(path) => find::read(path).map(Cow::Owned),
        }
    }
}

/// Every overlay config that is known, by path.
pub fn overlays() -> Result<Vec<Entry>, FindError> {
    let mut known = BTreeMap::new();
    add_built_in(&BUILT_IN, &mut known);
    let folder = Path::new(FOLDER);
    if folder.is_dir() {
        for path in find::all(folder)? {
            let relative = path.strip_prefix(folder).unwrap_or(&path).to_path_buf();
            known.insert(relative.clone(), Entry { relative, source: Source::Own(path) });
        }
    }
    Ok(known.into_values().collect())
}

fn add_built_in(folder: &'static Dir<'_>, known: &mut BTreeMap<PathBuf, Entry>) {
    known.extend(yaml_of(folder).map(|entry| (entry.relative.clone(), entry)));
    for below in folder.dirs().filter(|dir| !find::OTHERS.contains(&find::stem(dir.path()).as_str())) {
        add_built_in(below, known);
    }
}

fn yaml_of(folder: &'static Dir<'_>) -> impl Iterator<Item = Entry> {
    let yaml = folder.files().filter(|file| file.path().extension().is_some_and(|e| e == "yaml"));
    yaml.filter_map(|file| {
        let source = Source::BuiltIn(file.contents_utf8()?);
        Some(Entry { relative: file.path().to_path_buf(), source })
    })
}

/// A board that cannot be used.
#[derive(Clone, Debug)]
pub struct BrokenBoard {
    /// Name: that of its file.
    pub name: String,
    /// What is wrong.
    pub reason: String,
}

/// Boards by name: those that can be used, and those that cannot.
#[derive(Clone, Debug, Default)]
pub struct Boards {
    /// Those that can be used.
    pub known: Vec<Board>,
    /// Those that cannot.
    pub broken: Vec<BrokenBoard>,
}

/// The boards that a config may name: those of its own folder first, then the user's, then those built in.
pub fn boards(beside: Option<&Path>) -> Result<Boards, FindError> {
    let mut entries: Vec<Entry> = Vec::new();
    for folder in beside.into_iter().chain([Path::new(FOLDER)]).map(|folder| folder.join("boards")) {
        if folder.is_dir() {
            let own = find::yaml_files(&folder)?.into_iter();
            entries.extend(own.map(|path| Entry { relative: path.clone(), source: Source::Own(path) }));
        }
    }
    entries.extend(BUILT_IN.get_dir("boards").into_iter().flat_map(yaml_of));
    let mut boards = Boards::default();
    for entry in entries {
        boards.add(&entry);
    }
    boards.known.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(boards)
}

impl Boards {
    /// The first of a name counts.
    fn add(&mut self, entry: &Entry) {
        let name = entry.name();
        if self.known.iter().any(|b| b.name == name) || self.broken.iter().any(|b| b.name == name) {
            return;
        }
        match self.read(entry, &name) {
            Ok(board) => self.known.push(board),
            Err(error) => self.broken.push(BrokenBoard { name, reason: error.to_string() }),
        }
    }

    fn read(&self, entry: &Entry, name: &str) -> Result<Board, FindError> {
        let board: Board = yaml::parse(&entry.path(), &entry.text()?)?;
        if board.name != name {
            return Err(FindError::BoardName { path: entry.path(), name: board.name, stem: name.to_owned() });
        }
        match self.known.iter().find(|other| other.suffix == board.suffix) {
            Some(other) => {
                let (first, second, suffix) = (other.name.clone(), board.name, board.suffix);
                Err(FindError::Suffix { first, second, suffix })
            }
            None => Ok(board),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{boards, overlays};
    use crate::find;
    use std::path::Path;

    #[test]
    fn every_config_and_board_of_the_repository_is_built_in() {
        let configs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../configs");
        let files = find::all(&configs).unwrap();
        let built_in = overlays().unwrap();
        let rebuild = "a new file is built in after `touch hdl/config/build.rs`";
        assert_eq!(built_in.len(), files.len(), "{rebuild}");
        for (entry, path) in built_in.iter().zip(&files) {
            assert!(path.ends_with(&entry.relative), "{rebuild}");
            assert_eq!(entry.text().unwrap(), std::fs::read_to_string(path).unwrap(), "{rebuild}");
        }
        let known: Vec<String> = boards(None).unwrap().known.into_iter().map(|b| b.name).collect();
        assert_eq!(known, find::names(&configs.join("boards")).unwrap(), "{rebuild}");
    }
}
