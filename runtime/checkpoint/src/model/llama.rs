//! The llama family: RMSNorm, RoPE, grouped-query attention, SiLU-gated feed-forward, no biases.
//!
//! Trap: GGUF files of this architecture have their q and k rows permuted, so RoPE pairs are interleaved there
//! and half-split in Hugging Face checkpoints.

use serde::Deserialize;

use super::{
    Activation, Family, LayerNorm, LayerTensor, ModelConfig, ModelError, NormGain, Rope, RopePairing, RopeScaling,
    TensorName,
};
use crate::weights::gguf::GgufFile;

pub(super) const FAMILY: Family = Family {
    name: "llama",
    gguf_architecture: "llama",
    hf_architecture: "LlamaForCausalLM",
    from_gguf,
    from_hf,
    gguf_name,
    hf_name,
    gguf_metadata_tensors: &[GGUF_ROPE_DIVISORS],
};

/// Llama 3 files carry the effect of their RoPE scaling as one divisor per pair, and say nothing in the metadata.
const GGUF_ROPE_DIVISORS: &str = "rope_freqs.weight";

fn from_gguf(file: &GgufFile) -> Result<ModelConfig, ModelError> {
    let metadata = file.metadata();
    let size = |key: &str| metadata.usize(&format!("llama.{key}"));
    let size_or = |key: &str, default: usize| metadata.usize_or(&format!("llama.{key}"), default);
    let (hidden, heads) = (size("embedding_length")?, size("attention.head_count")?);
    let head_dim = size_or("attention.key_length", hidden.checked_div(heads).unwrap_or(0))?;
    for (key, default) in [("attention.value_length", head_dim), ("rope.dimension_count", head_dim)] {
        let found = size_or(key, default)?;
        if found != head_dim {
            let allowed = format!("the head dimension, {head_dim}");
            return Err(ModelError::field(format!("llama.{key}"), found, allowed));
        }
    }
    if size_or("expert_count", 0)? != 0 {
        return Err(ModelError::field("llama.expert_count", size("expert_count")?, "0 (no mixture of experts)"));
    }
    Ok(ModelConfig {
        family: FAMILY.name,
        layers: size("block_count")?,
        hidden,
        ffn: size("feed_forward_length")?,
        heads,
        kv_heads: size_or("attention.head_count_kv", heads)?,
        head_dim,
        vocab: file.rows(&gguf_name(TensorName::Embed))?,
        context: size("context_length")?,
        norm_eps: metadata.f64("llama.attention.layer_norm_rms_epsilon")? as f32,
        rope: Rope {
            // The format's own default, left out by files of the first Llama generation.
            theta: metadata.f64_or("llama.rope.freq_base", 10_000.0)?,
            pairing: RopePairing::Interleaved,
            scaling: gguf_scaling(file)?,
        },
        tied_embeddings: !file.has(&gguf_name(TensorName::Head)),
        activation: Activation::Silu,
        embed_scale: 1.0,
        qk_norm: false,
    })
}

fn gguf_scaling(file: &GgufFile) -> Result<RopeScaling, ModelError> {
    const TYPE: &str = "llama.rope.scaling.type";
    let kind = file.metadata().text_or(TYPE, "none")?;
    if kind != "none" {
        let allowed = format!("`none`, or the tensor {GGUF_ROPE_DIVISORS} without it");
        return Err(ModelError::field(TYPE, format!("`{kind}`"), allowed));
    }
    // Older files give a linear scale under its own key and no type.
    let linear = file.metadata().f64_or("llama.rope.scale_linear", 1.0)?;
    if linear != 1.0 {
        return Err(ModelError::field("llama.rope.scale_linear", linear, "1"));
    }
    if file.has(GGUF_ROPE_DIVISORS) {
        Ok(RopeScaling::Divisors(file.read(GGUF_ROPE_DIVISORS)?))
    } else {
        Ok(RopeScaling::None)
    }
}

fn gguf_name(name: TensorName) -> String {
    match name {
        TensorName::Embed => "token_embd.weight".to_owned(),
        TensorName::Norm(NormGain::Final) => "output_norm.weight".to_owned(),
        TensorName::Norm(NormGain::Layer(layer, norm)) => {
            let norm = match norm {
                LayerNorm::Attention => "attn_norm",
                LayerNorm::Query => "attn_q_norm",
                LayerNorm::Key => "attn_k_norm",
                LayerNorm::FeedForward => "ffn_norm",
            };
            format!("blk.{layer}.{norm}.weight")
        }
        TensorName::Head => "output.weight".to_owned(),
        TensorName::Layer(layer, tensor) => {
            let tensor = match tensor {
                LayerTensor::Q => "attn_q",
                LayerTensor::K => "attn_k",
                LayerTensor::V => "attn_v",
                LayerTensor::O => "attn_output",
                LayerTensor::Gate => "ffn_gate",
                LayerTensor::Up => "ffn_up",
                LayerTensor::Down => "ffn_down",
            };
            format!("blk.{layer}.{tensor}.weight")
        }
    }
}

