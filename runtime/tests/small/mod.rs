//! A small random model and the overlays that it is compiled for.

// Each test binary uses a part of it.
#![allow(dead_code)]

use std::sync::Arc;

use sagen_checkpoint::model::{Activation, ModelConfig, Rope, RopePairing, RopeScaling};
use sagen_compile::{CompileOptions, Fusion, compile_shape};
use sagen_config::Board;
use sagen_streamed_arch::{ModelProgram, StreamedConfig, StreamedFile};

/// A shipped overlay, changed before it is checked.
pub(crate) fn overlay_with(name: &str, change: impl Fn(&mut StreamedFile, &mut Board)) -> StreamedConfig {
    let read = |path: String| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/");
        std::fs::read_to_string(format!("{folder}{path}.yaml")).unwrap()
    };
    let mut file: StreamedFile = serde_saphyr::from_str(&read(name.to_owned())).unwrap();
    let mut board: Board = serde_saphyr::from_str(&read(format!("boards/{}", file.board))).unwrap();
    change(&mut file, &mut board);
    StreamedConfig::new(file, board).unwrap()
}

pub(crate) fn overlay(name: &str) -> StreamedConfig {
    overlay_with(name, |_, _| {})
}

pub(crate) const LARGE: &str = "d16_100mhz_w128_p6";

pub(crate) fn options() -> CompileOptions {
    CompileOptions { context: 64, logits: false, fuse: Fusion::ALL }
}

pub(crate) fn fixture(overlay: &StreamedConfig, options: &CompileOptions) -> Arc<ModelProgram> {
    Arc::new(compile_shape(config(), 7, overlay, options).unwrap())
}

/// The shape.
pub(crate) fn config() -> ModelConfig {
    ModelConfig {
        family: "llama",
        layers: 2,
        hidden: 128,
        ffn: 256,
        heads: 3,
        kv_heads: 1,
        head_dim: 64,
        vocab: 203,
        context: 64,
        norm_eps: 1e-5,
        rope: Rope { theta: 1e4, pairing: RopePairing::HalfSplit, scaling: RopeScaling::None },
        tied_embeddings: true,
        activation: Activation::Silu,
        embed_scale: 1.0,
        qk_norm: false,
    }
}
