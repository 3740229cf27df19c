//! The llama family, from files of both formats to logits.

mod tiny;

use candle_core::quantized::gguf_file::Value;
use expect_test::{Expect, expect};
use sagen_checkpoint::model::{
    FAMILIES, LayerNorm, LayerTensor, ModelConfig, NormGain, RopePairing, RopeScaling, TensorName,
};
use sagen_checkpoint::reference::Reference;
use sagen_checkpoint::weights::{Checkpoint, Matrix, WeightsError};
use serde_json::json;
use tempfile::TempDir;
use tiny::Gguf;

const TOKENS: [u32; 7] = [5, 17, 95, 0, 17, 42, 3];

fn logits(checkpoint: &Checkpoint, tokens: &[u32]) -> Matrix {
    Reference::load(checkpoint).unwrap().session().forward(tokens).unwrap()
}

fn difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

fn open(gguf: &Gguf) -> Result<Checkpoint, WeightsError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    gguf.write(&path);
    Checkpoint::open(&path)
}

fn refuses(gguf: Gguf, message: Expect) {
    let error = open(&gguf).unwrap_err().to_string();
    message.assert_eq(error.rsplit_once("/model.gguf: ").expect("the file is named").1);
}

fn hf(
    change: impl FnOnce(&mut serde_json::Value, &mut tiny::HfTensors),
) -> (TempDir, Result<Checkpoint, WeightsError>) {
    let folder = tempfile::tempdir().unwrap();
    let (mut config, mut tensors) = (tiny::hf_config(false), tiny::hf_tensors(false));
    change(&mut config, &mut tensors);
    tiny::write_hf(folder.path(), &config, &tensors);
    let checkpoint = Checkpoint::open(folder.path());
    (folder, checkpoint)
}

fn hf_refuses(change: impl FnOnce(&mut serde_json::Value, &mut tiny::HfTensors), message: Expect) {
    let (folder, checkpoint) = hf(change);
    let error = checkpoint.unwrap_err().to_string();
    message.assert_eq(error.strip_prefix(&format!("{}: ", folder.path().display())).expect("the folder is named"));
}

/// A second, plain statement of the arithmetic: f64, no cache, one token and one head at a time.
mod plain {
    use super::*;

    type Vector = Vec<f64>;

    fn times(checkpoint: &Checkpoint, name: TensorName, x: &[f64]) -> Vector {
        let matrix = checkpoint.tensor(name).unwrap();
        let dot = |row: usize| matrix.row(row).iter().zip(x).map(|(w, x)| f64::from(*w) * x).sum();
        (0..matrix.rows).map(dot).collect()
    }

    fn norm(config: &ModelConfig, gain: &[f32], x: &[f64]) -> Vector {
        let mean = x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64;
        let rms = (mean + f64::from(config.norm_eps)).sqrt();
        x.iter().zip(gain).map(|(x, g)| x / rms * f64::from(*g)).collect()
    }

    fn turn(config: &ModelConfig, x: &mut [f64], position: usize) {
        let half = config.head_dim / 2;
        for head in x.chunks_mut(config.head_dim) {
            for i in 0..half {
                let (a, b) = match config.rope.pairing {
                    RopePairing::Interleaved => (2 * i, 2 * i + 1),
                    RopePairing::HalfSplit => (i, i + half),
                };
                let angle = position as f64 * config.rope.theta.powf(-(i as f64) / half as f64);
                let (u, v) = (head[a], head[b]);
                (head[a], head[b]) = (u * angle.cos() - v * angle.sin(), u * angle.sin() + v * angle.cos());
            }
        }
    }

    fn attend(config: &ModelConfig, q: &[f64], keys: &[Vector], values: &[Vector], head: usize) -> Vector {
        let kv = head / (config.heads / config.kv_heads) * config.head_dim;
        let scores = keys.iter().map(|key| {
            let dot: f64 = q.iter().zip(&key[kv..]).map(|(q, k)| q * k).sum();
            (dot / (config.head_dim as f64).sqrt()).exp()
        });
        let scores: Vector = scores.collect();
        let sum: f64 = scores.iter().sum();
        let mix = |c: usize| scores.iter().zip(values).map(|(s, value)| s / sum * value[kv + c]).sum();
        (0..config.head_dim).map(mix).collect()
    }

    fn heads_normed(checkpoint: &Checkpoint, name: TensorName, x: Vector) -> Vector {
        let config = checkpoint.config();
        if !config.qk_norm {
            return x;
        }
        let gain = checkpoint.tensor(name).unwrap().data;
        x.chunks(config.head_dim).flat_map(|head| norm(config, &gain, head)).collect()
    }

