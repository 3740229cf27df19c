//! External commands: output to a log, a time limit, and the first line that says what went wrong.

use sagen_host::tool::{self, End, ToolError};
use sagen_host::{PathError, at, disk};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// An external command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It could not be started.
    #[error("cannot start {tool}: {source}\n  command: {command}")]
    Start {
        /// What it is.
        tool: &'static str,
        /// The command line.
        command: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// It failed.
    #[error("{tool} failed ({status}): {first}\n  command: {command}\n  log: {log}")]
    Failed {
        /// What it is.
        tool: &'static str,
        /// How it ended.
        status: String,
        /// Its first error line.
        first: String,
        /// The command line.
        command: String,
        /// Its whole output.
        log: PathBuf,
    },
    /// It took too long and was stopped.
    #[error("{tool} was stopped after {seconds} s\n  command: {command}\n  log: {log}")]
    Timeout {
        /// What it is.
        tool: &'static str,
        /// The limit.
        seconds: u64,
        /// The command line.
        command: String,
        /// Its output so far.
        log: PathBuf,
    },
    /// A signal ended it.
    #[error("interrupted; {tool} was stopped")]
    Interrupted {
        /// What it is.
        tool: &'static str,
    },
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] PathError),
    /// It could not be watched.
    #[error(transparent)]
    Tool(ToolError),
}

/// A command about to run.
pub(crate) struct Invocation {
    pub(crate) tool: &'static str,
    pub(crate) command: Command,
    pub(crate) log: PathBuf,
    pub(crate) timeout: Duration,
}

impl Invocation {
    /// Runs it to its end and returns its output, standard error included.
    pub(crate) fn run(mut self) -> Result<String, CommandError> {
        let (tool, shown) = (self.tool, tool::shown(&self.command));
        let end = tool::run(&mut self.command, &self.log, self.timeout, || false, |_| {});
        let end = end.map_err(|error| match error {
            ToolError::Start { reason, .. } => CommandError::Start { tool, command: shown.clone(), source: reason },
            other => CommandError::Tool(other),
        })?;
        let status = match end {
            End::Exited(status) => status,
            End::TimeUp => {
                let seconds = self.timeout.as_secs();
                return Err(CommandError::Timeout { tool, seconds, command: shown, log: self.log });
            }
            End::Interrupted => return Err(CommandError::Interrupted { tool }),
        };
        let bytes = std::fs::read(&self.log).map_err(at(&self.log))?;
        let output = String::from_utf8_lossy(&bytes).into_owned();
        if status.success() {
            return Ok(output);
        }
        let (status, first) = (status.to_string(), cause(&output, &self.log));
        Err(CommandError::Failed { tool, status, first, command: shown, log: self.log })
    }
}

/// The line of a tool's output that names the cause: the first error; else the first warning, since Verilator counts
/// those as fatal; else the last line.
pub fn first_error(output: &str) -> &str {
    let error = |line: &str| {
        let summary = line.starts_with("%Error: Exiting due to");
        let linker = line.contains("undefined reference") || line.contains("ld: ");
        !summary && (line.starts_with("%Error") || line.contains("error:") || linker)
    };
    let warning = |line: &str| line.starts_with("%Warning");
    tool::cause(output, &[error, warning]).unwrap_or("it printed nothing")
}

/// The full disk, or the first error; a tool that said nothing may have had no room for it.
fn cause(output: &str, log: &Path) -> String {
    let folder = log.parent().unwrap_or(log);
    if let Some(full) = disk::full(output, folder) {
        return full;
    }
    match disk::free(folder) {
        Ok(free) if output.trim().is_empty() => {
            let free = free >> 20;
            format!("it printed nothing; {free} MiB are free in {}", folder.display())
        }
        Ok(_) | Err(_) => first_error(output).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandError, Invocation, first_error};
    use std::process::Command;
    use std::time::{Duration, Instant};

    fn invocation(script: &str, timeout: Duration) -> Invocation {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let log = tempfile::tempdir().unwrap().keep().join("log");
        Invocation { tool: "sh", command, log, timeout }
    }

    #[test]
    fn a_command_that_hangs_is_stopped_and_its_output_kept() {
        let start = Instant::now();
        let e = invocation("echo begun; exec sleep 60", Duration::from_secs(1)).run().unwrap_err();
        assert!(start.elapsed() < Duration::from_secs(20));
        let CommandError::Timeout { log, seconds: 1, .. } = e else { panic!("{e}") };
        assert_eq!(std::fs::read_to_string(log).unwrap(), "begun\n");
    }

    #[test]
    fn a_command_that_fails_in_silence_says_how_much_disk_is_free() {
        let e = invocation("exit 3", Duration::from_secs(60)).run().unwrap_err();
        let text = e.to_string();
        assert!(text.starts_with("sh failed (exit status: 3): it printed nothing; "), "{text}");
        assert!(text.contains(" MiB are free in "), "{text}");
    }

    #[test]
    fn the_first_error_is_the_cause_not_the_summary() {
        let log = "%Warning-WIDTH: a.v:1: x\n%Error: a.v:3:9: syntax error\n%Error: Exiting due to 1 error(s)\n";
        assert_eq!(first_error(log), "%Error: a.v:3:9: syntax error");
    }

    #[test]
    fn a_fatal_warning_is_shown_when_there_is_no_error() {
        let log = "%Warning-WIDTH: a.v:1: x\n        : ...\n%Error: Exiting due to 1 warning(s)\n";
        assert_eq!(first_error(log), "%Warning-WIDTH: a.v:1: x");
    }
}
