//! One layer: attention and feed-forward part, each behind a norm and added to the residual stream.

use candle_core::{Result, Tensor};
use candle_nn::ops::{rms_norm, silu, softmax_last_dim};
use candle_nn::rotary_emb::{rope, rope_i};

use super::site::Watch;
use super::{ReferenceError, Site, tensor};
use crate::model::{Activation, LayerNorm, LayerTensor, ModelConfig, NormGain, RopePairing, TensorName};
use crate::weights::Checkpoint;

#[derive(Debug)]
pub(super) struct Layer {
    index: usize,
    attn_norm: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    qk_norm: Option<(Tensor, Tensor)>,
    o: Tensor,
    ffn_norm: Tensor,
    gate: Tensor,
    up: Tensor,
    down: Tensor,
}

/// Keys and values so far, each kv heads x positions x channels.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    keys: Tensor,
    values: Tensor,
}

/// What the layers share in one step.
pub(super) struct Step<'a> {
    pub(super) config: &'a ModelConfig,
    /// Cosines and sines, tokens x pairs.
    pub(super) cos: Tensor,
    pub(super) sin: Tensor,
    /// Added to the scores, tokens x positions: 0, or minus infinity where the position lies ahead.
    pub(super) mask: Tensor,
}

impl Layer {
    pub(super) fn load(checkpoint: &Checkpoint, index: usize) -> std::result::Result<Self, ReferenceError> {
        let load = |name| tensor(checkpoint, TensorName::Layer(index, name));
        let gain = |norm| tensor(checkpoint, TensorName::Norm(NormGain::Layer(index, norm)));
        let qk_norm =
            if checkpoint.config().qk_norm { Some((gain(LayerNorm::Query)?, gain(LayerNorm::Key)?)) } else { None };
        Ok(Self {
            index,
            attn_norm: gain(LayerNorm::Attention)?,
            q: load(LayerTensor::Q)?,
            k: load(LayerTensor::K)?,
            v: load(LayerTensor::V)?,
            qk_norm,
            o: load(LayerTensor::O)?,
            ffn_norm: gain(LayerNorm::FeedForward)?,
            gate: load(LayerTensor::Gate)?,
            up: load(LayerTensor::Up)?,
            down: load(LayerTensor::Down)?,
        })
    }

    /// `x`: residual stream, tokens x hidden. Appends to the cache.
    pub(super) fn forward(
        &self,
        step: &Step<'_>,
        x: &Tensor,
        cache: &mut Option<Cache>,
        watch: &mut Watch<'_, '_>,
    ) -> Result<Tensor> {
        let normed = rms_norm(x, &self.attn_norm, step.config.norm_eps)?;
        watch.see(Site::AttnNorm, self.index, &normed)?;
        let x = (x + linear(&self.attention(step, &normed, cache, watch)?, &self.o)?)?;
        watch.see(Site::AttnResidual, self.index, &x)?;

        let normed = rms_norm(&x, &self.ffn_norm, step.config.norm_eps)?;
        watch.see(Site::FfnNorm, self.index, &normed)?;
        let (gate, up) = (linear(&normed, &self.gate)?, linear(&normed, &self.up)?);
        watch.see(Site::Gate, self.index, &gate)?;
        watch.see(Site::Up, self.index, &up)?;
        let activated = match step.config.activation {
            Activation::Silu => silu(&gate)?,
        };
        let gated = (activated * up)?;
        watch.see(Site::Gated, self.index, &gated)?;
        let x = (x + linear(&gated, &self.down)?)?;
        watch.see(Site::FfnResidual, self.index, &x)?;
        Ok(x)
    }

    /// Weighted values of all heads, tokens x q width.
    fn attention(
        &self,
        step: &Step<'_>,
        normed: &Tensor,
        cache: &mut Option<Cache>,
        watch: &mut Watch<'_, '_>,
    ) -> Result<Tensor> {
        let config = step.config;
        let (q_norm, k_norm) = self.qk_norm.as_ref().map(|(q, k)| (q, k)).unzip();
        let q = turned(step, &heads(&linear(normed, &self.q)?, config.heads)?, q_norm)?;
        let k = turned(step, &heads(&linear(normed, &self.k)?, config.kv_heads)?, k_norm)?;
        let v = heads(&linear(normed, &self.v)?, config.kv_heads)?;
        watch.see_heads(Site::Q, self.index, &q)?;
        watch.see_heads(Site::K, self.index, &k)?;
        watch.see_heads(Site::V, self.index, &v)?;
        let Cache { keys, values } = Cache::append(cache, k, v)?;

        // The query heads of a kv head follow each other, so they become one taller matrix per kv head.
        let (tokens, positions) = step.mask.dims2()?;
        let group = config.heads / config.kv_heads;
        let q = (q.reshape((config.kv_heads, group * tokens, config.head_dim))? * config.attention_scale())?;
        let scores = q.matmul(&keys.t()?)?.reshape((config.heads, tokens, positions))?;
        let weights = softmax_last_dim(&scores.broadcast_add(&step.mask)?)?;
        let weights = weights.reshape((config.kv_heads, group * tokens, positions))?;
        let mixed = weights.matmul(&values)?.reshape((config.heads, tokens, config.head_dim))?;
        watch.see_heads(Site::Attn, self.index, &mixed)?;
        mixed.transpose(0, 1)?.flatten_from(1)
    }
}

impl Cache {
    /// Adds the new rows and returns the whole.
    fn append(cache: &mut Option<Self>, k: Tensor, v: Tensor) -> Result<Self> {
        let (keys, values) = match cache.take() {
            None => (k, v),
            Some(old) => (Tensor::cat(&[&old.keys, &k], 1)?, Tensor::cat(&[&old.values, &v], 1)?),
        };
        Ok(cache.insert(Self { keys, values }).clone())
    }
}

/// `x` times the transpose of `weight`, whose rows are output channels.
pub(super) fn linear(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    x.matmul(&weight.t()?)
}

/// Tokens x (heads * channels) to heads x tokens x channels.
fn heads(x: &Tensor, count: usize) -> Result<Tensor> {
    let (tokens, width) = x.dims2()?;
    x.reshape((tokens, count, width / count))?.transpose(0, 1)?.contiguous()
}

/// The heads after their norm, if any, and RoPE.
fn turned(step: &Step<'_>, heads: &Tensor, gain: Option<&Tensor>) -> Result<Tensor> {
    let normed = match gain {
        Some(gain) => rms_norm(heads, gain, step.config.norm_eps)?,
        None => heads.clone(),
    };
    let batch = normed.unsqueeze(0)?;
    let turned = match step.config.rope.pairing {
        RopePairing::Interleaved => rope_i(&batch, &step.cos, &step.sin)?,
        RopePairing::HalfSplit => rope(&batch, &step.cos, &step.sin)?,
    };
    turned.squeeze(0)
}
