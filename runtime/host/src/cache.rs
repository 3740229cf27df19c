//! The user's cache folder, and folders in it that are there whole or not at all.

use crate::interrupt::{self, Will};
use crate::path::bare;
use crate::{PathError, at, sealed};
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// There is no place for a cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// No cache folder is known.
    #[error("no cache folder: set SAGEN_CACHE to a folder that can be written")]
    NoFolder,
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] PathError),
    /// Nothing can be put into it.
    #[error("cannot write into the cache {folder}: {reason}; SAGEN_CACHE names another folder", folder = folder.display())]
    Unwritable {
        /// Folder.
        folder: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
}

/// `SAGEN_CACHE`, else `sagen` in the user's cache folder, as an absolute path.
pub fn folder() -> Result<PathBuf, CacheError> {
    let named = std::env::var_os("SAGEN_CACHE").filter(|v| !v.is_empty()).map(PathBuf::from);
    let root = named.or_else(|| dirs::cache_dir().map(|d| d.join("sagen"))).ok_or(CacheError::NoFolder)?;
    Ok(std::path::absolute(&root).map_err(at(&root))?)
}

/// Make sure that a folder of the cache is there and can be written.
pub fn prepare(folder: &Path) -> Result<(), CacheError> {
    let unwritable = |reason| CacheError::Unwritable { folder: folder.to_path_buf(), reason: bare(reason) };
    // Only what is inside the cache is ours to replace.
    let inside = self::folder().ok();
    let inside = |path: &&Path| inside.as_ref().is_some_and(|root| *path != root && path.starts_with(root));
    for path in folder.ancestors().filter(inside).filter(|path| path.is_file()) {
        sealed::damaged(path, "is no folder", "a folder takes its place");
    }
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    tempfile::tempfile_in(folder).map(drop).map_err(unwritable)
}

/// Remember that something was used just now: its time of modification says so.
pub fn used(path: &Path) {
    // In a cache that cannot be written nothing is pruned either.
    let _ = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
}

/// A folder that is empty at first and gone at last. A process that was killed may have left one: whoever makes it
/// holds the lock that says that nobody uses it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// A signal that ends the process removes it too.
    _will: Will,
}

impl Scratch {
    /// An empty folder.
    pub fn new(path: PathBuf) -> Result<Self, PathError> {
        remove(&path)?;
        std::fs::create_dir(&path).map_err(at(&path))?;
        Ok(Self::of(path))
    }

    /// An empty folder of a name that nothing else in `folder` has.
    pub fn within(folder: &Path, prefix: &str) -> Result<Self, PathError> {
        let made = tempfile::Builder::new().prefix(prefix).tempdir_in(folder).map_err(at(folder))?;
        Ok(Self::of(made.keep()))
    }

    fn of(path: PathBuf) -> Self {
        let doomed = path.clone();
        Self { path, _will: interrupt::will(move || remove_while_used(&doomed)) }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Make it the folder `to`, in place of one that may be there.
    pub fn publish(self, to: &Path) -> Result<(), PathError> {
        let _whole = interrupt::hold();
        remove(to)?;
        std::fs::rename(&self.path, to).map_err(at(to))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next run.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Remove whatever is there.
pub fn remove(path: &Path) -> Result<(), PathError> {
    let removed = match path.symlink_metadata() {
        Ok(found) if found.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(reason) => Err(reason),
    };
    match removed {
        Err(reason) if reason.kind() != ErrorKind::NotFound => Err(at(path)(reason)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Others of this process may still make files in it.
fn remove_while_used(path: &Path) {
    for _ in 0..5 {
        if remove(path).is_ok() && !path.exists() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scratch;

    #[test]
    fn a_scratch_folder_is_empty_at_first_and_leaves_only_what_was_published() {
        let folder = tempfile::tempdir().unwrap();
        let (work, slot) = (folder.path().join("work"), folder.path().join("slot"));
        for made in ["first", "second"] {
            std::fs::create_dir(&work).unwrap();
            std::fs::write(work.join("remains of a killed run"), "").unwrap();
            let scratch = Scratch::new(work.clone()).unwrap();
            std::fs::write(scratch.path().join(made), "").unwrap();
            scratch.publish(&slot).unwrap();
            let names = slot.read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
            assert_eq!(names.collect::<Vec<_>>(), [made]);
        }
        drop(Scratch::new(work.clone()).unwrap());
        assert!(!work.exists());
    }
}
