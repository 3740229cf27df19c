//! How a command of the product speaks and ends: silently, or with one line that says what is wrong.

use crate::interrupt;
use clap::Parser;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Characters of a line of an error that are shown: a command line may be long.
const LINE: usize = 4000;

/// Standard output takes no more.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// The reader has seen enough, which is no failure: the command ends in silence.
    #[error("the reader of standard output has gone")]
    Gone,
    /// It cannot be written.
    #[error("cannot write standard output: {0}")]
    Failed(io::Error),
}

impl From<io::Error> for PrintError {
    fn from(reason: io::Error) -> Self {
        if reason.kind() == ErrorKind::BrokenPipe { Self::Gone } else { Self::Failed(reason) }
    }
}

/// Print a text on standard output, all of it now.
pub fn print(text: &str) -> Result<(), PrintError> {
    let mut out = io::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}

/// Where a command's text for people goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Voice {
    /// Standard output.
    #[default]
    Output,
    /// Standard error, since standard output carries something else.
    Error,
}

impl Voice {
    /// Print a text.
    pub fn print(self, text: &str) -> Result<(), PrintError> {
        match self {
            Self::Output => print(text),
            Self::Error => {
                complain(text.strip_suffix('\n').unwrap_or(text));
                Ok(())
            }
        }
    }
}

/// Print a line to standard error, where it can be written.
pub fn complain(line: &str) {
    // There is nowhere left to say that this failed.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Run a command: its arguments, its errors on one line of standard error, its exit code.
pub fn run<A: Parser>(execute: impl FnOnce(A) -> anyhow::Result<()>) -> ExitCode {
    match A::try_parse() {
        Ok(arguments) => exit(interrupt::watch().map_err(Into::into).and_then(|()| execute(arguments))),
        Err(help_or_error) => {
            let code = help_or_error.exit_code();
            let printed = help_or_error.print().and_then(|()| io::stdout().flush()).map_err(PrintError::from);
            match printed {
                Ok(()) => ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)),
                Err(error) => exit(Err(error.into())),
            }
        }
    }
}

/// Print an error with its causes on one line of standard error.
fn exit(result: anyhow::Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    if error.chain().any(|cause| matches!(cause.downcast_ref(), Some(PrintError::Gone))) {
        return ExitCode::SUCCESS;
    }
    complain(&format!("Error: {}", plain(&told(&error))));
    interrupt::exit_code().map_or(ExitCode::FAILURE, ExitCode::from)
}

/// An error with its causes, none of which is told twice.
fn told(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if !text.contains(&cause) {
            text += if text.is_empty() { "" } else { ": " };
            text += &cause;
        }
    }
    text
}

/// Lines of an error that hold what a user wrote must not command the terminal, nor fill it.
fn plain(text: &str) -> String {
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    let line = |line: &str| {
        let shown: String = line.chars().take(LINE).map(escape).collect();
        if line.chars().nth(LINE).is_some() { shown + "..." } else { shown }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{plain, told};
    use anyhow::anyhow;

    #[test]
    fn a_cause_is_told_once_and_nothing_of_it_commands_the_terminal() {
        let error = anyhow!("no such file").context("x: no such file").context("reading");
        assert_eq!(told(&error), "reading: x: no such file");
        assert_eq!(plain("a\u{1b}[31m\tb\nc"), "a\\u{1b}[31m\\tb\nc");
        assert!(plain(&"x".repeat(1_000_000)).len() < 10_000);
    }
}
