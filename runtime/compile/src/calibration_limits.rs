//! What activations may reach. Beyond, f32 overflows in the reference or a fixed-point format saturates, and the model
//! would run without meaning anything: it is refused, and the tensor named that goes beyond first.

use sagen_checkpoint::model::{LayerNorm, LayerTensor, ModelConfig, NormGain, TensorName};
use sagen_checkpoint::reference::{Reference, Site};
use sagen_checkpoint::weights::Matrix;

use super::Calibration;
use super::numerics::{GATE_FRACTION, LOGIT_FRACTION};

/// Squares of as many channels as a row has still sum up within f32, and products of two still fit.
const GREATEST: f32 = (1u64 << 40) as f32;

/// An activation or a range that is out of bounds.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LimitError {
    /// An activation.
    #[error("with tensor `{tensor}` channel {channel} reaches {found:?}, but must be within -{limit:e}..={limit:e}")]
    Activation {
        /// The tensor that makes it, as the checkpoint calls it.
        tensor: String,
        /// Its row, or the channel of a norm.
        channel: usize,
        /// Value found.
        found: f32,
        /// Greatest magnitude allowed.
        limit: f32,
    },
    /// A range of a calibration that was not measured here.
    #[error("the range of {what} is {found:?}, but must be within 0..={GREATEST:e}")]
    Range {
        /// Whose.
        what: &'static str,
        /// Value found.
        found: f32,
    },
    /// A calibration of another model.
    #[error("there are {found} {what}, the model has {expected}")]
    Shape {
        /// What is counted.
        what: &'static str,
        /// Count found.
        found: usize,
        /// Count of the model.
        expected: usize,
    },
}

/// Checks the rows of one site.
pub(super) fn site(reference: &Reference, site: Site, layer: usize, rows: &Matrix) -> Result<(), LimitError> {
    let format = |fraction: i32| (1u32 << (31 - fraction)) as f32;
    let limit = match site {
        Site::Gate | Site::Up | Site::Gated => format(GATE_FRACTION),
        Site::Embed
        | Site::AttnNorm
        | Site::Q
        | Site::K
        | Site::V
        | Site::Attn
        | Site::AttnResidual
        | Site::FfnNorm
        | Site::FfnResidual
        | Site::FinalNorm => GREATEST,
    };
    within(reference, maker(site, layer), rows, limit)
}

/// Checks the result of the head.
pub(super) fn logits(reference: &Reference, rows: &Matrix) -> Result<(), LimitError> {
    within(reference, TensorName::Head, rows, (1u32 << (31 - LOGIT_FRACTION)) as f32)
}

fn within(reference: &Reference, tensor: TensorName, rows: &Matrix, limit: f32) -> Result<(), LimitError> {
    // What is not a number is not within any range.
    let Some(at) = rows.data.iter().position(|x| !(-limit..=limit).contains(x)) else {
        return Ok(());
    };
    let tensor = reference.stored_name(tensor).to_owned();
    Err(LimitError::Activation { tensor, channel: at % rows.columns, found: rows.data[at], limit })
}

/// The tensor that makes the activations of a site from those of the sites before it.
fn maker(site: Site, layer: usize) -> TensorName {
    let norm = |norm| TensorName::Norm(NormGain::Layer(layer, norm));
    let tensor = |tensor| TensorName::Layer(layer, tensor);
    match site {
        Site::Embed => TensorName::Embed,
        Site::AttnNorm => norm(LayerNorm::Attention),
        Site::Q => tensor(LayerTensor::Q),
        Site::K => tensor(LayerTensor::K),
        Site::V | Site::Attn => tensor(LayerTensor::V),
        Site::AttnResidual => tensor(LayerTensor::O),
        Site::FfnNorm => norm(LayerNorm::FeedForward),
        Site::Gate => tensor(LayerTensor::Gate),
        Site::Up | Site::Gated => tensor(LayerTensor::Up),
        Site::FfnResidual => tensor(LayerTensor::Down),
        Site::FinalNorm => TensorName::Norm(NormGain::Final),
    }
}

impl Calibration {
    /// Every range is there and within bounds.
    pub(super) fn check(&self, config: &ModelConfig) -> Result<(), LimitError> {
        count("layers", self.layers.len(), config.layers)?;
        range("the residual stream", self.residual)?;
        for layer in &self.layers {
            count("key pairs", layer.key_pairs.len(), config.kv_width() / 2)?;
            count("value heads", layer.values.len(), config.kv_heads)?;
            layer.key_pairs.iter().try_for_each(|found| range("keys", *found))?;
            layer.values.iter().try_for_each(|found| range("values", *found))?;
        }
        Ok(())
    }
}

fn count(what: &'static str, found: usize, expected: usize) -> Result<(), LimitError> {
    if found == expected { Ok(()) } else { Err(LimitError::Shape { what, found, expected }) }
}

fn range(what: &'static str, found: f32) -> Result<(), LimitError> {
    if (0.0..=GREATEST).contains(&found) { Ok(()) } else { Err(LimitError::Range { what, found }) }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::graph::tests::config;

    #[test]
    fn a_calibration_of_another_model_or_without_sense_is_refused() {
        let config = config();
        let refusal = |change: fn(&mut Calibration)| {
            let mut calibration = Calibration::assumed(&config);
            change(&mut calibration);
            calibration.check(&config).unwrap_err().to_string()
        };
        assert_eq!(Calibration::assumed(&config).check(&config), Ok(()));
        expect!["there are 1 layers, the model has 2"].assert_eq(&refusal(|c| c.layers.truncate(1)));
        expect!["there are 0 value heads, the model has 1"].assert_eq(&refusal(|c| c.layers[1].values.clear()));
        expect!["the range of the residual stream is NaN, but must be within 0..=1.0995116e12"]
            .assert_eq(&refusal(|c| c.residual = f32::NAN));
        expect!["the range of keys is 1e38, but must be within 0..=1.0995116e12"]
            .assert_eq(&refusal(|c| c.layers[0].key_pairs[3] = 1e38));
    }
}