fn hf_name(name: TensorName) -> String {
    match name {
        TensorName::Embed => "model.embed_tokens.weight".to_owned(),
        TensorName::Norm(NormGain::Final) => "model.norm.weight".to_owned(),
        TensorName::Norm(NormGain::Layer(layer, norm)) => {
            let norm = match norm {
                LayerNorm::Attention => "input_layernorm",
                LayerNorm::Query => "self_attn.q_norm",
                LayerNorm::Key => "self_attn.k_norm",
                LayerNorm::FeedForward => "post_attention_layernorm",
            };
            format!("model.layers.{layer}.{norm}.weight")
        }
        TensorName::Head => "lm_head.weight".to_owned(),
        TensorName::Layer(layer, tensor) => {
            let tensor = match tensor {
                LayerTensor::Q => "self_attn.q_proj",
                LayerTensor::K => "self_attn.k_proj",
                LayerTensor::V => "self_attn.v_proj",
                LayerTensor::O => "self_attn.o_proj",
                LayerTensor::Gate => "mlp.gate_proj",
                LayerTensor::Up => "mlp.up_proj",
                LayerTensor::Down => "mlp.down_proj",
            };
            format!("model.layers.{layer}.{tensor}.weight")
        }
    }
}

/// The fields of `config.json` that change the arithmetic; a checkpoint carries many others that do not.
#[derive(Deserialize)]
struct LlamaFile {
    num_hidden_layers: usize,
    hidden_size: usize,
    intermediate_size: usize,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    vocab_size: usize,
    max_position_embeddings: usize,
    rms_norm_eps: f32,
    hidden_act: String,
    rope_theta: Option<f64>,
    rope_scaling: Option<RopeFile>,
    rope_parameters: Option<RopeFile>,
    partial_rotary_factor: Option<f64>,
    #[serde(default)]
    tie_word_embeddings: bool,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    mlp_bias: bool,
}

/// `rope_scaling`, or `rope_parameters` as later releases write it.
#[derive(Deserialize)]
struct RopeFile {
    #[serde(alias = "type")]
    rope_type: String,
    rope_theta: Option<f64>,
    factor: Option<f64>,
    low_freq_factor: Option<f64>,
    high_freq_factor: Option<f64>,
    original_max_position_embeddings: Option<f64>,
}

fn from_hf(text: &str) -> Result<ModelConfig, ModelError> {
    let file: LlamaFile = serde_json::from_str(text).map_err(|reason| ModelError::Json { reason })?;
    if file.hidden_act != "silu" {
        return Err(ModelError::field("hidden_act", format!("`{}`", file.hidden_act), "`silu`"));
    }
    for (field, found) in [("attention_bias", file.attention_bias), ("mlp_bias", file.mlp_bias)] {
        if found {
            return Err(ModelError::field(field, found, "false"));
        }
    }
    if let Some(part) = file.partial_rotary_factor.filter(|part| *part != 1.0) {
        return Err(ModelError::field("partial_rotary_factor", part, "1"));
    }
    Ok(ModelConfig {
        family: FAMILY.name,
        layers: file.num_hidden_layers,
        hidden: file.hidden_size,
        ffn: file.intermediate_size,
        heads: file.num_attention_heads,
        kv_heads: file.num_key_value_heads.unwrap_or(file.num_attention_heads),
        head_dim: file.head_dim.or(file.hidden_size.checked_div(file.num_attention_heads)).unwrap_or(0),
        vocab: file.vocab_size,
        context: file.max_position_embeddings,
        norm_eps: file.rms_norm_eps,
        rope: hf_rope(&file)?,
        tied_embeddings: file.tie_word_embeddings,
        activation: Activation::Silu,
        embed_scale: 1.0,
        qk_norm: false,
    })
}

fn hf_rope(file: &LlamaFile) -> Result<Rope, ModelError> {
    let written = file.rope_parameters.as_ref().or(file.rope_scaling.as_ref());
    // The format's own default, left out by checkpoints of the first Llama generation.
    let theta = written.and_then(|rope| rope.rope_theta).or(file.rope_theta).unwrap_or(10_000.0);
    let scaling = match written.map(|rope| (rope.rope_type.as_str(), rope)) {
        None | Some(("default", _)) => RopeScaling::None,
        Some(("llama3", rope)) => {
            let need = |field: &str, value: Option<f64>| value.ok_or_else(|| ModelError::missing(field));
            RopeScaling::Llama3 {
                factor: need("rope_scaling.factor", rope.factor)?,
                low_freq_factor: need("rope_scaling.low_freq_factor", rope.low_freq_factor)?,
                high_freq_factor: need("rope_scaling.high_freq_factor", rope.high_freq_factor)?,
                original_context: need(
                    "rope_scaling.original_max_position_embeddings",
                    rope.original_max_position_embeddings,
                )?,
            }
        }
        Some((other, _)) => {
            return Err(ModelError::field("rope_scaling.rope_type", format!("`{other}`"), "`default` or `llama3`"));
        }
    };
    Ok(Rope { theta, pairing: RopePairing::HalfSplit, scaling })
}
