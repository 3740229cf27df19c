//! [`Checkpoint`]: a checked model description plus lazy access to its tensors, whatever the file format.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::gguf::GgufFile;
use super::{HuggingFaceDir, Matrix, WeightsError, random};
use crate::model::{Family, ModelConfig, ModelError, TensorName};

/// Far above every trained weight; keeps products of a few weights within f32.
const LARGEST_WEIGHT: f32 = 1e9;

/// An open checkpoint whose tensors are all there and of the right shape.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    config: ModelConfig,
    source: Source,
}

#[derive(Debug)]
pub(crate) enum Source {
    Gguf(GgufFile, &'static Family),
    HuggingFace(HuggingFaceDir, &'static Family),
    Random(u64),
}

impl Checkpoint {
    /// Opens a GGUF file or a Hugging Face directory.
    pub fn open(path: &Path) -> Result<Self, WeightsError> {
        let kind = std::fs::metadata(path).map_err(|reason| WeightsError::Io { path: path.to_owned(), reason })?;
        let checkpoint = if kind.is_dir() { Self::open_directory(path)? } else { Self::open_gguf(path)? };
        checkpoint.check_tensors()?;
        Ok(checkpoint)
    }

    /// Random weights in the shape of `config`: the same for the same seed, made when asked for.
    ///
    /// Gains are near one and projections keep the variance of their input, so activations stay in the usual range.
    pub fn random(config: ModelConfig, seed: u64) -> Result<Self, ModelError> {
        config.check()?;
        Ok(Self { path: PathBuf::from("random weights"), config, source: Source::Random(seed) })
    }

    fn open_gguf(path: &Path) -> Result<Self, WeightsError> {
        let file = GgufFile::open(path)
            .map_err(|reason| WeightsError::Gguf { path: path.to_owned(), reason: Box::new(reason) })?;
        let read = || {
            let family = Family::of_gguf(file.metadata().text("general.architecture")?)?;
            let config = (family.from_gguf)(&file)?;
            config.check()?;
            Ok((family, config))
        };
        let (family, config) =
            read().map_err(|reason| WeightsError::Model { path: path.to_owned(), reason: Box::new(reason) })?;
        Ok(Self { path: path.to_owned(), config, source: Source::Gguf(file, family) })
    }

    fn open_directory(path: &Path) -> Result<Self, WeightsError> {
        let failed = |reason| WeightsError::HuggingFace { path: path.to_owned(), reason: Box::new(reason) };
        let mut directory = HuggingFaceDir::open(path).map_err(failed)?;
        let read = || {
            let family = Family::of_hf(directory.architecture()?)?;
            let config = (family.from_hf)(directory.config())?;
            config.check()?;
            Ok((family, config))
        };
        let (family, config) =
            read().map_err(|reason| WeightsError::Model { path: path.to_owned(), reason: Box::new(reason) })?;
        // Whether the model can be run at all comes before what is wrong with its files.
        directory.find_weights().map_err(failed)?;
        Ok(Self { path: path.to_owned(), config, source: Source::HuggingFace(directory, family) })
    }

    /// The model's shape and arithmetic.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }

    /// Where the checkpoint lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// The embedding where the head is the same.
    fn untied(&self, name: TensorName) -> TensorName {
        if name == TensorName::Head && self.config.tied_embeddings { TensorName::Embed } else { name }
    }

    /// What the checkpoint calls a tensor.
    #[must_use]
    pub fn stored_name(&self, name: TensorName) -> String {
        let name = self.untied(name);
        match &self.source {
            Source::Gguf(_, family) => (family.gguf_name)(name),
            Source::HuggingFace(_, family) => (family.hf_name)(name),
            Source::Random(_) => name.to_string(),
        }
    }

    /// Reads and dequantises a tensor. The head of a model with tied embeddings is its embedding.
    ///
    /// # Panics
    /// If the model has no tensor of this name.
    pub fn tensor(&self, name: TensorName) -> Result<Matrix, WeightsError> {
        let (rows, columns) = self.config.shape(name);
        let (name, stored) = (self.untied(name), self.stored_name(name));
        let gguf = |reason| WeightsError::Gguf { path: self.path.clone(), reason: Box::new(reason) };
        let data = match &self.source {
            Source::Gguf(file, _) => file.read(&stored).map_err(gguf)?,
            Source::HuggingFace(directory, _) => directory.read(&stored),
            Source::Random(seed) => random::tensor(*seed, name, rows, columns),
        };
        assert_eq!(data.len(), rows * columns, "`{stored}` was checked when the checkpoint was opened");
        // What is not a number is not within any range.
        match data.iter().position(|weight| !(-LARGEST_WEIGHT..=LARGEST_WEIGHT).contains(weight)) {
            None => Ok(Matrix { rows, columns, data }),
            Some(at) => Err(WeightsError::Weight {
                path: self.path.clone(),
                tensor: stored,
                found: data[at],
                row: at / columns,
                column: at % columns,
                limit: LARGEST_WEIGHT,
            }),
        }
    }

    /// Exactly the tensors of the model are stored, each in its shape.
    fn check_tensors(&self) -> Result<(), WeightsError> {
        let (mut stored, stored_name): (BTreeSet<&str>, fn(TensorName) -> String) = match &self.source {
            Source::Gguf(file, family) => {
                let known = family.gguf_metadata_tensors;
                (file.names().filter(|name| !known.contains(name)).collect(), family.gguf_name)
            }
            Source::HuggingFace(directory, family) => (directory.names().collect(), family.hf_name),
            Source::Random(_) => return Ok(()),
        };
        for name in self.config.tensors() {
            let tensor = stored_name(name);
            if !stored.remove(tensor.as_str()) {
                let untied = " (tie_word_embeddings is false, so the head must be stored)";
                let hint = if name == TensorName::Head { untied } else { "" };
                return Err(WeightsError::MissingTensor { path: self.path.clone(), tensor, hint });
            }
            self.check_shape(name, tensor)?;
        }
        let Some(unexpected) = stored.first() else {
            return Ok(());
        };
        let tied = " (tie_word_embeddings is true, so which of the two heads is meant is unclear: \
                    remove the tensor or set the flag to false)";
        let hint = if *unexpected == stored_name(TensorName::Head) { tied } else { "" };
        Err(WeightsError::UnexpectedTensor {
            path: self.path.clone(),
            tensor: (*unexpected).to_owned(),
            family: self.config.family,
            hint,
        })
    }

    fn check_shape(&self, name: TensorName, tensor: String) -> Result<(), WeightsError> {
        let found = match &self.source {
            Source::Gguf(file, _) => file.shape(&tensor),
            Source::HuggingFace(directory, _) => directory.shape(&tensor),
            Source::Random(_) => None,
        };
        let (rows, columns) = self.config.shape(name);
        let expected = if rows == 1 { vec![columns] } else { vec![rows, columns] };
        match found {
            Some(found) if found != expected => {
                let (path, found) = (self.path.clone(), found.to_vec());
                Err(WeightsError::Shape { path, tensor, found, expected })
            }
            _ => Ok(()),
        }
    }
}
