//! Files of the cache whose size and hash stand in their first line, so that a damaged one is seen before it is used.

use crate::files::{self, FileError};
use crate::{cache, digest, outcome};
use std::io::ErrorKind;
use std::path::Path;

/// How the first line begins.
const MARK: &str = "sagen-sealed";

/// The contents of a sealed file. Nothing where there is none; one that is damaged is named on standard error, and its
/// place is made free for what `made_again` makes.
pub fn read(path: &Path, made_again: &str) -> Option<Vec<u8>> {
    match open(path) {
        Ok(contents) => {
            cache::used(path);
            Some(contents)
        }
        Err(Fault::Absent) => None,
        Err(Fault::Damaged(reason)) => {
            damaged(path, &reason, made_again);
            None
        }
    }
}

/// Say that something in the cache cannot be used, and remove it.
pub fn damaged(path: &Path, reason: &str, made_again: &str) {
    outcome::complain(&format!("cache: {}: {reason}; {made_again}", path.display()));
    // What cannot be removed is not replaced either, and that says why.
    let _ = cache::remove(path);
}

/// Whether a sealed file is as it was written; nothing where there is none.
pub fn fault(path: &Path) -> Option<String> {
    match open(path) {
        Err(Fault::Damaged(reason)) => Some(reason),
        Ok(_) | Err(Fault::Absent) => None,
    }
}

/// Write a sealed file.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), FileError> {
    let mut sealed = format!("{MARK} {} {}\n", contents.len(), digest::of(contents)).into_bytes();
    sealed.extend_from_slice(contents);
    files::write_bytes(path, &sealed)
}

enum Fault {
    Absent,
    Damaged(String),
}

fn open(path: &Path) -> Result<Vec<u8>, Fault> {
    let damaged = |reason: &str| Fault::Damaged(reason.to_owned());
    let mut bytes = std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Fault::Absent,
        _ => Fault::Damaged(error.to_string()),
    })?;
    let end = bytes.iter().position(|b| *b == b'\n').ok_or_else(|| damaged("has no seal"))?;
    let head = std::str::from_utf8(&bytes[..end]).map_err(|_| damaged("has no seal"))?;
    let words: Vec<&str> = head.split(' ').collect();
    let &[MARK, size, hash] = words.as_slice() else { return Err(damaged("has no seal")) };
    let (size, hash) = (size.to_owned(), hash.to_owned());
    let contents = bytes.split_off(end + 1);
    if contents.len().to_string() != size {
        return Err(Fault::Damaged(format!("has {} bytes, {size} were written", contents.len())));
    }
    if digest::of(&contents) != hash {
        return Err(damaged("is not what was written: its hash differs"));
    }
    Ok(contents)
}

#[cfg(test)]
mod tests {
    use super::{fault, read, write};

    #[test]
    fn only_what_was_written_is_read_and_anything_else_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        let contents = b"{\"a\": [1, 2, 3]}\n";
        assert_eq!(read(&path, "made again"), None);
        write(&path, contents).unwrap();
        assert_eq!(read(&path, "made again").as_deref(), Some(&contents[..]));
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            for damage in [&flipped[..], &whole[..at]] {
                std::fs::write(&path, damage).unwrap();
                assert!(fault(&path).is_some());
                assert_eq!(read(&path, "made again"), None, "{at}");
                assert!(!path.exists());
            }
        }
        std::fs::create_dir_all(path.join("a folder")).unwrap();
        assert_eq!(read(&path, "made again"), None);
        write(&path, contents).unwrap();
        assert_eq!(read(&path, "made again").as_deref(), Some(&contents[..]));
    }
}
