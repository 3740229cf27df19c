//! Downloads a wheel by the user's own pip, so that their mirrors, proxies and credentials apply.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::model::Source;
use super::{RegistryError, progress};

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
        source: &Source,
        scratch: &Path,
        interrupted: &AtomicBool,
    ) -> Result<PathBuf, RegistryError> {
        let pip = ["-m", "pip", "download", "--no-deps", "--only-binary=:all:"].map(OsString::from);
        let words: Vec<OsString> =
            self.python.iter().cloned().chain(pip).chain([source.requirement().into()]).collect();
        let command = words.join(" ".as_ref()).to_string_lossy().into_owned();
        let log = scratch.join("pip.log");
        let mut child = Running(start(&words, scratch, &log)?);
        let status = self.wait(&mut child.0, source, scratch, &command, interrupted)?;
        if !status.success() {
            let log = std::fs::read(&log).map_err(RegistryError::io("read", &log))?;
            let reason = reason(&String::from_utf8_lossy(&log), status);
            return Err(RegistryError::Pip { command, reason });
        }
        wheel(source, scratch)
    }

    fn wait(
        &self,
        child: &mut Child,
        source: &Source,
        scratch: &Path,
        command: &str,
        interrupted: &AtomicBool,
    ) -> Result<ExitStatus, RegistryError> {
        let bar = progress::bar(source.wheel_size, format!("downloading {}", source.requirement()));
        let (mut received, mut last) = (0, Instant::now());
        loop {
            if interrupted.load(Ordering::Relaxed) {
                return Err(RegistryError::Interrupted);
            }
            if let Some(status) = child.try_wait().map_err(RegistryError::io("wait for pip in", scratch))? {
                bar.finish_and_clear();
                return Ok(status);
            }
            let size = size(scratch);
            if size != received {
                (received, last) = (size, Instant::now());
                bar.set_position(size.min(source.wheel_size));
            }
            if last.elapsed() > self.patience {
                return Err(RegistryError::Stalled { command: command.to_owned(), seconds: self.patience.as_secs() });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// A child that does not outlive this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only if the child has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(words: &[OsString], scratch: &Path, log: &Path) -> Result<Child, RegistryError> {
    let output = File::create(log).map_err(RegistryError::io("create", log))?;
    let errors = output.try_clone().map_err(RegistryError::io("create", log))?;
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .args(["--no-input", "-d"])
        .arg(scratch)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors);
    // pip downloads into its temporary folder first: there the progress is to be seen, and it is removed with the rest.
    command.env("TMPDIR", scratch).env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env("PIP_PROGRESS_BAR", "off");
    let no_python = |reason| RegistryError::NoPython { program: words[0].to_string_lossy().into_owned(), reason };
    command.spawn().map_err(no_python)
}

/// pip's first error line, or else its last line.
fn reason(log: &str, status: ExitStatus) -> String {
    let error = log.lines().find(|line| line.starts_with("ERROR"));
    let line = error.or_else(|| log.lines().rfind(|line| !line.trim().is_empty()));
    line.map_or_else(|| status.to_string(), |line| line.trim().to_owned())
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

fn wheel(source: &Source, scratch: &Path) -> Result<PathBuf, RegistryError> {
    let entries = std::fs::read_dir(scratch).map_err(RegistryError::io("read", scratch))?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let mut wheels: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_wheel).collect();
    match (wheels.pop(), wheels.len()) {
        (Some(wheel), 0) => Ok(wheel),
        (found, rest) => {
            let found = rest + usize::from(found.is_some());
            Err(RegistryError::Wheels { package: source.requirement(), found })
        }
    }
}
