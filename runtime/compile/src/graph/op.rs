//! Operations and the values they touch.

use sagen_checkpoint::model::NormGain;

/// A value in the scratchpad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Buffer {
    /// Embedding rows as they lie in DDR.
    Embedding,
    /// Cosines and sines of the rows' positions.
    RopeTable,
    /// Norm gains of layers with an even index.
    GainsEven,
    /// Norm gains of layers with an odd index; the final norm counts as the layer after the last.
    GainsOdd,
    /// Residual stream.
    Residual,
    /// Residual times gain, on the way to codes.
    Product,
    /// Key projection.
    Key,
    /// Value projection.
    Value,
    /// Key codes on the way to the cache.
    KeyCodes,
    /// Value codes on the way to the cache.
    ValueCodes,
    /// Query projection.
    Query,
    /// Weighted values of all heads.
    Attended,
    /// Output of the o and down projections.
    Projected,
    /// Gate and up projections of one tile.
    GateUp,
    /// Gate and up projections of every second tile.
    GateUpOdd,
    /// Activated gate times up.
    Hidden,
    /// Logits of a run of blocks.
    Logits,
    /// Logits of every second run.
    LogitsOdd,
}

impl Buffer {
    /// Where a layer's gains are.
    #[must_use]
    pub fn gains(layer: usize) -> Self {
        if layer.is_multiple_of(2) { Self::GainsEven } else { Self::GainsOdd }
    }
}

/// Codes and their scales, input of a projection or of attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Codes {
    /// Normed input of attention.
    Attention,
    /// Queries, one scale a head.
    Query,
    /// Weighted values.
    Attended,
    /// Normed input of the feed-forward part.
    FeedForward,
    /// Input of the down projection.
    Hidden,
    /// Normed input of the head.
    Head,
}

/// One operation. Rows are implied: all rows of the step, one row in the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Bring a layer's norm gains; the layer after the last stands for the final norm.
    LoadGains {
        /// Layer.
        layer: usize,
    },
    /// Bring embedding and RoPE rows, and start the residual stream.
    Embed {
        /// The residual stream.
        to: Buffer,
    },
    /// RMSNorm into codes.
    Norm {
        /// Input.
        of: Buffer,
        /// Gain.
        gain: NormGain,
        /// Result.
        to: Codes,
    },
    /// Projection by streamed weights.
    Linear {
        /// Index in [`super::Graph::matrices`].
        matrix: usize,
        /// Input.
        from: Codes,
        /// Output.
        to: Buffer,
        /// First output channel within `to`.
        at: usize,
    },
    /// RoPE in place.
    Rope {
        /// `Key` or `Query`.
        of: Buffer,
        /// Record greatest magnitudes.
        amax: bool,
    },
    /// Quantise keys or values by their static scales and append them to the cache.
    Cache {
        /// `Key` or `Value`.
        of: Buffer,
        /// Codes on their way.
        via: Buffer,
    },
    /// Record greatest magnitudes.
    Amax {
        /// Of what.
        of: Buffer,
    },
    /// Into codes, by recorded greatest magnitudes.
    Quantise {
        /// Input.
        of: Buffer,
        /// Output.
        to: Codes,
    },
    /// Attention of all heads over the cache, into codes.
    Attend {
        /// Queries.
        query: Codes,
        /// Weighted values on their way.
        via: Buffer,
        /// Result.
        to: Codes,
    },
    /// Sum of two values.
    Add {
        /// One.
        a: Buffer,
        /// The other.
        b: Buffer,
        /// Result.
        to: Buffer,
    },
    /// Activated gate times up, one tile.
    Glu {
        /// Gate and up of the tile.
        of: Buffer,
        /// Result, of all tiles.
        to: Buffer,
        /// First channel.
        at: usize,
        /// Channels.
        channels: usize,
        /// Record greatest magnitudes.
        amax: bool,
    },
    /// Next token, and logits where asked for.
    Head {
        /// Index in [`super::Graph::matrices`].
        matrix: usize,
        /// Input.
        from: Codes,
        /// Write logits.
        logits: bool,
    },
}

/// What an operation takes from the stream ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streamed {
    /// The weights of a matrix, by its index in [`super::Graph::matrices`].
    Weights(usize),
    /// Keys and values.
    Cache,
}

impl Op {
    /// What it takes from the stream ports, if anything.
    #[must_use]
    pub fn streams(&self) -> Option<Streamed> {
        match self {
            Self::Linear { matrix, .. } | Self::Head { matrix, .. } => Some(Streamed::Weights(*matrix)),
            Self::Attend { .. } => Some(Streamed::Cache),
            Self::LoadGains { .. }
            | Self::Embed { .. }
            | Self::Norm { .. }
            | Self::Rope { .. }
            | Self::Cache { .. }
            | Self::Amax { .. }
            | Self::Quantise { .. }
            | Self::Add { .. }
            | Self::Glu { .. } => None,
        }
    }

    /// Scratchpad values that it touches.
    #[must_use]
    pub fn buffers(&self) -> Vec<Buffer> {
        match self {
            Self::LoadGains { layer } => vec![Buffer::gains(*layer)],
            Self::Embed { to } => vec![Buffer::Embedding, Buffer::RopeTable, *to],
            Self::Norm { of, .. } => vec![*of, Buffer::Product],
            Self::Linear { to, .. } => vec![*to],
            Self::Rope { of, .. } => vec![*of, Buffer::RopeTable],
            Self::Cache { of, via } => vec![*of, *via],
            Self::Amax { of } | Self::Quantise { of, .. } => vec![*of],
            Self::Attend { via, .. } => vec![*via],
            Self::Add { a, b, to } => vec![*a, *b, *to],
            Self::Glu { of, to, .. } => vec![*of, *to],
            Self::Head { logits: true, .. } => vec![Buffer::Logits, Buffer::LogitsOdd],
            Self::Head { logits: false, .. } => vec![],
        }
    }

    /// Codes that it touches.
    #[must_use]
    pub fn codes(&self) -> Vec<Codes> {
        match self {
            Self::Norm { to, .. } | Self::Quantise { to, .. } => vec![*to],
            Self::Linear { from, .. } => vec![*from],
            Self::Attend { query, to, .. } => vec![*query, *to],
            Self::Head { from, .. } => vec![*from],
            Self::LoadGains { .. }
            | Self::Embed { .. }
            | Self::Rope { .. }
            | Self::Cache { .. }
            | Self::Amax { .. }
            | Self::Add { .. }
            | Self::Glu { .. } => vec![],
        }
    }
}
