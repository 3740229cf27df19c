//! One Vivado run, watched through its logs.

use sagen_host::tool::{self, End, ToolError};
use sagen_host::{PathError, at};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A run to be made.
pub struct Run<'a> {
    /// The program.
    pub vivado: &'a Path,
    /// The folder with `build.tcl`.
    pub folder: &'a Path,
    /// Folder of results.
    pub work: &'a Path,
    /// Last stage, as `build.tcl` names it.
    pub until: &'a str,
    /// Further arguments of `build.tcl`.
    pub arguments: Vec<String>,
    /// When to give up.
    pub limit: Duration,
}

/// Where a run is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The flow's stage.
    pub stage: String,
    /// What Vivado itself last said it was doing.
    pub phase: String,
}

/// Why a run did not end well.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The file system refused.
    #[error(transparent)]
    Io(#[from] PathError),
    /// It could not be started or watched.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// Vivado ended with an error.
    #[error("{first}; command: {command}; log: {log}")]
    Failed {
        /// First error line.
        first: String,
        /// Command.
        command: String,
        /// Log.
        log: String,
    },
    /// Its time is up.
    #[error(
        "Vivado was ended after {limit}{place}; command: {command}; log: {log}; finished stages are kept, a longer limit is --timeout-hours"
    )]
    TimeUp {
        /// Limit, with its unit.
        limit: String,
        /// Where it was, after a comma; empty where Vivado had said nothing.
        place: String,
        /// Command.
        command: String,
        /// Log.
        log: String,
    },
    /// A program that cannot be started.
    #[error("{program}: cannot be run: {reason}; give the path of `vivado` or of the folder that holds bin/vivado")]
    Start {
        /// Program.
        program: String,
        /// Why.
        reason: std::io::Error,
    },
    /// It ended well without having done what was asked.
    #[error("Vivado ended well but left no finished stage {stage}; command: {command}; log: {log}")]
    NoStage {
        /// Stage asked for.
        stage: String,
        /// Command.
        command: String,
        /// Log.
        log: String,
    },
    /// Ctrl-C.
    #[error("interrupted; Vivado was ended, finished stages are kept")]
    Interrupted,
}

/// How the scripts name the log of a run that failed.
const RUN_LOG: &str = "; its log is ";
/// How often the logs are read: they grow to megabytes.
const READ_PERIOD: Duration = Duration::from_secs(1);

impl Run<'_> {
    /// The command, as one would type it in the folder.
    pub fn command(&self) -> String {
        tool::shown(&self.vivado())
    }

    fn log(&self) -> PathBuf {
        self.work.join("vivado.log")
    }

    fn vivado(&self) -> Command {
        let mut command = Command::new(self.vivado);
        command.current_dir(self.folder).args(["-mode", "batch", "-notrace", "-log"]).arg(self.log());
        command.arg("-journal").arg(self.work.join("vivado.jou"));
        command.args(["-source", "build.tcl", "-tclargs", "--until", self.until]).args(&self.arguments);
        command
    }

    /// Run to the end; `watch` is called whenever something may have changed.
    pub fn execute(&self, interrupted: &AtomicBool, mut watch: impl FnMut(&Progress)) -> Result<(), RunError> {
        fs::create_dir_all(self.work).map_err(at(self.work))?;
        let console = self.work.join("console.log");
        // An earlier run's log must not be taken for this one's.
        let _ = fs::remove_file(self.log());
        let (mut progress, mut read) = (Progress::default(), Instant::now());
        let stopped = || interrupted.load(Ordering::Relaxed);
        let end = tool::run(&mut self.vivado(), &console, self.limit, stopped, |_| {
            if read.elapsed() > READ_PERIOD {
                progress.read(&console, self.work);
                read = Instant::now();
            }
            watch(&progress);
        });
        match end? {
            End::Exited(status) => self.verdict(status, &console),
            End::Interrupted => Err(RunError::Interrupted),
            End::TimeUp => {
                progress.read(&console, self.work);
                Err(self.time_up(progress, &console))
            }
        }
    }

    fn verdict(&self, status: ExitStatus, console: &Path) -> Result<(), RunError> {
        // Vivado mirrors its log on standard output, and what fails before the log is opened stands only there.
        let first = first_error(console).or_else(|| first_error(&self.log()));
        if status.success() && first.is_none() {
            return self.finished(console);
        }
        let first = first.unwrap_or_else(|| format!("Vivado ended with {status} and no line `ERROR:`"));
        // A run of the project has a log of its own, which holds the cause.
        let cause =
            first.split_once(RUN_LOG).and_then(|(_, log)| Some((first_error(Path::new(log))?, log.to_string())));
        let (first, log) = cause.unwrap_or_else(|| (first.clone(), self.log_at(console)));
        Err(RunError::Failed { first, command: self.command(), log })
    }

    /// The scripts leave a stamp with the name of the results for each stage.
    fn finished(&self, console: &Path) -> Result<(), RunError> {
        let stamp = fs::read_to_string(self.work.join("stamps").join(self.until)).unwrap_or_default();
        let name = self.work.file_name().map(|n| n.to_string_lossy());
        if name.is_some_and(|n| n == stamp.trim()) {
            return Ok(());
        }
        let stage = self.until.to_string();
        Err(RunError::NoStage { stage, command: self.command(), log: self.log_at(console) })
    }

    fn log_at(&self, console: &Path) -> String {
        let log = self.log();
        if log.is_file() { log } else { console.to_path_buf() }.display().to_string()
    }

    fn time_up(&self, progress: Progress, console: &Path) -> RunError {
        RunError::TimeUp {
            limit: duration(self.limit),
            place: progress.place(),
            command: self.command(),
            log: self.log_at(console),
        }
    }
}

