//! Room on a disk, and whether the lack of it is what went wrong.

use nix::sys::statvfs::statvfs;
use std::path::Path;

/// Less than this is none: a file system keeps some blocks to itself.
const NONE: u64 = 64 << 10;
/// What programs print of a disk that takes no more.
const SAID: [&str; 3] = ["No space left on device", "Disk quota exceeded", "Errno 28"];

/// Bytes that may still be written where a folder is.
pub fn free(folder: &Path) -> std::io::Result<u64> {
    let existing = folder.ancestors().find(|f| f.exists()).unwrap_or(Path::new("/"));
    let found = statvfs(existing)?;
    Ok(found.blocks_available() * found.fragment_size())
}

/// The disk as the cause, where a program that wrote into `folder` failed by it.
pub fn full(output: &str, folder: &Path) -> Option<String> {
    let said = output.lines().any(|line| SAID.iter().any(|text| line.contains(text)));
    let left = free(folder).ok()?;
    (said || left < NONE).then(|| format!("the disk is full: {} MiB are free in {}", left >> 20, folder.display()))
}

#[cfg(test)]
mod tests {
    use super::{free, full};
    use std::path::Path;

    #[test]
    fn a_full_disk_is_recognised_by_what_a_program_said() {
        let here = Path::new(".");
        assert!(free(here).unwrap() > 0);
        assert_eq!(full("ERROR: Exception:\nTraceback\n", here), None);
        let said = full("ERROR: Exception:\nOSError: [Errno 28] No space left on device\n", here).unwrap();
        assert!(said.starts_with("the disk is full: ") && said.ends_with(" MiB are free in ."), "{said}");
    }
}
