//! The model in f32 on the host: the yardstick for quality and the source of calibration data.
//!
//! No quantised arithmetic of any kind: weights are dequantised once, everything else is IEEE single precision.
//! A [`Session`] holds one sequence's keys and values; [`Session::forward`] may be called with any number of tokens at
//! a time and gives the same logits up to the rounding of differently ordered sums.

mod error;
mod layer;
mod session;
mod site;

pub use error::ReferenceError;
pub use session::Session;
pub use site::{Observer, Site};

use std::collections::BTreeMap;

use candle_core::{Device, Tensor};
use rayon::prelude::*;

use crate::model::{ModelConfig, NormGain, TensorName};
use crate::weights::Checkpoint;
use layer::Layer;

/// A model with all its weights in memory as f32.
#[derive(Debug)]
pub struct Reference {
    config: ModelConfig,
    /// What the checkpoint calls its tensors, for errors.
    names: BTreeMap<TensorName, String>,
    embed: Tensor,
    layers: Vec<Layer>,
    final_norm: Tensor,
    head: Tensor,
}

impl Reference {
    /// Dequantises every tensor of the checkpoint.
    pub fn load(checkpoint: &Checkpoint) -> Result<Self, ReferenceError> {
        let config = checkpoint.config().clone();
        let embed = tensor(checkpoint, TensorName::Embed)?;
        let head = if config.tied_embeddings { embed.clone() } else { tensor(checkpoint, TensorName::Head)? };
        let layers = (0..config.layers).into_par_iter().map(|layer| Layer::load(checkpoint, layer));
        let names = config.tensors().chain([TensorName::Head]).map(|name| (name, checkpoint.stored_name(name)));
        Ok(Self {
            names: names.collect(),
            embed,
            layers: layers.collect::<Result<_, _>>()?,
            final_norm: tensor(checkpoint, TensorName::Norm(NormGain::Final))?,
            head,
            config,
        })
    }

    /// Starts an empty sequence.
    #[must_use]
    pub fn session(&self) -> Session<'_> {
        Session::new(self)
    }

    /// What the checkpoint calls a tensor of the model.
    #[must_use]
    pub fn stored_name(&self, name: TensorName) -> &str {
        &self.names[&name]
    }

    /// The model's shape.
    #[must_use]
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }
}

/// A tensor of the checkpoint; gains have one dimension, projections two.
fn tensor(checkpoint: &Checkpoint, name: TensorName) -> Result<Tensor, ReferenceError> {
    let matrix = checkpoint.tensor(name)?;
    let tensor = match matrix.rows {
        1 => Tensor::from_vec(matrix.data, matrix.columns, &Device::Cpu)?,
        rows => Tensor::from_vec(matrix.data, (rows, matrix.columns), &Device::Cpu)?,
    };
    Ok(tensor)
}
