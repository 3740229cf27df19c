//! Files that a person asked for: written beside, then renamed, so that nothing half-written is left.

use anyhow::{Context, Result, ensure};
use std::io::Write;
use std::path::Path;
use tempfile::NamedTempFile;

/// Refuse a path that cannot be written, before anything has run; `option` is the one that named it.
pub(crate) fn check(option: &str, path: &Path) -> Result<()> {
    ensure!(!path.is_dir(), "{option} {} is a folder; a file is needed", path.display());
    beside(path).with_context(|| format!("{option} {}", path.display())).map(|_| ())
}

/// Write a whole file.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let mut file = beside(path).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)?;
    file.persist(path).with_context(failed)?;
    Ok(())
}

fn beside(path: &Path) -> Result<NamedTempFile> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    NamedTempFile::new_in(folder).with_context(|| format!("cannot write into {}", folder.display()))
}
