//! How a command of the product speaks and ends: silently, or with one line that says what is wrong.

use anyhow::Context;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Print a text. A reader that has gone away wants no more, which is no failure.
pub fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("standard output"),
        _ => Ok(()),
    }
}

/// Print a line to standard error, where it can be written.
pub fn complain(line: &str) {
    // There is nowhere left to say that this failed.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Print an error with its causes on one line of standard error.
pub fn exit(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("Error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
