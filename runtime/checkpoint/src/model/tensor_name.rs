//! Canonical tensor names: `embed`, `layer.3.gate`, `final_norm`, `head`, whatever the checkpoint calls them.

use std::fmt;

/// A tensor of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TensorName {
    /// Token embedding, one row per token id.
    Embed,
    /// A tensor of the layer with this index.
    Layer(usize, LayerTensor),
    /// Gain of a norm.
    Norm(NormGain),
    /// Output projection, one row per token id; the embedding itself where the two are tied.
    Head,
}

/// The gain of a norm, one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NormGain {
    /// Of the layer with this index.
    Layer(usize, LayerNorm),
    /// After the last layer.
    Final,
}

impl NormGain {
    /// Name without the layer.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Layer(_, norm) => norm.name(),
            Self::Final => "final_norm",
        }
    }
}

/// A norm of one layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerNorm {
    /// Before attention.
    Attention,
    /// Over each query head.
    Query,
    /// Over each key head.
    Key,
    /// Before the feed-forward part.
    FeedForward,
}

impl LayerNorm {
    fn name(self) -> &'static str {
        match self {
            Self::Attention => "attn_norm",
            Self::Query => "q_norm",
            Self::Key => "k_norm",
            Self::FeedForward => "ffn_norm",
        }
    }
}

/// A tensor of one layer, norms apart. Projections have one row per output channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayerTensor {
    /// Query projection.
    Q,
    /// Key projection.
    K,
    /// Value projection.
    V,
    /// Output projection of attention.
    O,
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
            Self::Q => "q",
            Self::K => "k",
            Self::V => "v",
            Self::O => "o",
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
            Self::Norm(NormGain::Layer(layer, norm)) => write!(f, "layer.{layer}.{}", norm.name()),
            Self::Norm(NormGain::Final) => f.write_str(NormGain::Final.name()),
            Self::Head => f.write_str("head"),
        }
    }
}
