//! The table of model families. A new family is a file beside this one and a row here.

use super::{ModelConfig, ModelError, TensorName, llama};
use crate::weights::gguf::GgufFile;

/// How one family's checkpoints are read.
#[derive(Debug)]
pub struct Family {
    /// Name shown to the user.
    pub name: &'static str,
    /// `general.architecture` of its GGUF files.
    pub gguf_architecture: &'static str,
    /// `architectures[0]` of its `config.json`.
    pub hf_architecture: &'static str,
    pub(crate) from_gguf: fn(&GgufFile) -> Result<ModelConfig, ModelError>,
    pub(crate) from_hf: fn(&str) -> Result<ModelConfig, ModelError>,
    pub(crate) gguf_name: fn(TensorName) -> String,
    pub(crate) hf_name: fn(TensorName) -> String,
    /// Tensors of a GGUF file that `from_gguf` has already used.
    pub(crate) gguf_metadata_tensors: &'static [&'static str],
}

/// Every family that can be run.
pub static FAMILIES: &[Family] = &[llama::FAMILY];

impl Family {
    pub(crate) fn of_gguf(architecture: &str) -> Result<&'static Self, ModelError> {
        Self::find(architecture, |family| family.gguf_architecture)
    }

    pub(crate) fn of_hf(architecture: &str) -> Result<&'static Self, ModelError> {
        Self::find(architecture, |family| family.hf_architecture)
    }

    fn find(architecture: &str, key: fn(&Self) -> &'static str) -> Result<&'static Self, ModelError> {
        FAMILIES.iter().find(|family| key(family) == architecture).ok_or_else(|| ModelError::UnknownArchitecture {
            found: architecture.to_owned(),
            supported: FAMILIES.iter().map(key).collect::<Vec<_>>().join(", "),
        })
    }
}
