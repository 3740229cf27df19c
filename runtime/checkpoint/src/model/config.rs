//! [`ModelConfig`]: the numbers that tell one model from another.
//!
//! Valid once [`ModelConfig::check`] has passed; every [`crate::weights::Checkpoint`] holds a checked one.

use super::{LayerNorm, LayerTensor, ModelError, NormGain, Rope, TensorName};

/// Gate non-linearity of the feed-forward part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// `x * sigmoid(x)`.
    Silu,
}

/// Shape and arithmetic of a decoder-only transformer.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelConfig {
    /// Row of [`super::FAMILIES`] that the model belongs to.
    pub family: &'static str,
    /// Number of layers.
    pub layers: usize,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Width of the feed-forward part.
    pub ffn: usize,
    /// Query heads.
    pub heads: usize,
    /// Key and value heads; divides `heads`.
    pub kv_heads: usize,
    /// Channels per head.
    pub head_dim: usize,
    /// Token ids, rows of the embedding.
    pub vocab: usize,
    /// Longest sequence that the model was trained for.
    pub context: usize,
    /// Added to the mean square under the root of each norm.
    pub norm_eps: f32,
    /// Rotary position embedding.
    pub rope: Rope,
    /// Whether the head is the embedding.
    pub tied_embeddings: bool,
    /// Gate non-linearity.
    pub activation: Activation,
    /// The embedding row is multiplied by this; 1 for most families.
    pub embed_scale: f32,
    /// Whether query and key heads are normed before RoPE.
    pub qk_norm: bool,
}

/// No dimension of a model within reach comes near; keeps products of two from overflowing.
const MAX_DIMENSION: usize = 1 << 24;
/// No model within reach has as many; every layer is a number of tensors and operations.
const MAX_LAYERS: usize = 1 << 12;

impl ModelConfig {
    /// Width of all query heads together; differs from `hidden` in some families.
    #[must_use]
    pub fn q_width(&self) -> usize {
        self.heads * self.head_dim
    }

    /// Width of all key heads together, and of all value heads.
    #[must_use]
    pub fn kv_width(&self) -> usize {
        self.kv_heads * self.head_dim
    }

    /// Factor on q.k before the softmax.
    #[must_use]
    pub fn attention_scale(&self) -> f64 {
        1.0 / (self.head_dim as f64).sqrt()
    }

    /// Weights in all, tied ones counted once.
    #[must_use]
    pub fn parameters(&self) -> u64 {
        self.tensors().map(|t| self.shape(t)).map(|(rows, columns)| (rows * columns) as u64).sum()
    }