    pub(crate) fn logits(checkpoint: &Checkpoint, tokens: &[u32]) -> Vec<f32> {
        let config = checkpoint.config();
        let gain = |name| checkpoint.tensor(name).unwrap().data;
        let embed = checkpoint.tensor(TensorName::Embed).unwrap();
        let scale = f64::from(config.embed_scale);
        let row = |id: &u32| embed.row(*id as usize).iter().map(|v| f64::from(*v) * scale).collect();
        let mut x: Vec<Vector> = tokens.iter().map(row).collect();
        for layer in 0..config.layers {
            let name = |tensor| TensorName::Layer(layer, tensor);
            let norm_of = |norm| TensorName::Norm(NormGain::Layer(layer, norm));
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            for (position, x) in x.iter_mut().enumerate() {
                let n = norm(config, &gain(norm_of(LayerNorm::Attention)), x);
                let mut q =
                    heads_normed(checkpoint, norm_of(LayerNorm::Query), times(checkpoint, name(LayerTensor::Q), &n));
                let mut k =
                    heads_normed(checkpoint, norm_of(LayerNorm::Key), times(checkpoint, name(LayerTensor::K), &n));
                turn(config, &mut q, position);
                turn(config, &mut k, position);
                keys.push(k);
                values.push(times(checkpoint, name(LayerTensor::V), &n));
                let heads = q.chunks(config.head_dim).enumerate();
                let mixed: Vector = heads.flat_map(|(head, q)| attend(config, q, &keys, &values, head)).collect();
                add(x, &times(checkpoint, name(LayerTensor::O), &mixed));
                let n = norm(config, &gain(norm_of(LayerNorm::FeedForward)), x);
                let (gate, up) =
                    (times(checkpoint, name(LayerTensor::Gate), &n), times(checkpoint, name(LayerTensor::Up), &n));
                let gated: Vector = gate.iter().zip(up).map(|(g, u)| g / (1.0 + (-g).exp()) * u).collect();
                add(x, &times(checkpoint, name(LayerTensor::Down), &gated));
            }
        }
        let last = |x: &Vector| {
            times(checkpoint, TensorName::Head, &norm(config, &gain(TensorName::Norm(NormGain::Final)), x))
        };
        x.iter().flat_map(last).map(|v| v as f32).collect()
    }

    fn add(x: &mut [f64], y: &[f64]) {
        x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
    }
}

#[test]
fn every_family_has_such_tests() {
    for family in FAMILIES {
        let tests = format!("{}/tests/{}.rs", env!("CARGO_MANIFEST_DIR"), family.name);
        assert!(std::fs::exists(&tests).unwrap(), "{tests} is missing");
    }
}

#[test]
fn the_reference_agrees_with_the_arithmetic_written_out() {
    for pairing in [RopePairing::Interleaved, RopePairing::HalfSplit] {
        for special in [false, true] {
            let mut config = tiny::config(pairing, special);
            (config.qk_norm, config.embed_scale) = (special, if special { 3.5 } else { 1.0 });
            let checkpoint = Checkpoint::random(config, 7).unwrap();
            let off = difference(&logits(&checkpoint, &TOKENS).data, &plain::logits(&checkpoint, &TOKENS));
            assert!(off < 1e-5, "{pairing:?}, special {special}: off by {off}");
        }
    }
}

#[test]
fn token_by_token_gives_the_logits_of_all_at_once() {
    let checkpoint = tiny::checkpoint(true);
    let reference = Reference::load(&checkpoint).unwrap();
    let whole = reference.session().forward(&TOKENS).unwrap();
    let mut session = reference.session();
    let first = session.forward(&TOKENS[..3]).unwrap();
    let rest = TOKENS[3..].iter().flat_map(|token| session.forward(&[*token]).unwrap().data);
    let pieces: Vec<f32> = first.data.into_iter().chain(rest).collect();
    assert!(difference(&whole.data, &pieces) < 1e-5);
    assert_eq!(session.position(), TOKENS.len());
}

#[test]
fn both_formats_give_the_logits_of_the_same_weights() {
    for tied in [false, true] {
        let expected = logits(&tiny::checkpoint(tied), &TOKENS).data;
        let gguf = open(&Gguf::new(tied)).unwrap();
        assert_eq!(*gguf.config(), tiny::config(RopePairing::Interleaved, tied));
        assert!(difference(&logits(&gguf, &TOKENS).data, &expected) < 1e-5, "GGUF, tied {tied}");

        let folder = tempfile::tempdir().unwrap();
        tiny::write_hf(folder.path(), &tiny::hf_config(tied), &tiny::hf_tensors(tied));
        let hf = Checkpoint::open(folder.path()).unwrap();
        assert_eq!(*hf.config(), tiny::config(RopePairing::HalfSplit, tied));
        assert!(difference(&logits(&hf, &TOKENS).data, &expected) == 0.0, "Hugging Face, tied {tied}");
    }
}

