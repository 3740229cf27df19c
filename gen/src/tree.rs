//! Finding instances in a module tree by their path from the top: `u_core/u_fetch`.

use sagen_lang::{Manifest, ModuleEntry};

/// What a description of an overlay says of its module tree and does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// Something is not there.
    #[error("{module} has no {wanted}")]
    Missing {
        /// Module.
        module: String,
        /// Instance, port or memory.
        wanted: String,
    },
    /// An instance that no row or box shows.
    #[error("instance {instance} of {module} has no place")]
    Unplaced {
        /// Instance.
        instance: String,
        /// Module that holds it.
        module: String,
    },
}

pub(crate) fn missing(module: &str, wanted: &str) -> TreeError {
    TreeError::Missing { module: module.to_string(), wanted: wanted.to_string() }
}

/// The module called `name`.
pub(crate) fn module<'a>(manifest: &'a Manifest, name: &str) -> Result<&'a ModuleEntry, TreeError> {
    manifest.modules.iter().find(|m| m.name == name).ok_or_else(|| missing("the module tree", name))
}

/// The module of an instance.
pub(crate) fn at<'a>(manifest: &'a Manifest, path: &str) -> Result<&'a ModuleEntry, TreeError> {
    path.split('/').try_fold(module(manifest, &manifest.top)?, |parent, instance| {
        let found = parent.instances.iter().find(|i| i.name == instance);
        module(manifest, &found.ok_or_else(|| missing(&parent.name, instance))?.module)
    })
}

/// Every instance of the module at a path must have a place.
pub(crate) fn complete(manifest: &Manifest, path: &str, placed: impl Fn(&str) -> bool) -> Result<(), TreeError> {
    let parent = at(manifest, path)?;
    match parent.instances.iter().find(|i| !placed(&format!("{path}/{}", i.name))) {
        None => Ok(()),
        Some(i) => Err(TreeError::Unplaced { instance: i.name.clone(), module: parent.name.clone() }),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sagen_lang::InstanceEntry;

    /// A module with instances of modules.
    pub(crate) fn entry(name: &str, instances: &[(&str, &str)]) -> ModuleEntry {
        let instance =
            |(name, module): &(&str, &str)| InstanceEntry { name: name.to_string(), module: module.to_string() };
        ModuleEntry {
            name: name.to_string(),
            hash: String::new(),
            clocked: true,
            resettable: true,
            ports: Vec::new(),
            interfaces: Vec::new(),
            memories: Vec::new(),
            instances: instances.iter().map(instance).collect(),
            black_box: None,
        }
    }

    fn tree() -> Manifest {
        let modules = vec![
            entry("fifo", &[]),
            entry("core", &[("u_a", "fifo"), ("u_b", "fifo")]),
            entry("top", &[("u_core", "core")]),
        ];
        Manifest { top: "top".to_string(), modules }
    }

    #[test]
    fn an_instance_is_found_by_its_path_and_missed_by_name() {
        assert_eq!(at(&tree(), "u_core/u_a").unwrap().name, "fifo");
        assert_eq!(at(&tree(), "u_core/u_c").unwrap_err().to_string(), "core has no u_c");
    }

    #[test]
    fn an_instance_without_a_place_is_an_error() {
        assert_eq!(complete(&tree(), "u_core", |path| path.starts_with("u_core/u_")), Ok(()));
        let error = complete(&tree(), "u_core", |path| path == "u_core/u_a").unwrap_err();
        assert_eq!(error.to_string(), "instance u_b of core has no place");
    }
}
