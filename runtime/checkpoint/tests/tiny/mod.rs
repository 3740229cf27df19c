//! A two-layer llama with random weights, written as a GGUF file and as a Hugging Face directory.

// Each test binary uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use sagen_checkpoint::model::{Activation, LayerTensor, ModelConfig, Rope, RopePairing, RopeScaling, TensorName};
use sagen_checkpoint::weights::{Checkpoint, Matrix};
use serde_json::json;

/// No two widths are equal, so that none can stand for another.
pub(crate) fn config(pairing: RopePairing, tied_embeddings: bool) -> ModelConfig {
    ModelConfig {
        family: "llama",
        layers: 2,
        hidden: 48,
        ffn: 80,
        heads: 4,
        kv_heads: 2,
        head_dim: 8,
        vocab: 96,
        context: 64,
        norm_eps: 1e-5,
        rope: Rope { theta: 1e4, pairing, scaling: RopeScaling::None },
        tied_embeddings,
        activation: Activation::Silu,
        embed_scale: 1.0,
        qk_norm: false,
    }
}

/// The weights, as a Hugging Face checkpoint has them.
pub(crate) fn checkpoint(tied_embeddings: bool) -> Checkpoint {
    Checkpoint::random(config(RopePairing::HalfSplit, tied_embeddings), 1).unwrap()
}

/// What is about to be written, for a test to change.
pub(crate) struct Gguf {
    metadata: BTreeMap<String, Value>,
    tensors: BTreeMap<String, QTensor>,
}

impl Gguf {
    pub(crate) fn new(tied_embeddings: bool) -> Self {
        let checkpoint = checkpoint(tied_embeddings);
        let c = checkpoint.config();
        let metadata = [
            ("llama.block_count", c.layers),
            ("llama.context_length", c.context),
            ("llama.embedding_length", c.hidden),
            ("llama.feed_forward_length", c.ffn),
            ("llama.attention.head_count", c.heads),
            ("llama.attention.head_count_kv", c.kv_heads),
            ("llama.attention.key_length", c.head_dim),
            ("llama.attention.value_length", c.head_dim),
            ("llama.rope.dimension_count", c.head_dim),
        ];
        let mut metadata: BTreeMap<String, Value> =
            metadata.into_iter().map(|(key, size)| (key.to_owned(), Value::U32(size as u32))).collect();
        metadata.insert("general.architecture".to_owned(), Value::String("llama".to_owned()));
        metadata.insert("llama.rope.freq_base".to_owned(), Value::F32(c.rope.theta as f32));
        metadata.insert("llama.attention.layer_norm_rms_epsilon".to_owned(), Value::F32(c.norm_eps));
        let tensors = c.tensors().map(|name| (gguf_name(name), quantised(&stored(&checkpoint, name))));
        Self { metadata, tensors: tensors.collect() }
    }

    pub(crate) fn with(mut self, key: &str, value: Value) -> Self {
        self.metadata.insert(key.to_owned(), value);
        self
    }

    pub(crate) fn without(mut self, key: &str) -> Self {
        self.metadata.remove(key).expect("the key was there");
        self
    }

    pub(crate) fn with_tensor(mut self, name: &str, shape: &[usize], value: f32) -> Self {
        let data = Tensor::full(value, shape, &Device::Cpu).unwrap();
        self.tensors.insert(name.to_owned(), QTensor::quantize(&data, GgmlDType::F32).unwrap());
        self
    }

    pub(crate) fn without_tensor(mut self, name: &str) -> Self {
        self.tensors.remove(name).expect("the tensor was there");
        self
    }

    pub(crate) fn write(&self, path: &Path) {
        let metadata: Vec<_> = self.metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
        let tensors: Vec<_> = self.tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        gguf_file::write(&mut std::fs::File::create(path).unwrap(), &metadata, &tensors).unwrap();
    }
}

fn quantised(matrix: &Matrix) -> QTensor {
    let shape = if matrix.rows == 1 { vec![matrix.columns] } else { vec![matrix.rows, matrix.columns] };
    QTensor::quantize(&Tensor::from_slice(&matrix.data, shape, &Device::Cpu).unwrap(), GgmlDType::F32).unwrap()
}

