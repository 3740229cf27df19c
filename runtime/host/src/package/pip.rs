//! Downloads a wheel by the user's own pip, so that their mirrors, proxies and credentials apply.

use super::{Package, PackageError};
use crate::disk;
use crate::progress::Progress;
use crate::tool::{self, End};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How pip is run.
#[derive(Debug)]
pub(super) struct Pip {
    /// Program and leading arguments.
    pub(super) python: Vec<OsString>,
    /// pip is stopped when it receives nothing for this long.
    pub(super) patience: Duration,
}

impl Default for Pip {
    fn default() -> Self {
        Self { python: vec!["python3".into()], patience: Duration::from_secs(120) }
    }
}

impl Pip {
    /// Downloads into the folder `scratch` and returns the wheel. Nothing is written elsewhere, but for pip's own cache.
    pub(super) fn download(
        &self,
        package: &Package,
        scratch: &Path,
        interrupted: &AtomicBool,
    ) -> Result<PathBuf, PackageError> {
        let mut command = Command::new(&self.python[0]);
        command.args(&self.python[1..]).args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:"]);
        command.arg(package.requirement());
        let shown = tool::shown(&command);
        command.args(["--no-input", "-d"]).arg(scratch);
        // pip downloads into its temporary folder first: there the progress is to be seen, and it is removed with the rest.
        command.env("TMPDIR", scratch).env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env("PIP_PROGRESS_BAR", "off");
        let log = scratch.join("pip.log");
        let bar = Progress::bytes(package.wheel_size, format!("downloading {}", package.requirement()));
        let mut received = 0;
        let end = tool::run(
            &mut command,
            &log,
            self.patience,
            || interrupted.load(Ordering::Relaxed),
            |deadline| {
                let size = size(scratch);
                if size != received {
                    received = size;
                    deadline.renew();
                    bar.reach(size.min(package.wheel_size));
                }
            },
        );
        match end? {
            End::Exited(status) if status.success() => wheel(package, scratch),
            End::Exited(status) => {
                let log = std::fs::read(&log).map_err(PackageError::io("read", &log))?;
                let reason = reason(&String::from_utf8_lossy(&log), scratch, status);
                Err(PackageError::Pip { command: shown, reason })
            }
            End::TimeUp => Err(PackageError::Stalled { command: shown, seconds: self.patience.as_secs() }),
            End::Interrupted => Err(PackageError::Interrupted),
        }
    }
}

/// The full disk, pip's first line of error that says something, or else its last line.
fn reason(log: &str, scratch: &Path, status: ExitStatus) -> String {
    let says = |line: &str| line.starts_with("ERROR") && !line.starts_with("ERROR: Exception:");
    let line = || tool::cause(log, &[says]).map(|line| line.trim().to_owned());
    disk::full(log, scratch).or_else(line).unwrap_or_else(|| status.to_string())
}

/// Bytes in all files below a folder; files that vanish meanwhile count nothing.
fn size(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(kind) if kind.is_dir() => size(&entry.path()),
        Ok(kind) => kind.len(),
        Err(_) => 0,
    };
    entries.flatten().map(size).sum()
}

fn wheel(package: &Package, scratch: &Path) -> Result<PathBuf, PackageError> {
    let entries = std::fs::read_dir(scratch).map_err(PackageError::io("read", scratch))?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let mut wheels: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_wheel).collect();
    match (wheels.pop(), wheels.len()) {
        (Some(wheel), 0) => Ok(wheel),
        (found, rest) => {
            let found = rest + usize::from(found.is_some());
            Err(PackageError::Wheels { package: package.requirement(), found })
        }
    }
}
