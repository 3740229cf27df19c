//! One sequence being extended.

use candle_core::{Device, Tensor};
use candle_nn::ops::rms_norm;

use super::layer::{Cache, Step, linear};
use super::site::{Observer, Watch, matrix};
use super::{Reference, ReferenceError, Site};
use crate::weights::Matrix;

/// A sequence: its length and its keys and values.
#[derive(Debug)]
pub struct Session<'a> {
    model: &'a Reference,
    caches: Vec<Option<Cache>>,
    position: usize,
}

impl<'a> Session<'a> {
    pub(super) fn new(model: &'a Reference) -> Self {
        Self { model, caches: vec![None; model.layers.len()], position: 0 }
    }

    /// Number of tokens so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Appends tokens and returns a row of logits for each of them.
    ///
    /// Long texts are best fed in pieces of some hundred tokens: a row of logits is as wide as the vocabulary.
    pub fn forward(&mut self, tokens: &[u32]) -> Result<Matrix, ReferenceError> {
        self.run(tokens, Watch { observer: None })
    }

    /// As [`Session::forward`], showing the activations of every site on the way.
    pub fn forward_observed(&mut self, tokens: &[u32], observer: &mut Observer<'_>) -> Result<Matrix, ReferenceError> {
        self.run(tokens, Watch { observer: Some(observer) })
    }

    /// Appends `prompt`, then up to `count` tokens of the highest logit each, ending before one of `stop`.
    pub fn greedy(&mut self, prompt: &[u32], count: usize, stop: &[u32]) -> Result<Vec<u32>, ReferenceError> {
        let mut generated = Vec::new();
        let mut logits = self.forward(prompt)?;
        while generated.len() < count && logits.rows > 0 {
            let next = argmax(logits.row(logits.rows - 1));
            if stop.contains(&next) {
                break;
            }
            generated.push(next);
            logits = self.forward(&[next])?;
        }
        Ok(generated)
    }

    fn run(&mut self, tokens: &[u32], mut watch: Watch<'_, '_>) -> Result<Matrix, ReferenceError> {
        let config = &self.model.config;
        if tokens.is_empty() {
            return Ok(Matrix { rows: 0, columns: config.vocab, data: Vec::new() });
        }
        let end = self.position + tokens.len();
        if end > config.context {
            return Err(ReferenceError::Context { found: end, context: config.context });
        }
        if let Some(&found) = tokens.iter().find(|id| **id as usize >= config.vocab) {
            return Err(ReferenceError::Token { found, vocab: config.vocab });
        }
        let step = self.step(tokens.len())?;
        let rows = self.model.embed.index_select(&Tensor::new(tokens, &Device::Cpu)?, 0)?;
        let mut x = (rows * f64::from(config.embed_scale))?;
        watch.see(Site::Embed, 0, &x)?;
        for (layer, cache) in self.model.layers.iter().zip(&mut self.caches) {
            x = layer.forward(&step, &x, cache, &mut watch)?;
        }
        self.position = end;
        let normed = rms_norm(&x, &self.model.final_norm, config.norm_eps)?;
        watch.see(Site::FinalNorm, config.layers, &normed)?;
        Ok(matrix(&linear(&normed, &self.model.head)?)?)
    }

    /// RoPE tables and causal mask of the next `count` tokens.
    fn step(&self, count: usize) -> Result<Step<'a>, ReferenceError> {
        let config = &self.model.config;
        let positions = self.position..self.position + count;
        let (cos, sin): (Vec<_>, Vec<_>) =
            positions.clone().map(|position| config.rope.cos_sin(config.head_dim, position)).unzip();
        let table = |rows: Vec<Vec<f64>>| {
            let data: Vec<f32> = rows.into_iter().flatten().map(|v| v as f32).collect();
            Tensor::from_vec(data, (count, config.head_dim / 2), &Device::Cpu)
        };
        let mask: Vec<f32> = positions
            .clone()
            .flat_map(|now| (0..positions.end).map(move |then| if then <= now { 0.0 } else { f32::NEG_INFINITY }))
            .collect();
        let mask = Tensor::from_vec(mask, (count, positions.end), &Device::Cpu)?;
        Ok(Step { config, cos: table(cos)?, sin: table(sin)?, mask })
    }
}

/// Index of the highest value; the lowest such index where several are equal.
fn argmax(values: &[f32]) -> u32 {
    let best = values.iter().enumerate().fold(0, |best, (i, v)| if *v > values[best] { i } else { best });
    u32::try_from(best).expect("a vocabulary is far below 2^32")
}
