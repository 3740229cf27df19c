//! What lint may not complain about: names that are unread on purpose, in a file of their own for Verilator.

use std::fmt::Write;

/// Name of the file.
pub const WAIVERS: &str = "lint.vlt";

/// A rule of Verilator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    UnusedSignal,
    UnusedParam,
}

/// Names of one module that a rule passes over.
#[derive(Clone, Debug, Default)]
pub(super) struct Waivers(Vec<(Rule, String)>);

impl Waivers {
    pub(super) fn add(&mut self, rule: Rule, name: &str) {
        self.0.push((rule, name.into()));
    }

    /// The lines for a file.
    pub(super) fn lines(&self, path: &str) -> String {
        self.0.iter().fold(String::new(), |mut text, (rule, name)| {
            let rule = match rule {
                Rule::UnusedSignal => "UNUSEDSIGNAL",
                Rule::UnusedParam => "UNUSEDPARAM",
            };
            let _ = writeln!(text, "lint_off -rule {rule} -file \"*{path}\" -match \"*'{name}'*\"");
            text
        })
    }
}

/// The lines that pass over a file from elsewhere. It may lack the time scale that ours have, which is a fault of no file
/// alone: Verilator knows no file for that rule.
pub(super) fn foreign(path: &str) -> String {
    format!("lint_off -rule TIMESCALEMOD\nlint_off -file \"*{path}\"\n")
}
