//! From a checkpoint on disk to f32 tensors under canonical names.
//!
//! [`Checkpoint::open`] reads headers only; it checks that exactly the tensors of the family are there, in the right
//! shapes, within the file. A tensor is dequantised when it is asked for.

mod checkpoint;
mod error;
pub mod gguf;
pub mod huggingface;
mod matrix;
mod random;

pub use checkpoint::Checkpoint;
pub(crate) use checkpoint::Source;
pub use error::WeightsError;
pub(crate) use huggingface::HuggingFaceDir;
pub use matrix::Matrix;
