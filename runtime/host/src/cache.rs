//! The user's cache folder, and folders in it that are there whole or not at all.

use crate::{PathError, at};
use std::path::{Path, PathBuf};

/// There is no place for a cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// No cache folder is known.
    #[error("no cache folder: set SAGEN_CACHE to a folder that can be written")]
    NoFolder,
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] PathError),
}

/// `SAGEN_CACHE`, else `sagen` in the user's cache folder, as an absolute path.
pub fn folder() -> Result<PathBuf, CacheError> {
    let named = std::env::var_os("SAGEN_CACHE").filter(|v| !v.is_empty()).map(PathBuf::from);
    let root = named.or_else(|| dirs::cache_dir().map(|d| d.join("sagen"))).ok_or(CacheError::NoFolder)?;
    Ok(std::path::absolute(&root).map_err(at(&root))?)
}

/// A folder that is empty at first and gone at last. A process that was killed may have left one: whoever makes it
/// holds the lock that says that nobody uses it.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder.
    pub fn new(path: PathBuf) -> Result<Self, PathError> {
        remove(&path)?;
        std::fs::create_dir(&path).map_err(at(&path))?;
        Ok(Self(path))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Make it the folder `to`, in place of one that may be there.
    pub fn publish(self, to: &Path) -> Result<(), PathError> {
        remove(to)?;
        std::fs::rename(&self.0, to).map_err(at(to))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next run.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn remove(folder: &Path) -> Result<(), PathError> {
    match std::fs::remove_dir_all(folder) {
        Err(reason) if reason.kind() != std::io::ErrorKind::NotFound => Err(at(folder)(reason)),
        Ok(()) | Err(_) => Ok(()),
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
