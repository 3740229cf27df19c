//! Shapes of models without their weights: data files, for predictions and for runs with random weights.

use crate::model::{Activation, ModelConfig, ModelError, Rope, RopePairing, RopeScaling};
use sagen_host::spelling;
use serde::Deserialize;
use serde_saphyr::UserMessageFormatter;

/// Name and text of every shape.
const SHAPES: [&str; 4] = [
    include_str!("../../../configs/shapes/smollm2.yaml"),
    include_str!("../../../configs/shapes/gemma-3-270m.yaml"),
    include_str!("../../../configs/shapes/qwen3-0.6b.yaml"),
    include_str!("../../../configs/shapes/llama-3.2-1b.yaml"),
];

/// Layers that see only the last keys.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Keys that they see.
    pub keys: usize,
    /// How many layers are such.
    pub layers: usize,
}

/// What the reference system publishes for the KV260 with four 128-bit stream ports.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Decode after a prompt of 32 tokens.
    pub decode_tok_per_s: f64,
    /// One step at position 2048.
    pub step_ms_at_2048: f64,
    /// Prefill of 64 tokens.
    pub prefill_tok_per_s: f64,
}

/// The numbers of a model.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Name.
    pub name: String,
    layers: usize,
    hidden: usize,
    ffn: usize,
    heads: usize,
    kv_heads: usize,
    head_dim: usize,
    vocab: usize,
    context: usize,
    norm_eps: f32,
    rope_theta: f64,
    /// Operations of the real model that are not part of the shape.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// Layers with a window.
    pub window: Option<Window>,
    /// Figures of the reference system, where it publishes some.
    pub reference: Option<Published>,
}

/// No such shape.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// Unknown name.
    #[error("unknown shape `{found}`{nearest}; known: {known}; the path of a shape file ends in .yaml")]
    Unknown {
        /// As given.
        found: String,
        /// A question that names the closest one, or nothing.
        nearest: String,
        /// All names.
        known: String,
    },
    /// A shape file is wrong.
    #[error("{file}: {reason}")]
    File {
        /// Which.
        file: String,
        /// Why.
        reason: String,
    },
    /// Numbers that no model can have.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl Shape {
    /// Every shape.
    pub fn all() -> Result<Vec<Self>, ShapeError> {
        SHAPES.iter().map(|text| Self::parse("a built-in shape", text)).collect()
    }

    /// The shape of a name, or described by the file at that path.
    pub fn find(name: &str) -> Result<Self, ShapeError> {
        if name.ends_with(".yaml") || name.ends_with(".yml") || name.contains(std::path::MAIN_SEPARATOR) {
            let text = std::fs::read_to_string(name);
            let text = text.map_err(|e| ShapeError::File { file: name.to_owned(), reason: e.to_string() })?;
            return Self::parse(name, &text);
        }
        let mut all = Self::all()?;
        if let Some(at) = all.iter().position(|s| s.name == name) {
            return Ok(all.swap_remove(at));
        }
        let known: Vec<&str> = all.iter().map(|s| s.name.as_str()).collect();
        let (found, known, nearest) = (name.to_owned(), known.join(", "), spelling::did_you_mean(name, known));
        Err(ShapeError::Unknown { found, nearest, known })
    }

    fn parse(file: &str, text: &str) -> Result<Self, ShapeError> {
        serde_saphyr::from_str(text).map_err(|e| {
            let reason = e.without_snippet().render_with_formatter(&UserMessageFormatter);
            ShapeError::File { file: file.to_owned(), reason }
        })
    }

    /// As a model, without what is left out.
    pub fn config(&self) -> Result<ModelConfig, ShapeError> {
        let rope = Rope { theta: self.rope_theta, pairing: RopePairing::HalfSplit, scaling: RopeScaling::None };
        let config = ModelConfig {
            family: "llama",
            layers: self.layers,
            hidden: self.hidden,
            ffn: self.ffn,
            heads: self.heads,
            kv_heads: self.kv_heads,
            head_dim: self.head_dim,
            vocab: self.vocab,
            context: self.context,
            norm_eps: self.norm_eps,
            rope,
            tied_embeddings: true,
            activation: Activation::Silu,
            embed_scale: 1.0,
            qk_norm: false,
        };
        config.check()?;
        Ok(config)
    }

    /// Blends what all layers take with all keys with what they take with a window of keys.
    ///
    /// `cycles` gives the cycles at a position, for a model whose layers are all alike.
    pub fn blend<E>(&self, position: usize, cycles: impl Fn(usize) -> Result<u64, E>) -> Result<u64, E> {
        let all = cycles(position)?;
        match self.window {
            Some(Window { keys, layers }) if position >= keys => {
                let windowed = cycles(keys - 1)?;
                Ok(all - all.saturating_sub(windowed) * layers as u64 / self.layers as u64)
            }
            Some(_) | None => Ok(all),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_a_model() {
        for shape in Shape::all().unwrap() {
            shape.config().unwrap();
            assert_eq!(Shape::find(&shape.name).unwrap(), shape);
        }
    }

    #[test]
    fn parameters_are_those_of_the_models() {
        let parameters = |name: &str| Shape::find(name).unwrap().config().unwrap().parameters();
        assert_eq!(parameters("smollm2"), 134_515_008);
        assert_eq!(parameters("llama-3.2-1b"), 1_235_814_400);
    }

    #[test]
    fn layers_with_a_window_cost_no_more_beyond_it() {
        let shape = Shape::find("gemma-3-270m").unwrap();
        let cycles = |position: usize| Ok::<_, ()>(1000 + 18 * position as u64);
        assert_eq!(shape.blend(100, cycles), cycles(100));
        assert_eq!(shape.blend(2047, cycles), Ok(1000 + 15 * 511 + 3 * 2047));
    }
}
