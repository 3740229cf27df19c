//! How a command of the product ends: silently, or with one line that says what is wrong.

use std::process::ExitCode;

/// Print an error with its causes on one line of standard error.
pub fn exit(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
