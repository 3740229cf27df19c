//! Shapes of models without their weights: data files, for predictions and for runs with random weights.

use crate::model::{Activation, ModelConfig, ModelError, Rope, RopePairing, RopeScaling};
use sagen_host::{files, spelling};
use serde::Deserialize;
use serde_saphyr::UserMessageFormatter;
use std::path::Path;

/// Name and text of the shapes that are built in.
const SHAPES: [(&str, &str); 4] = [
    ("smollm2", include_str!("../../../configs/shapes/smollm2.yaml")),
    ("gemma-3-270m", include_str!("../../../configs/shapes/gemma-3-270m.yaml")),
    ("qwen3-0.6b", include_str!("../../../configs/shapes/qwen3-0.6b.yaml")),
    ("llama-3.2-1b", include_str!("../../../configs/shapes/llama-3.2-1b.yaml")),
];
/// The user's shapes, in the current folder: they come first.
const FOLDER: &str = "configs/shapes";
/// Bytes of the largest shape file: a page of text is usual.
const LARGEST: u64 = 1 << 20;

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
    /// Names of the shapes that are known: those built in, and those that only the user has.
    #[must_use]
    pub fn names() -> Vec<String> {
        let mut names: Vec<String> = SHAPES.iter().map(|(name, _)| (*name).to_owned()).collect();
        let files = Path::new(FOLDER).read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
        let yaml = files.filter(|path| path.extension().is_some_and(|e| e == "yaml"));
        let mut own: Vec<String> = yaml.filter_map(|p| Some(p.file_stem()?.to_str()?.to_owned())).collect();
        own.retain(|name| !names.contains(name));
        own.sort();
        names.extend(own);
        names
    }

    /// The shape of a name, or described by the file at that path.
    pub fn find(name: &str) -> Result<Self, ShapeError> {
        if name.ends_with(".yaml") || name.ends_with(".yml") || name.contains(std::path::MAIN_SEPARATOR) {
            return Self::read(name);
        }
        let own = format!("{FOLDER}/{name}.yaml");
        if Path::new(&own).exists() {
            return Self::read(&own);
        }
        if let Some((_, text)) = SHAPES.iter().find(|(known, _)| *known == name) {
            return Self::parse(&format!("{FOLDER}/{name}.yaml (built in)"), text);
        }
        let known = Self::names();
        let nearest = spelling::did_you_mean(name, known.iter().map(String::as_str));
        Err(ShapeError::Unknown { found: name.to_owned(), nearest, known: known.join(", ") })
    }

    fn read(file: &str) -> Result<Self, ShapeError> {
        let failed = |reason: String| ShapeError::File { file: file.to_owned(), reason };
        let bytes = files::read_within(Path::new(file), LARGEST).map_err(|e| failed(e.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|e| failed(e.to_string()))?;
        Self::parse(file, &text)
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
        for name in Shape::names() {
            let shape = Shape::find(&name).unwrap();
            shape.config().unwrap();
            assert_eq!(shape.name, name);
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