#[test]
fn a_checkpoint_in_several_files_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let tensors = tiny::hf_tensors(false);
    let index = json!({"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}});
    std::fs::write(folder.path().join("config.json"), tiny::hf_config(false).to_string()).unwrap();
    std::fs::write(folder.path().join("model.safetensors.index.json"), index.to_string()).unwrap();
    tiny::write_safetensors(&folder.path().join("model-1.safetensors"), tensors.iter().take(9));
    let refusal = || {
        Checkpoint::open(folder.path()).unwrap_err().to_string().rsplit_once("json names").map(|(_, m)| m.to_owned())
    };
    assert_eq!(refusal().as_deref(), Some(" model-2.safetensors, which is not there"));
    tiny::write_safetensors(&folder.path().join("model-2.safetensors"), tensors.iter().skip(9));
    let expected = logits(&tiny::checkpoint(false), &TOKENS);
    assert_eq!(logits(&Checkpoint::open(folder.path()).unwrap(), &TOKENS), expected);
    tiny::write_safetensors(&folder.path().join("model-2.safetensors"), tensors.iter().skip(8));
    let error = Checkpoint::open(folder.path()).unwrap_err().to_string();
    expect![
        "tensor `model.layers.0.self_attn.o_proj.weight` is both in model-1.safetensors and in model-2.safetensors"
    ]
    .assert_eq(error.split_once(": ").unwrap().1);
}

#[test]
fn the_four_cases_of_tied_embeddings_are_told_apart() {
    let flag = |tied: bool| {
        move |config: &mut serde_json::Value, tensors: &mut tiny::HfTensors| {
            config["tie_word_embeddings"] = json!(tied);
            let _ = tensors;
        }
    };
    assert!(!hf(flag(false)).1.unwrap().config().tied_embeddings);
    hf_refuses(
        flag(true),
        expect![
            "tensor `lm_head.weight` does not belong to a model of the llama family (tie_word_embeddings is true, so which of the two heads is meant is unclear: remove the tensor or set the flag to false)"
        ],
    );
    let headless = |tied: bool| {
        move |config: &mut serde_json::Value, tensors: &mut tiny::HfTensors| {
            config["tie_word_embeddings"] = json!(tied);
            tensors.remove("lm_head.weight").unwrap();
        }
    };
    let tied = hf(headless(true)).1.unwrap();
    assert!(tied.config().tied_embeddings);
    assert_eq!(tied.tensor(TensorName::Head).unwrap(), tied.tensor(TensorName::Embed).unwrap());
    hf_refuses(
        headless(false),
        expect!["tensor `lm_head.weight` is missing (tie_word_embeddings is false, so the head must be stored)"],
    );
}

#[test]
fn gguf_models_that_cannot_be_run_are_refused_by_field() {
    let gguf = || Gguf::new(false);
    let text = |text: &str| Value::String(text.to_owned());
    refuses(
        gguf().with("general.architecture", text("mamba")),
        expect!["architecture `mamba` is not supported (supported: llama)"],
    );
    refuses(gguf().without("general.architecture"), expect!["metadata key `general.architecture` is missing"]);
    refuses(gguf().without("llama.block_count"), expect!["metadata key `llama.block_count` is missing"]);
    refuses(
        gguf().with("llama.block_count", text("two")),
        expect!["metadata key `llama.block_count` is `two`, expected an integer of at least 0"],
    );
    refuses(
        gguf().with("llama.attention.head_count_kv", Value::U32(3)),
        expect!["`kv_heads` is 3, but must be a divisor of heads = 4"],
    );
    refuses(
        gguf().with("llama.rope.dimension_count", Value::U32(4)),
        expect!["`llama.rope.dimension_count` is 4, but must be the head dimension, 8"],
    );
    refuses(
        gguf().with("llama.rope.scaling.type", text("yarn")),
        expect!["`llama.rope.scaling.type` is `yarn`, but must be `none`, or the tensor rope_freqs.weight without it"],
    );
    refuses(
        gguf().with("llama.rope.scale_linear", Value::F32(4.0)),
        expect!["`llama.rope.scale_linear` is 4, but must be 1"],
    );
    refuses(
        gguf().with("llama.expert_count", Value::U32(8)),
        expect!["`llama.expert_count` is 8, but must be 0 (no mixture of experts)"],
    );
    refuses(gguf().with("llama.block_count", Value::U32(3)), expect!["tensor `blk.2.attn_norm.weight` is missing"]);
    refuses(
        gguf().with("llama.feed_forward_length", Value::U32(81)),
        expect!["tensor `blk.0.ffn_gate.weight` has shape [80, 48], expected [81, 48]"],
    );
    refuses(
        gguf().with_tensor("blk.0.attn_q.bias", &[32], 0.0),
        expect!["tensor `blk.0.attn_q.bias` does not belong to a model of the llama family"],
    );
    refuses(gguf().without_tensor("output_norm.weight"), expect!["tensor `output_norm.weight` is missing"]);
    refuses(gguf().without_tensor("token_embd.weight"), expect!["tensor `token_embd.weight` is missing"]);
    refuses(
        gguf().with_tensor("rope_freqs.weight", &[3], 1.0),
        expect!["`rope.divisors` is a list of 3, but must be a list of 4 (half of head_dim)"],
    );
}

#[test]
fn gguf_rope_divisors_are_obeyed() {
    let checkpoint = open(&Gguf::new(false).with_tensor("rope_freqs.weight", &[4], 2.0)).unwrap();
    assert_eq!(checkpoint.config().rope.scaling, RopeScaling::Divisors(vec![2.0; 4]));
    let expected = logits(&tiny::checkpoint(false), &TOKENS).data;
    assert!(difference(&logits(&checkpoint, &TOKENS).data, &expected) > 0.01);
}

#[test]
fn a_weight_that_is_no_number_is_found_when_it_is_read() {
    let gguf = Gguf::new(false).with_tensor("blk.1.ffn_gate.weight", &[80, 48], f32::NAN);
    let error = Reference::load(&open(&gguf).unwrap()).unwrap_err().to_string();
    expect!["tensor `blk.1.ffn_gate.weight` holds NaN at row 0, column 0, but must be within -1e9..=1e9"]
        .assert_eq(error.rsplit_once("/model.gguf: ").unwrap().1);
}

#[test]
fn hugging_face_models_that_cannot_be_run_are_refused_by_field() {
    let set = |key: &'static str, value: serde_json::Value| {
        move |config: &mut serde_json::Value, _: &mut tiny::HfTensors| config[key] = value
    };
    hf_refuses(
        set("architectures", json!(["MambaForCausalLM"])),
        expect!["architecture `MambaForCausalLM` is not supported (supported: LlamaForCausalLM)"],
    );
    hf_refuses(set("architectures", json!(null)), expect!["`architectures` is missing"]);
    hf_refuses(set("hidden_act", json!("gelu")), expect!["`hidden_act` is `gelu`, but must be `silu`"]);
    hf_refuses(set("attention_bias", json!(true)), expect!["`attention_bias` is true, but must be false"]);
    hf_refuses(set("mlp_bias", json!(true)), expect!["`mlp_bias` is true, but must be false"]);
    hf_refuses(set("partial_rotary_factor", json!(0.5)), expect!["`partial_rotary_factor` is 0.5, but must be 1"]);
    hf_refuses(
        set("quantization_config", json!({"quant_method": "compressed-tensors"})),
        expect![
            "config.json: quantization_config.quant_method `compressed-tensors` is not supported (supported: none)"
        ],
    );
    hf_refuses(
        set("rope_scaling", json!({"rope_type": "yarn", "factor": 4.0})),
        expect!["`rope_scaling.rope_type` is `yarn`, but must be `default` or `llama3`"],
    );
    hf_refuses(
        set("rope_scaling", json!({"rope_type": "llama3", "factor": 4.0})),
        expect!["`rope_scaling.low_freq_factor` is missing"],
    );
    hf_refuses(
        set("hidden_size", json!("wide")),
        expect![[r#"config.json: invalid type: string "wide", expected usize at line 1 column 91"#]],
    );
    hf_refuses(
        set("vocab_size", json!(97)),
        expect!["tensor `model.embed_tokens.weight` has shape [96, 48], expected [97, 48]"],
    );
    hf_refuses(
        |_, tensors| drop(tensors.remove("model.layers.1.mlp.up_proj.weight")),
        expect!["tensor `model.layers.1.mlp.up_proj.weight` is missing"],
    );
    hf_refuses(
        |_, tensors| drop(tensors.insert("model.layers.0.self_attn.q_proj.bias".to_owned(), (vec![1], vec![0.0]))),
        expect!["tensor `model.layers.0.self_attn.q_proj.bias` does not belong to a model of the llama family"],
    );
}

#[test]
fn llama3_scaling_is_read_in_either_spelling() {
    let written = json!({"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192, "rope_theta": 500000.0});
    let expected =
        RopeScaling::Llama3 { factor: 32.0, low_freq_factor: 1.0, high_freq_factor: 4.0, original_context: 8192.0 };
    for (key, theta) in [("rope_scaling", 1e4), ("rope_parameters", 5e5)] {
        let mut written = written.clone();
        if key == "rope_scaling" {
            written.as_object_mut().unwrap().remove("rope_theta");
        }
        let (_folder, checkpoint) = hf(|config, _| config[key] = written);
        let rope = checkpoint.unwrap().config().rope.clone();
        assert_eq!((rope.scaling, rope.theta), (expected.clone(), theta));
    }
}

#[test]
fn damaged_safetensors_are_refused_and_the_place_named() {
    let (folder, checkpoint) = hf(|_, _| ());
    drop(checkpoint.unwrap());
    let path = folder.path().join("model.safetensors");
    let whole = std::fs::read(&path).unwrap();
    let refusal = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Checkpoint::open(folder.path()).unwrap_err().to_string().split_once(": ").unwrap().1.to_owned()
    };
    expect!["model.safetensors: truncated: tensor `model.norm.weight` ends at byte 168936, the file has 168935 bytes"]
        .assert_eq(&refusal(&whole[..whole.len() - 1]));
    expect!["model.safetensors: invalid header length"].assert_eq(&refusal(&whole[..100]));
    expect!["model.safetensors: header too small"].assert_eq(&refusal(&whole[..5]));
    let text = String::from_utf8_lossy(&whole).into_owned();
    let at = text.find("\"F32\"").unwrap();
    let mut other = whole.clone();
    other[at..at + 5].copy_from_slice(b"\"I32\"");
    expect!["model.safetensors: tensor `lm_head.weight` has element type I32 (supported: F32, F16, BF16)"]
        .assert_eq(&refusal(&other));
    std::fs::remove_file(&path).unwrap();
    expect!["no *.safetensors file"]
        .assert_eq(Checkpoint::open(folder.path()).unwrap_err().to_string().split_once(": ").unwrap().1);
    std::fs::write(folder.path().join("config.json"), "{").unwrap();
    expect!["config.json: EOF while parsing an object at line 1 column 1"]
        .assert_eq(Checkpoint::open(folder.path()).unwrap_err().to_string().split_once(": ").unwrap().1);
    expect!["/nowhere/model.gguf: No such file or directory (os error 2)"]
        .assert_eq(&Checkpoint::open("/nowhere/model.gguf".as_ref()).unwrap_err().to_string());
}

#[test]
fn half_precision_weights_are_read() {
    use safetensors::tensor::{Dtype, TensorView, serialize_to_file};
    let (folder, _) = hf(|_, _| ());
    let tensors = tiny::hf_tensors(false);
    for dtype in [Dtype::F16, Dtype::BF16] {
        let bytes = |data: &[f32]| -> Vec<u8> {
            data.iter()
                .flat_map(|v| match dtype {
                    Dtype::F16 => half::f16::from_f32(*v).to_le_bytes(),
                    _ => half::bf16::from_f32(*v).to_le_bytes(),
                })
                .collect()
        };
        let owned: Vec<_> = tensors.iter().map(|(name, (shape, data))| (name, shape.clone(), bytes(data))).collect();
        let views =
            owned.iter().map(|(name, shape, data)| (name, TensorView::new(dtype, shape.clone(), data).unwrap()));
        serialize_to_file(views, None, &folder.path().join("model.safetensors")).unwrap();
        let embed = Checkpoint::open(folder.path()).unwrap().tensor(TensorName::Embed).unwrap();
        let (_, expected) = &tensors["model.embed_tokens.weight"];
        for (read, expected) in embed.data.iter().zip(expected) {
            assert!((read - expected).abs() <= expected.abs() / 256.0 + 1e-7, "{dtype:?}: {read} for {expected}");
        }
    }
}

#[test]
fn sequences_that_do_not_fit_are_refused() {
    let reference = Reference::load(&tiny::checkpoint(true)).unwrap();
    let refusal = |tokens: &[u32]| reference.session().forward(tokens).unwrap_err().to_string();
    expect!["token id is 96, the vocabulary has 96 ids"].assert_eq(&refusal(&[1, 96]));
    expect!["the sequence would have 65 tokens, the model's context is 64"].assert_eq(&refusal(&[1; 65]));
}
