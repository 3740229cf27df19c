//! What a model is, apart from its weights: shape, arithmetic choices, tensor names and the table of known families.
//!
//! A family file translates a checkpoint's own metadata into [`ModelConfig`] and its tensor names into [`TensorName`].
//! Everything past that point sees numbers only.

mod config;
mod error;
mod family;
mod llama;
mod rope;
mod tensor_name;

pub use config::{Activation, ModelConfig};
pub use error::ModelError;
pub use family::{FAMILIES, Family};
pub use rope::{Rope, RopePairing, RopeScaling};
pub use tensor_name::{LayerNorm, LayerTensor, NormGain, TensorName};
