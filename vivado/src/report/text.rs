//! A report as lines, and errors that name file, line, what was expected and what was found.

use serde::de::DeserializeOwned;
use std::path::Path;

/// Why a report cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// No such folder.
    #[error("{path}: no such folder")]
    NoFolder {
        /// Path.
        path: String,
    },
    /// A file where a folder is expected.
    #[error("{path}: this is a file; the folder that holds the reports is expected")]
    NotFolder {
        /// Path.
        path: String,
    },
    /// A build folder without results.
    #[error(
        "{path}: no reports of this build ({key}); run `sagen vivado` first, results of earlier sources are not read"
    )]
    NotBuilt {
        /// Build folder.
        path: String,
        /// Name of the results.
        key: String,
    },
    /// A file that is missing or cannot be read.
    #[error("{path}: {reason}")]
    Missing {
        /// Path.
        path: String,
        /// Why.
        reason: String,
    },
    /// A text that is not what Vivado writes.
    #[error("{path}:{line}: expected {expected}, found {found}")]
    Parse {
        /// Path.
        path: String,
        /// Line, from 1.
        line: usize,
        /// What should be there.
        expected: String,
        /// What is there.
        found: String,
    },
}

/// A file of lines.
pub(crate) struct Text {
    path: String,
    lines: Vec<String>,
    ended: bool,
}

impl Text {
    /// Read a file; an empty one counts as missing.
    pub(crate) fn open(path: &Path) -> Result<Self, ReportError> {
        let name = path.display().to_string();
        let missing = |reason: String| ReportError::Missing { path: name.clone(), reason };
        let bytes = std::fs::read(path).map_err(|e| missing(e.to_string()))?;
        let text = String::from_utf8_lossy(&bytes);
        if text.trim().is_empty() {
            return Err(missing("the file is empty".to_string()));
        }
        Ok(Self { lines: text.lines().map(str::to_string).collect(), ended: text.ends_with('\n'), path: name })
    }

    /// Whether the last line is whole.
    pub(crate) fn ended(&self) -> Result<(), ReportError> {
        let last = self.lines.len().saturating_sub(1);
        if self.ended { Ok(()) } else { Err(self.fault(last, "a whole line with its end")) }
    }

    /// Lines with their indices.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines.iter().map(String::as_str).enumerate()
    }

    /// The first line from `start` on that `wanted` accepts.
    pub(crate) fn find(
        &self,
        start: usize,
        expected: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<(usize, &str), ReportError> {
        let found = self.lines().skip(start).find(|(_, l)| wanted(l));
        found.ok_or_else(|| self.fault(self.lines.len(), expected))
    }

    /// A line, empty after the end.
    pub(crate) fn line(&self, index: usize) -> &str {
        self.lines.get(index).map_or("", String::as_str)
    }

    /// The first character of a line, blank where there is none.
    pub(crate) fn first(&self, index: usize) -> char {
        self.line(index).chars().next().unwrap_or(' ')
    }

    /// The value behind `| name :` in the head of the report.
    pub(crate) fn head(&self, name: &str) -> Result<&str, ReportError> {
        let value = |l: &str| {
            let (key, value) = l.strip_prefix('|')?.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_string())
        };
        let (_, line) = self.find(0, &format!("a line `| {name} : ...`"), |l| value(l).is_some())?;
        Ok(line.split_once(':').map_or("", |(_, v)| v.trim()))
    }

    /// A number at a line.
    pub(crate) fn number<T: std::str::FromStr>(&self, index: usize, what: &str, word: &str) -> Result<T, ReportError> {
        word.parse().map_err(|_| ReportError::Parse {
            path: self.path.clone(),
            line: index + 1,
            expected: format!("a number for {what}"),
            found: format!("`{word}`"),
        })
    }

    /// An error at a line.
    pub(crate) fn fault(&self, index: usize, expected: &str) -> ReportError {
        let found = match self.lines.get(index) {
            Some(line) => format!("`{}`", line.trim()),
            None => "the end of the file".to_string(),
        };
        ReportError::Parse {
            path: self.path.clone(),
            line: index.min(self.lines.len().saturating_sub(1)) + 1,
            expected: expected.to_string(),
            found,
        }
    }
}

/// A JSON file.
pub(crate) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, ReportError> {
    let missing = |reason: String| ReportError::Missing { path: path.display().to_string(), reason };
    let text = std::fs::read_to_string(path).map_err(|e| missing(e.to_string()))?;
    serde_json::from_str(&text).map_err(|e| missing(e.to_string()))
}
