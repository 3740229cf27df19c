//! Ranges of activations, measured on the float reference: what static scales and fixed-point formats are made from.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::calibration_limits::{self as limits, LimitError};
use sagen_checkpoint::model::{ModelConfig, RopePairing};
use sagen_checkpoint::reference::{Reference, ReferenceError, Site};
use sagen_checkpoint::weights::Matrix;
use sagen_tokenizer::{TokenizeError, Tokenizer};

/// Prose, facts, program text and a conversation, in pieces between lines of `---`.
pub(super) const TEXT: &str = include_str!("calibration.txt");

/// Greatest magnitudes of one layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerRange {
    /// Keys after RoPE, one value for both channels of a pair: `kv_heads * head_dim / 2`, pairs of a head adjacent.
    pub key_pairs: Vec<f32>,
    /// Values, one a head.
    pub values: Vec<f32>,
}

/// Greatest magnitudes of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Residual stream, anywhere.
    pub residual: f32,
    /// Layers.
    pub layers: Vec<LayerRange>,
}

/// Calibration that could not be done.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// The text could not be tokenised.
    #[error("calibration text: {0}")]
    Tokenize(#[from] TokenizeError),
    /// The reference failed.
    #[error("calibration: {0}")]
    Reference(#[from] ReferenceError),
    /// An activation cannot be represented.
    #[error("calibration: {0}")]
    Limit(#[from] LimitError),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// Nothing can be kept.
    #[error(transparent)]
    Cache(#[from] sagen_host::cache::CacheError),
    /// The calibration was not kept.
    #[error(transparent)]
    File(#[from] sagen_host::files::FileError),
}

impl CalibrationError {
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Io { path, source }
    }
}

impl Calibration {
    /// Runs the reference over the built-in text.
    pub fn measure(reference: &Reference, tokenizer: &Tokenizer) -> Result<Self, CalibrationError> {
        let pieces = TEXT.split("\n---\n").map(|piece| tokenizer.encode_known(piece, true));
        let pieces: Vec<Vec<u32>> = pieces.collect::<Result<_, _>>()?;
        Self::measure_tokens(reference, &pieces)
    }

    /// Runs the reference over given sequences, each from an empty context.
    pub fn measure_tokens(reference: &Reference, sequences: &[Vec<u32>]) -> Result<Self, CalibrationError> {
        let config = reference.config();
        let mut ranges = Self::zero(config);
        for sequence in sequences {
            let length = sequence.len().min(config.context);
            let mut beyond = None;
            let mut see = |site, layer, rows: &Matrix| {
                // The first is the cause, what follows from it is not.
                beyond = beyond.take().or_else(|| limits::site(reference, site, layer, rows).err());
                ranges.see(config, site, layer, rows);
            };
            let logits = reference.session().forward_observed(&sequence[..length], &mut see)?;
            beyond.map_or_else(|| limits::logits(reference, &logits), Err)?;
        }
        Ok(ranges)
    }

    /// Plausible ranges for weights of which only the shape matters.
    #[must_use]
    pub fn assumed(config: &ModelConfig) -> Self {
        let mut ranges = Self::zero(config);
        ranges.residual = 64.0;
        for layer in &mut ranges.layers {
            layer.key_pairs.fill(8.0);
            layer.values.fill(8.0);
        }
        ranges
    }

    fn zero(config: &ModelConfig) -> Self {
        let layer = LayerRange { key_pairs: vec![0.0; config.kv_width() / 2], values: vec![0.0; config.kv_heads] };
        Self { residual: 0.0, layers: vec![layer; config.layers] }
    }

    fn see(&mut self, config: &ModelConfig, site: Site, layer: usize, rows: &Matrix) {
        let half = config.head_dim / 2;
        let pair = |column: usize| {
            let (head, channel) = (column / config.head_dim, column % config.head_dim);
            head * half + pair_of(config.rope.pairing, config.head_dim, channel)
        };
        for row in rows.data.chunks_exact(rows.columns) {
            match site {
                Site::Embed | Site::AttnResidual | Site::FfnResidual => {
                    row.iter().for_each(|x| raise(&mut self.residual, *x));
                }
                Site::K => {
                    let ranges = &mut self.layers[layer].key_pairs;
                    row.iter().enumerate().for_each(|(c, x)| raise(&mut ranges[pair(c)], *x));
                }
                Site::V => {
                    let ranges = &mut self.layers[layer].values;
                    let heads = row.chunks_exact(config.head_dim).zip(ranges);
                    heads.for_each(|(head, range)| head.iter().for_each(|x| raise(range, *x)));
                }
                Site::AttnNorm
                | Site::Q
                | Site::Attn
                | Site::FfnNorm
                | Site::Gate
                | Site::Up
                | Site::Gated
                | Site::FinalNorm => {}
            }
        }
    }
}

/// The pair that a channel of a head belongs to.
pub(super) fn pair_of(pairing: RopePairing, head_dim: usize, channel: usize) -> usize {
    match pairing {
        RopePairing::Interleaved => channel / 2,
        RopePairing::HalfSplit => channel % (head_dim / 2),
    }
}

fn raise(greatest: &mut f32, x: f32) {
    *greatest = greatest.max(x.abs());
}
