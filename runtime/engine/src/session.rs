//! One sequence on a device: a batch of which only the first slot is used.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sagen_streamed_arch::step::Slot;
use sagen_streamed_arch::{Device, ModelProgram};
use sagen_streamed_isa::CHUNK_ROWS;

use crate::{Batch, Done, EngineError, Sampling};

/// The slot of the sequence.
const SLOT: Slot = Slot(0);
/// Why it exists.
const EXISTS: &str = "every program has a first slot";

/// A sequence being extended.
pub struct Session<'a> {
    batch: Batch<'a>,
    observer: Box<dyn FnMut(&Done) + 'a>,
}

impl<'a> Session<'a> {
    /// An empty sequence on a device that holds the program. `observer` sees every run.
    pub fn new(device: &'a mut dyn Device, program: &Arc<ModelProgram>, observer: impl FnMut(&Done) + 'a) -> Self {
        Self { batch: Batch::new(Box::new(device), Arc::clone(program)), observer: Box::new(observer) }
    }

    /// A sequence whose keys and values the device already holds, computed by another device.
    pub fn resume(
        device: &'a mut dyn Device,
        program: &Arc<ModelProgram>,
        tokens: Vec<u32>,
        observer: impl FnMut(&Done) + 'a,
    ) -> Self {
        let mut session = Self::new(device, program, observer);
        session.batch.resume(SLOT, tokens).expect(EXISTS);
        session
    }

    /// Tokens whose keys and values are in the cache.
    #[must_use]
    pub fn tokens(&self) -> &[u32] {
        self.batch.tokens(SLOT).expect(EXISTS)
    }

    /// The device, between runs.
    pub fn device(&mut self) -> &mut dyn Device {
        self.batch.device()
    }

    /// Refuse to go on from the moment on when this flag becomes true.
    pub fn stop_when(&mut self, cancelled: Arc<AtomicBool>) {
        self.batch.stop_when(cancelled);
    }

    /// Draw tokens from logits instead of taking the greatest.
    pub fn sample(&mut self, sampling: Sampling) -> Result<(), EngineError> {
        self.batch.sample(SLOT, Some(sampling))
    }

    /// Append a prompt in chunks, and choose the token that follows it.
    pub fn prefill(&mut self, prompt: &[u32]) -> Result<u32, EngineError> {
        self.check(prompt)?;
        self.chunks(prompt)?;
        self.head((self.tokens().len() - 1) % CHUNK_ROWS)
    }

    /// Append a prompt token by token, and choose the token that follows it: the same bits, slower.
    pub fn prefill_by_decode(&mut self, prompt: &[u32]) -> Result<u32, EngineError> {
        self.check(prompt)?;
        let mut next = 0;
        for token in prompt {
            next = self.decode_step(*token)?;
        }
        Ok(next)
    }

    /// Append one token, and choose the next.
    pub fn decode_step(&mut self, token: u32) -> Result<u32, EngineError> {
        let done = self.batch.decode(&[(SLOT, token)])?;
        (self.observer)(&done);
        Ok(done.next[0])
    }

    /// Append a prompt and generate up to `count` tokens, ending before one of `stop`. `each` sees every token.
    pub fn generate(
        &mut self,
        prompt: &[u32],
        count: usize,
        stop: &[u32],
        mut each: impl FnMut(u32),
    ) -> Result<Vec<u32>, EngineError> {
        let mut generated = Vec::new();
        let mut next = self.prefill(prompt)?;
        while generated.len() < count && !stop.contains(&next) {
            generated.push(next);
            each(next);
            if generated.len() < count {
                next = self.decode_step(next)?;
            }
        }
        Ok(generated)
    }

    /// Append tokens in chunks, without choosing one.
    pub fn chunks(&mut self, mut tokens: &[u32]) -> Result<(), EngineError> {
        while !tokens.is_empty() {
            let free = CHUNK_ROWS - self.tokens().len() % CHUNK_ROWS;
            let (chunk, rest) = tokens.split_at(free.min(tokens.len()));
            let done = self.batch.prefill(SLOT, chunk)?;
            (self.observer)(&done);
            tokens = rest;
        }
        Ok(())
    }

    /// Choose the token after a row of the last chunk.
    pub fn head(&mut self, row: usize) -> Result<u32, EngineError> {
        let done = self.batch.head(SLOT, row)?;
        (self.observer)(&done);
        Ok(done.next[0])
    }

    /// Logits that the last head or decode run left in DDR.
    pub fn logits(&mut self) -> Result<Vec<f32>, EngineError> {
        self.batch.logits()
    }

    /// Refuses tokens that the sequence could not be extended by.
    pub fn check(&self, tokens: &[u32]) -> Result<(), EngineError> {
        self.batch.check(SLOT, tokens)
    }
}
