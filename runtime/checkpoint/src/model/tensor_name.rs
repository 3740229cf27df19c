//! Canonical tensor names: `embed`, `layer.3.gate`, `final_norm`, `head`, whatever the checkpoint calls them.

use std::fmt;

/// A tensor of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TensorName {
    /// Token embedding, one row per token id.
    Embed,
    /// A tensor of the layer with this index.
    Layer(usize, LayerTensor),
    /// Gain of the norm after the last layer.
    FinalNorm,
    /// Output projection, one row per token id; the embedding itself where the two are tied.
    Head,
}

/// A tensor of one layer. Projections have one row per output channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerTensor {
    /// Gain of the norm before attention.
    AttnNorm,
    /// Query projection.
    Q,
    /// Key projection.
    K,
    /// Value projection.
    V,
    /// Gain of the norm over each query head.
    QNorm,
    /// Gain of the norm over each key head.
    KNorm,
    /// Output projection of attention.
    O,
    /// Gain of the norm before the feed-forward part.
    FfnNorm,
    /// Gate projection.
    Gate,
    /// Up projection.
    Up,
    /// Down projection.
    Down,
}

impl LayerTensor {
    fn name(self) -> &'static str {
        match self {
            Self::AttnNorm => "attn_norm",
            Self::Q => "q",
            Self::K => "k",
            Self::V => "v",
            Self::QNorm => "q_norm",
            Self::KNorm => "k_norm",
            Self::O => "o",
            Self::FfnNorm => "ffn_norm",
            Self::Gate => "gate",
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

impl fmt::Display for TensorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embed => f.write_str("embed"),
            Self::Layer(layer, tensor) => write!(f, "layer.{layer}.{}", tensor.name()),
            Self::FinalNorm => f.write_str("final_norm"),
            Self::Head => f.write_str("head"),
        }
    }
}
