//! How far a compiled model is from the float reference, teacher forced.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use sagen_checkpoint::reference::{Reference, ReferenceError};
use sagen_checkpoint::weights::Checkpoint;
use sagen_engine::{EngineError, Session};
use sagen_streamed_arch::{Device, DeviceError, ModelProgram, StreamedConfig};
use sagen_streamed_golden::Machine;
use sagen_streamed_isa::CHUNK_ROWS;

/// Tokens that the reference sees at a time: a row of its logits is as wide as the vocabulary.
const REFERENCE_ROWS: usize = 128;

/// Why there is no comparison.
#[derive(Debug, thiserror::Error)]
pub enum QualityError {
    /// The compiled model failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It could not be loaded.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The float reference failed.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
}

/// Agreement with the reference over a sequence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Quality {
    /// Positions compared.
    pub positions: usize,
    /// Share of positions at which both choose the same token.
    pub top1: f64,
    /// Mean Kullback-Leibler divergence from the reference's distribution, in nats.
    pub kl: f64,
    /// Perplexity of the compiled model; of all positions but the last.
    pub perplexity: f64,
    /// Perplexity of the reference.
    pub reference_perplexity: f64,
}

/// Of a program compiled with logits, on a golden machine.
pub fn on_golden(
    overlay: &StreamedConfig,
    program: &Arc<ModelProgram>,
    checkpoint: &Checkpoint,
    tokens: &[u32],
) -> Result<Quality, QualityError> {
    let reference = Reference::load(checkpoint)?;
    let mut machine = Machine::new(overlay);
    machine.load(&program.program)?;
    quality(program, &mut machine, &reference, tokens)
}

/// Runs both over the same tokens. The program must have been compiled with logits and be loaded.
pub fn quality(
    program: &Arc<ModelProgram>,
    device: &mut dyn Device,
    reference: &Reference,
    tokens: &[u32],
) -> Result<Quality, QualityError> {
    let mut session = Session::new(device, program, |_| {});
    session.check(tokens)?;
    let mut expected = reference.session();
    let mut sums = Sums::default();
    for (piece, start) in tokens.chunks(REFERENCE_ROWS).zip((0..).step_by(REFERENCE_ROWS)) {
        let reference_rows = expected.forward(piece)?;
        for (chunk, first) in piece.chunks(CHUNK_ROWS).zip((0..).step_by(CHUNK_ROWS)) {
            session.chunks(chunk)?;
            for row in 0..chunk.len() {
                session.head(row)?;
                let next = tokens.get(start + first + row + 1).copied();
                sums.add(&session.logits()?, reference_rows.row(first + row), next);
            }
        }
    }
    Ok(sums.mean())
}

/// A line a figure.
impl Display for Quality {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "positions           {:>9}", self.positions)?;
        writeln!(f, "top-1 agreement     {:>9.1} %", 100.0 * self.top1)?;
        writeln!(f, "mean KL             {:>9.4} nats", self.kl)?;
        writeln!(f, "perplexity          {:>9.3}", self.perplexity)?;
        writeln!(f, "float reference     {:>9.3}", self.reference_perplexity)
    }
}

#[derive(Default)]
struct Sums {
    positions: usize,
    agreed: usize,
    kl: f64,
    predicted: usize,
    loss: f64,
    reference_loss: f64,
}

impl Sums {
    fn add(&mut self, found: &[f32], expected: &[f32], next: Option<u32>) {
        let (found, expected) = (log_softmax(found), log_softmax(expected));
        self.positions += 1;
        self.agreed += usize::from(argmax(&found) == argmax(&expected));
        self.kl += expected.iter().zip(&found).map(|(e, f)| e.exp() * (e - f)).sum::<f64>();
        if let Some(next) = next {
            self.predicted += 1;
            self.loss -= found[next as usize];
            self.reference_loss -= expected[next as usize];
        }
    }

    fn mean(&self) -> Quality {
        let mean = |sum: f64, count: usize| sum / count.max(1) as f64;
        Quality {
            positions: self.positions,
            top1: mean(self.agreed as f64, self.positions),
            kl: mean(self.kl, self.positions),
            perplexity: mean(self.loss, self.predicted).exp(),
            reference_perplexity: mean(self.reference_loss, self.predicted).exp(),
        }
    }
}

fn log_softmax(logits: &[f32]) -> Vec<f64> {
    let greatest = logits.iter().fold(f32::NEG_INFINITY, |m, x| m.max(*x));
    let shifted = logits.iter().map(|x| f64::from(x - greatest));
    let total: f64 = shifted.clone().map(f64::exp).sum();
    shifted.map(|x| x - total.ln()).collect()
}

fn argmax(values: &[f64]) -> usize {
    values.iter().enumerate().fold(0, |best, (i, v)| if *v > values[best] { i } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_distributions_agree_and_do_not_diverge() {
        let mut sums = Sums::default();
        sums.add(&[1.0, 3.0, 2.0], &[11.0, 13.0, 12.0], Some(1));
        let same = sums.mean();
        assert_eq!(same.top1, 1.0);
        assert!(same.kl.abs() < 1e-12);
        assert!((same.perplexity - same.reference_perplexity).abs() < 1e-12);
        sums.add(&[1.0, 3.0, 2.0], &[3.0, 1.0, 2.0], None);
        assert_eq!(sums.mean().top1, 0.5);
        assert!(sums.mean().kl > 0.1);
    }
}
