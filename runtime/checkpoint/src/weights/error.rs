//! Why a checkpoint could not be loaded. Every message starts with the file or directory.

use std::path::PathBuf;

use super::gguf::GgufError;
use super::huggingface::HuggingFaceError;
use crate::model::ModelError;

/// A checkpoint that cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum WeightsError {
    /// The path is neither a file nor a directory, or may not be read.
    #[error("{}: {reason}", path.display())]
    Io {
        /// Path given.
        path: PathBuf,
        /// Reason.
        reason: std::io::Error,
    },
    /// A GGUF file is damaged or of an unsupported kind.
    #[error("{}: {reason}", path.display())]
    Gguf {
        /// The file.
        path: PathBuf,
        /// Reason.
        reason: Box<GgufError>,
    },
    /// A Hugging Face directory is damaged, incomplete or of an unsupported kind.
    #[error("{}: {reason}", path.display())]
    HuggingFace {
        /// The directory.
        path: PathBuf,
        /// Reason.
        reason: Box<HuggingFaceError>,
    },
    /// The model is not one that can be run.
    #[error("{}: {reason}", path.display())]
    Model {
        /// File or directory.
        path: PathBuf,
        /// Reason.
        reason: Box<ModelError>,
    },
    /// A tensor of the model is not in the checkpoint.
    #[error("{}: tensor `{tensor}` is missing{hint}", path.display())]
    MissingTensor {
        /// File or directory.
        path: PathBuf,
        /// Name in the checkpoint.
        tensor: String,
        /// Why it is needed, where that is not plain.
        hint: &'static str,
    },
    /// A tensor of the checkpoint has no place in the model.
    #[error("{}: tensor `{tensor}` does not belong to a model of the {family} family{hint}", path.display())]
    UnexpectedTensor {
        /// File or directory.
        path: PathBuf,
        /// Name in the checkpoint.
        tensor: String,
        /// Family of the model.
        family: &'static str,
        /// What to do about it, where that is known.
        hint: &'static str,
    },
    /// A tensor has another shape than the metadata demand.
    #[error("{}: tensor `{tensor}` has shape {found:?}, expected {expected:?}", path.display())]
    Shape {
        /// File or directory.
        path: PathBuf,
        /// Name in the checkpoint.
        tensor: String,
        /// Shape found, outermost dimension first.
        found: Vec<usize>,
        /// Shape expected.
        expected: Vec<usize>,
    },
    /// A weight is not a number, or one that no trained model has.
    #[error(
        "{}: tensor `{tensor}` holds {found:?} at row {row}, column {column}, but must be within -{limit:e}..={limit:e}",
        path.display()
    )]
    Weight {
        /// File or directory.
        path: PathBuf,
        /// Name in the checkpoint.
        tensor: String,
        /// Value found.
        found: f32,
        /// Where.
        row: usize,
        /// Where.
        column: usize,
        /// Greatest magnitude allowed.
        limit: f32,
    },
}
