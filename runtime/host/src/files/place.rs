//! What a path that is to be written leads to.

use nix::unistd::{AccessFlags, access};
use std::fs::Metadata;
use std::io::{Error, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// As many links as the operating system follows.
const LINKS: usize = 40;

/// What a path leads to.
#[derive(Debug)]
pub(super) enum Place {
    /// Standard output.
    Standard,
    /// A device, a pipe or a descriptor: written as it is.
    Special(PathBuf),
    /// A regular file, or nothing yet; with the mode of what is there.
    Regular { target: PathBuf, mode: Option<u32> },
    /// A folder.
    Folder,
}

impl Place {
    pub(super) fn of(path: &Path) -> std::io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::Standard);
        }
        let mut target = path.to_path_buf();
        for _ in 0..LINKS {
            if let Some(descriptor) = descriptor(&target) {
                let standard = descriptor == Path::new("1");
                return Ok(if standard { Self::Standard } else { Self::Special(target) });
            }
            match target.symlink_metadata() {
                Ok(found) if found.is_symlink() => {
                    let end = target.read_link()?;
                    target = target.parent().map_or_else(|| end.clone(), |folder| folder.join(&end));
                }
                Ok(found) => return Ok(Self::there(target, &found)),
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::absent(target)),
                // The folder says why, when something is made in it.
                Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(Self::absent(target)),
                Err(error) => return Err(error),
            }
        }
        Err(Error::other("too many levels of symbolic links"))
    }

    fn there(target: PathBuf, found: &Metadata) -> Self {
        let kind = found.file_type();
        if kind.is_dir() {
            Self::Folder
        } else if kind.is_file() {
            Self::Regular { target, mode: Some(found.mode() & 0o7777) }
        } else {
            Self::Special(target)
        }
    }

    fn absent(target: PathBuf) -> Self {
        let names_a_folder = target.as_os_str().as_bytes().ends_with(b"/");
        if names_a_folder { Self::Folder } else { Self::Regular { target, mode: None } }
    }
}

/// The number of a descriptor of this process, where the path is one: `/dev/stdout` leads to such.
fn descriptor(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?.canonicalize().ok()?;
    let inside = folder.starts_with("/proc") && folder.file_name()? == "fd";
    inside.then(|| PathBuf::from(path.file_name().unwrap_or_default()))
}

/// Tells files apart. Devices may be shared.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Identity {
    Standard,
    Node { device: u64, inode: u64 },
    Absent(PathBuf),
}

impl Identity {
    pub(super) fn of(place: &Place) -> Option<Self> {
        let node = |path: &Path| path.metadata().ok();
        let numbers = |found: &Metadata| Self::Node { device: found.dev(), inode: found.ino() };
        match place {
            Place::Standard => Some(Self::Standard),
            Place::Special(path) => {
                node(path).filter(|found| !found.file_type().is_char_device()).as_ref().map(numbers)
            }
            Place::Regular { target, .. } => node(target).as_ref().map(numbers).or_else(|| {
                let folder = or_here(target.parent()?).canonicalize().ok()?;
                Some(Self::Absent(folder.join(target.file_name()?)))
            }),
            Place::Folder => None,
        }
    }
}

/// The folder, or this one where none is named.
pub(super) fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Whether the user may write what is there.
pub(super) fn writable(path: &Path) -> std::io::Result<()> {
    Ok(access(path, AccessFlags::W_OK)?)
}
