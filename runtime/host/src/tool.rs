//! Programs of others: run with a limit, their output in a log, ended with all that they started.
//!
//! No program outlives its limit, a signal, or the process.

use crate::group::Group;
use crate::interrupt::{self, InterruptError};
use crate::path::bare;
use crate::{PathError, at, cache};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The longest pause between two looks at a program; the first ones are shorter.
const PERIOD: Duration = Duration::from_millis(50);

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It was ended, its time being up.
    TimeUp,
    /// It was ended, since nobody waits for it any more.
    Interrupted,
}

/// A program could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It cannot be started.
    #[error("{program}: {reason}")]
    Start {
        /// Program.
        program: String,
        /// Why.
        reason: std::io::Error,
    },
    /// It cannot be waited for.
    #[error("{program}: cannot be waited for: {reason}")]
    Wait {
        /// Program.
        program: String,
        /// Why.
        reason: std::io::Error,
    },
    /// Its output has no place.
    #[error(transparent)]
    Log(#[from] PathError),
    /// There is nowhere to put what it prints.
    #[error("no file can be made in the temporary folder {folder}: {reason}; TMPDIR names another one", folder = folder.display())]
    Temporary {
        /// Folder.
        folder: PathBuf,
        /// Why.
        reason: std::io::Error,
    },
    /// It could not be ended with this process.
    #[error(transparent)]
    Interrupt(#[from] InterruptError),
}

/// When a wait ends.
#[derive(Debug)]
pub struct Deadline {
    limit: Duration,
    since: Instant,
}

impl Deadline {
    /// So much time from now.
    pub fn after(limit: Duration) -> Self {
        Self { limit, since: Instant::now() }
    }

    /// The limit counts from now: there was a sign of life.
    pub fn renew(&mut self) {
        self.since = Instant::now();
    }

    /// Whether the time is up.
    pub fn passed(&self) -> bool {
        self.since.elapsed() > self.limit
    }
}

/// Run a program to its end, all its output into `log`. It is ended early when `limit` has passed, on a signal, and
/// when `stopped` says so. `watch` is called every now and then, and may prolong the time.
pub fn run(
    command: &mut Command,
    log: &Path,
    limit: Duration,
    stopped: impl Fn() -> bool,
    watch: impl FnMut(&mut Deadline),
) -> Result<End, ToolError> {
    if log.is_dir() {
        cache::remove(log)?;
    }
    let output = File::create(log).map_err(at(log))?;
    let errors = output.try_clone().map_err(at(log))?;
    command.stdout(output).stderr(errors);
    wait(command, limit, stopped, watch)
}

/// Run a program and return what it printed on standard output, however it ended.
pub fn ask(command: &mut Command, limit: Duration, stopped: impl Fn() -> bool) -> Result<(End, String), ToolError> {
    // A file and not a pipe: one that is full, or held open by somebody else, cannot stop us.
    let (folder, mut output) = temporary()?;
    command.stdout(output.try_clone().map_err(at(&folder))?).stderr(Stdio::null());
    let end = wait(command, limit, stopped, |_| {})?;
    let mut bytes = Vec::new();
    output.rewind().and_then(|()| output.read_to_end(&mut bytes)).map_err(at(&folder))?;
    Ok((end, String::from_utf8_lossy(&bytes).into_owned()))
}

/// The folder for temporary files, and one in it that has no name.
pub fn temporary() -> Result<(PathBuf, File), ToolError> {
    let folder = std::env::temp_dir();
    match tempfile::tempfile_in(&folder) {
        Ok(file) => Ok((folder, file)),
        Err(reason) => Err(ToolError::Temporary { folder, reason: bare(reason) }),
    }
}

fn wait(
    command: &mut Command,
    limit: Duration,
    stopped: impl Fn() -> bool,
    mut watch: impl FnMut(&mut Deadline),
) -> Result<End, ToolError> {
    let _listening = interrupt::listen()?;
    let program = word(command.get_program());
    let mut group = match Group::spawn(command.stdin(Stdio::null())) {
        Ok(group) => group,
        Err(reason) => return Err(ToolError::Start { program, reason }),
    };
    let (mut deadline, mut pause) = (Deadline::after(limit), Duration::from_millis(1));
    let end = loop {
        if let Some(status) = group.ended().map_err(|reason| ToolError::Wait { program: program.clone(), reason })? {
            // What it left running goes with `group`.
            return Ok(End::Exited(status));
        }
        watch(&mut deadline);
        if interrupt::raised() || stopped() {
            break End::Interrupted;
        }
        if deadline.passed() {
            break End::TimeUp;
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(PERIOD);
    };
    group.end();
    Ok(end)
}

/// The command as one would type it.
pub fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    if let Some(folder) = command.get_current_dir() {
        words.extend(["cd".to_owned(), word(folder.as_os_str()), "&&".to_owned()]);
    }
    for (name, value) in command.get_envs() {
        words.extend(value.map(|value| format!("{}={}", word(name), word(value))));
    }
    words.push(word(command.get_program()));
    words.extend(command.get_args().map(word));
    words.join(" ")
}

fn word(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

/// The line that says what went wrong: the first that the first rule knows, else the next; without any, the last line.
/// Nothing where there is only white space.
pub fn cause<'a>(output: &'a str, rules: &[fn(&str) -> bool]) -> Option<&'a str> {
    let first = |is_cause: &fn(&str) -> bool| output.lines().find(|line| is_cause(line));
    rules.iter().find_map(first).or_else(|| output.lines().rfind(|line| !line.trim().is_empty()))
}

/// The first file of this name on PATH.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests;