/// A duration in the unit that suits it.
fn duration(limit: Duration) -> String {
    let seconds = limit.as_secs_f64();
    let two_places = |value: f64| (100.0 * value).round() / 100.0;
    if seconds < 3600.0 { format!("{} s", two_places(seconds)) } else { format!("{} h", two_places(seconds / 3600.0)) }
}

fn lines(path: &Path) -> impl Iterator<Item = String> {
    let file = File::open(path).ok();
    file.into_iter()
        .flat_map(|f| BufReader::new(f).split(b'\n').map_while(Result::ok))
        .map(|l| String::from_utf8_lossy(&l).trim_end().to_string())
}

/// The first line that begins with `ERROR:`.
pub fn first_error(log: &Path) -> Option<String> {
    lines(log).find(|l| l.starts_with("ERROR:"))
}

impl Progress {
    fn place(&self) -> String {
        match (self.stage.as_str(), self.phase.as_str()) {
            ("", "") => String::new(),
            ("", phase) => format!(", in {phase}"),
            (stage, "") => format!(", in stage {stage}"),
            (stage, phase) => format!(", in stage {stage} ({phase})"),
        }
    }

    fn read(&mut self, console: &Path, work: &Path) {
        for line in lines(console) {
            if let Some(rest) = line.strip_prefix("sagen: stage ") {
                self.stage = rest.to_string();
            }
            self.note(&line);
        }
        if let Some(log) = newest_run_log(work) {
            lines(&log).for_each(|l| self.note(&l));
        }
    }

    fn note(&mut self, line: &str) {
        let phase = line.trim_start();
        if phase.starts_with("Phase ") || phase.starts_with("Starting ") {
            self.phase = phase.split(" | ").next().unwrap_or(phase).to_string();
        }
    }
}

/// Synthesis and implementation run in processes of their own, with logs of their own.
fn newest_run_log(work: &Path) -> Option<PathBuf> {
    let runs = fs::read_dir(work.join("project/system.runs")).ok()?.flatten();
    let logs = runs.map(|r| r.path().join("runme.log"));
    logs.filter_map(|l| Some((l.metadata().ok()?.modified().ok()?, l))).max().map(|(_, log)| log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_and_a_place_are_said_in_few_words() {
        for (hours, said) in [(0.0001, "0.36 s"), (0.5, "1800 s"), (1.0, "1 h"), (12.25, "12.25 h")] {
            assert_eq!(duration(Duration::from_secs_f64(3600.0 * hours)), said);
        }
        assert_eq!(Progress::default().place(), "");
        let progress = Progress { stage: "synth: started".to_string(), phase: String::new() };
        assert_eq!(progress.place(), ", in stage synth: started");
    }
}