    /// Every tensor that a checkpoint of this model stores, in the order of use.
    pub fn tensors(&self) -> impl Iterator<Item = TensorName> + use<> {
        let projections = |layer, list: &'static [LayerTensor]| list.iter().map(move |t| TensorName::Layer(layer, *t));
        let norms = |layer, list: &'static [LayerNorm]| {
            list.iter().map(move |norm| TensorName::Norm(NormGain::Layer(layer, *norm)))
        };
        let heads: &[LayerNorm] = if self.qk_norm { &[LayerNorm::Query, LayerNorm::Key] } else { &[] };
        let head = if self.tied_embeddings { None } else { Some(TensorName::Head) };
        let layers = (0..self.layers).flat_map(move |layer| {
            let attention = projections(layer, &[LayerTensor::Q, LayerTensor::K, LayerTensor::V, LayerTensor::O]);
            let feed_forward = projections(layer, &[LayerTensor::Gate, LayerTensor::Up, LayerTensor::Down]);
            let before = norms(layer, &[LayerNorm::Attention]).chain(attention);
            before.chain(norms(layer, &[LayerNorm::FeedForward])).chain(feed_forward).chain(norms(layer, heads))
        });
        let last = TensorName::Norm(NormGain::Final);
        std::iter::once(TensorName::Embed).chain(layers).chain(std::iter::once(last)).chain(head)
    }

    /// Channels that a norm works on.
    #[must_use]
    pub fn norm_width(&self, gain: NormGain) -> usize {
        match gain {
            NormGain::Final | NormGain::Layer(_, LayerNorm::Attention | LayerNorm::FeedForward) => self.hidden,
            NormGain::Layer(_, LayerNorm::Query | LayerNorm::Key) => self.head_dim,
        }
    }

    /// Rows and columns of a tensor. Gains are one row; projections have a row per output channel.
    #[must_use]
    pub fn shape(&self, name: TensorName) -> (usize, usize) {
        match name {
            TensorName::Embed | TensorName::Head => (self.vocab, self.hidden),
            TensorName::Norm(gain) => (1, self.norm_width(gain)),
            TensorName::Layer(_, tensor) => match tensor {
                LayerTensor::Q => (self.q_width(), self.hidden),
                LayerTensor::K | LayerTensor::V => (self.kv_width(), self.hidden),
                LayerTensor::O => (self.hidden, self.q_width()),
                LayerTensor::Gate | LayerTensor::Up => (self.ffn, self.hidden),
                LayerTensor::Down => (self.hidden, self.ffn),
            },
        }
    }

    /// Refuses shapes that no model can have, before anything is multiplied or allocated.
    pub fn check(&self) -> Result<(), ModelError> {
        let dimensions = [
            ("layers", self.layers, MAX_LAYERS),
            ("hidden", self.hidden, MAX_DIMENSION),
            ("ffn", self.ffn, MAX_DIMENSION),
            ("heads", self.heads, MAX_DIMENSION),
            ("kv_heads", self.kv_heads, MAX_DIMENSION),
            ("head_dim", self.head_dim, MAX_DIMENSION),
            ("vocab", self.vocab, MAX_DIMENSION),
            ("context", self.context, MAX_DIMENSION),
        ];
        for (field, found, most) in dimensions {
            if found == 0 || found > most {
                return Err(ModelError::field(field, found, format!("in 1..={most}")));
            }
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            let allowed = format!("a divisor of heads = {}", self.heads);
            return Err(ModelError::field("kv_heads", self.kv_heads, allowed));
        }
        if !self.head_dim.is_multiple_of(2) {
            return Err(ModelError::field("head_dim", self.head_dim, "even (RoPE turns pairs of channels)"));
        }
        if !(self.norm_eps > 0.0 && self.norm_eps < 1.0) {
            return Err(ModelError::field("norm_eps", self.norm_eps, "above 0 and below 1"));
        }
        self.rope.check(self.head_dim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{RopePairing, RopeScaling};
    use expect_test::expect;

    fn smollm2() -> ModelConfig {
        ModelConfig {
            family: "llama",
            layers: 30,
            hidden: 576,
            ffn: 1536,
            heads: 9,
            kv_heads: 3,
            head_dim: 64,
            vocab: 49152,
            context: 8192,
            norm_eps: 1e-5,
            rope: Rope { theta: 1e5, pairing: RopePairing::Interleaved, scaling: RopeScaling::None },
            tied_embeddings: true,
            activation: Activation::Silu,
            embed_scale: 1.0,
            qk_norm: false,
        }
    }

    #[test]
    fn parameters_are_counted_from_the_shapes() {
        assert_eq!(smollm2().parameters(), 134_515_008);
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let refusal = |change: fn(&mut ModelConfig)| {
            let mut config = smollm2();
            change(&mut config);
            config.check().expect_err("must be refused").to_string()
        };
        expect!["`layers` is 0, but must be in 1..=4096"].assert_eq(&refusal(|c| c.layers = 0));
        expect!["`kv_heads` is 4, but must be a divisor of heads = 9"].assert_eq(&refusal(|c| c.kv_heads = 4));
        expect!["`head_dim` is 63, but must be even (RoPE turns pairs of channels)"]
            .assert_eq(&refusal(|c| c.head_dim = 63));
        expect!["`norm_eps` is NaN, but must be above 0 and below 1"].assert_eq(&refusal(|c| c.norm_eps = f32::NAN));
        expect!["`vocab` is 1099511627776, but must be in 1..=16777216"].assert_eq(&refusal(|c| c.vocab = 1 << 40));
    }
}