/// GGUF files of this architecture interleave the two halves of each q and k head.
fn stored(checkpoint: &Checkpoint, name: TensorName) -> Matrix {
    let mut matrix = checkpoint.tensor(name).unwrap();
    if let TensorName::Layer(_, LayerTensor::Q | LayerTensor::K) = name {
        let head_dim = checkpoint.config().head_dim;
        let original = matrix.clone();
        for row in 0..matrix.rows {
            let (head, channel) = (row / head_dim, row % head_dim);
            let from = head * head_dim + channel / 2 + channel % 2 * (head_dim / 2);
            matrix.data[row * matrix.columns..][..matrix.columns].copy_from_slice(original.row(from));
        }
    }
    matrix
}

fn gguf_name(name: TensorName) -> String {
    let name = name.to_string();
    match name.as_str() {
        "embed" => "token_embd.weight".to_owned(),
        "final_norm" => "output_norm.weight".to_owned(),
        "head" => "output.weight".to_owned(),
        layer => {
            let (layer, tensor) = layer.strip_prefix("layer.").unwrap().split_once('.').unwrap();
            let part = match tensor {
                "o" => "attn_output".to_owned(),
                "q" | "k" | "v" => format!("attn_{tensor}"),
                "gate" | "up" | "down" => format!("ffn_{tensor}"),
                norm => norm.to_owned(),
            };
            format!("blk.{layer}.{part}.weight")
        }
    }
}

/// `config.json` of the model.
pub(crate) fn hf_config(tied_embeddings: bool) -> serde_json::Value {
    hf_config_of(&config(RopePairing::HalfSplit, tied_embeddings))
}

/// `config.json` of a model of any shape.
pub(crate) fn hf_config_of(c: &ModelConfig) -> serde_json::Value {
    json!({
        "architectures": ["LlamaForCausalLM"],
        "num_hidden_layers": c.layers, "hidden_size": c.hidden, "intermediate_size": c.ffn,
        "num_attention_heads": c.heads, "num_key_value_heads": c.kv_heads, "head_dim": c.head_dim,
        "vocab_size": c.vocab, "max_position_embeddings": c.context, "rms_norm_eps": c.norm_eps,
        "hidden_act": "silu", "rope_theta": c.rope.theta, "tie_word_embeddings": c.tied_embeddings,
        "torch_dtype": "float32"
    })
}

/// Tensors of a Hugging Face checkpoint by name: shape and elements.
pub(crate) type HfTensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

pub(crate) fn hf_tensors(tied_embeddings: bool) -> HfTensors {
    hf_tensors_of(&checkpoint(tied_embeddings))
}

pub(crate) fn hf_tensors_of(checkpoint: &Checkpoint) -> HfTensors {
    let tensor = |name: TensorName| {
        let matrix = checkpoint.tensor(name).unwrap();
        let shape = if matrix.rows == 1 { vec![matrix.columns] } else { vec![matrix.rows, matrix.columns] };
        (hf_name(name), (shape, matrix.data))
    };
    checkpoint.config().tensors().map(tensor).collect()
}

pub(crate) fn hf_name(name: TensorName) -> String {
    let name = name.to_string();
    match name.as_str() {
        "embed" => "model.embed_tokens.weight".to_owned(),
        "final_norm" => "model.norm.weight".to_owned(),
        "head" => "lm_head.weight".to_owned(),
        layer => {
            let (layer, tensor) = layer.strip_prefix("layer.").unwrap().split_once('.').unwrap();
            let part = match tensor {
                "q" | "k" | "v" | "o" => format!("self_attn.{tensor}_proj"),
                "gate" | "up" | "down" => format!("mlp.{tensor}_proj"),
                "attn_norm" => "input_layernorm".to_owned(),
                _ => "post_attention_layernorm".to_owned(),
            };
            format!("model.layers.{layer}.{part}.weight")
        }
    }
}

/// Writes one file of f32 tensors.
pub(crate) fn write_safetensors<'a>(
    path: &Path,
    tensors: impl IntoIterator<Item = (&'a String, &'a (Vec<usize>, Vec<f32>))>,
) {
    use safetensors::tensor::{Dtype, TensorView, serialize_to_file};
    let bytes = |data: &[f32]| data.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let owned: Vec<_> = tensors.into_iter().map(|(name, (shape, data))| (name, shape.clone(), bytes(data))).collect();
    let views =
        owned.iter().map(|(name, shape, data)| (name, TensorView::new(Dtype::F32, shape.clone(), data).unwrap()));
    serialize_to_file(views, None, path).unwrap();
}

/// Writes a whole directory.
pub(crate) fn write_hf(directory: &Path, config: &serde_json::Value, tensors: &HfTensors) {
    std::fs::write(directory.join("config.json"), config.to_string()).unwrap();
    write_safetensors(&directory.join("model.safetensors"), tensors);
}
