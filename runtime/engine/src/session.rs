//! One sequence on a device.
//!
//! Keys and values lie in the device's DDR; the session knows the tokens they belong to. Prefill works in chunks of 16
//! positions that begin at multiples of 16. Where a sequence ends inside a chunk, the chunk is run again from its
//! beginning when more is prefilled: the same tokens leave the same bits.

use sagen_streamed_arch::{Device, RoutineKind, RunStats};
use sagen_streamed_isa::{CHUNK_ROWS, register};

use crate::GenerateError;
use sagen_streamed_arch::Compiled;

/// One run of a routine and its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What ran.
    pub kind: RoutineKind,
    /// Position of the first row.
    pub position: usize,
    /// Tokens that were new to the sequence.
    pub tokens: usize,
    /// Token chosen, where the routine has a head.
    pub next: Option<u32>,
    /// Cost.
    pub stats: RunStats,
}

/// A sequence being extended.
pub struct Session<'a> {
    device: &'a mut dyn Device,
    compiled: &'a Compiled,
    tokens: Vec<u32>,
    observer: Box<dyn FnMut(&Run) + 'a>,
}

impl<'a> Session<'a> {
    /// An empty sequence on a device that holds the program. `observer` sees every run.
    pub fn new(device: &'a mut dyn Device, compiled: &'a Compiled, observer: impl FnMut(&Run) + 'a) -> Self {
        Self { device, compiled, tokens: Vec::new(), observer: Box::new(observer) }
    }

    /// A sequence whose keys and values the device already holds, computed by another device.
    pub fn resume(
        device: &'a mut dyn Device,
        compiled: &'a Compiled,
        tokens: Vec<u32>,
        observer: impl FnMut(&Run) + 'a,
    ) -> Self {
        Self { device, compiled, tokens, observer: Box::new(observer) }
    }

    /// Tokens whose keys and values are in the cache.
    #[must_use]
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The device, between runs.
    pub fn device(&mut self) -> &mut dyn Device {
        self.device
    }

    /// Append a prompt in chunks, and choose the token that follows it.
    pub fn prefill(&mut self, prompt: &[u32]) -> Result<u32, GenerateError> {
        self.check(prompt)?;
        self.chunks(prompt)?;
        self.head((self.tokens.len() - 1) % CHUNK_ROWS)
    }

    /// Append a prompt token by token, and choose the token that follows it: the same bits, slower.
    pub fn prefill_by_decode(&mut self, prompt: &[u32]) -> Result<u32, GenerateError> {
        self.check(prompt)?;
        let mut next = 0;
        for token in prompt {
            next = self.decode_step(*token)?;
        }
        Ok(next)
    }

    /// Append one token, and choose the next.
    pub fn decode_step(&mut self, token: u32) -> Result<u32, GenerateError> {
        self.check(&[token])?;
        let position = self.tokens.len();
        self.set_step(position, &[token])?;
        let stats = self.run(RoutineKind::Decode)?;
        self.tokens.push(token);
        let next = self.device.register(register::NEXT_TOKEN)?;
        self.report(RoutineKind::Decode, position, 1, Some(next), stats);
        Ok(next)
    }

    /// Append a prompt and generate up to `count` tokens, ending before one of `stop`. `each` sees every token.
    pub fn generate(
        &mut self,
        prompt: &[u32],
        count: usize,
        stop: &[u32],
        mut each: impl FnMut(u32),
    ) -> Result<Vec<u32>, GenerateError> {
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

    /// Append tokens in chunks; `rows` sees the position of each chunk's first row, and how many rows count.
    pub fn chunks(&mut self, tokens: &[u32]) -> Result<(), GenerateError> {
        let start = self.tokens.len() / CHUNK_ROWS * CHUNK_ROWS;
        let known = self.tokens.len();
        self.tokens.extend_from_slice(tokens);
        for position in (start..self.tokens.len()).step_by(CHUNK_ROWS) {
            let end = self.tokens.len().min(position + CHUNK_ROWS);
            let mut rows = self.tokens[position..end].to_vec();
            // Rows past the end are computed and overwritten later.
            rows.resize(CHUNK_ROWS, 0);
            let result = self.set_step(position, &rows).and_then(|()| self.run(RoutineKind::Prefill));
            let stats = match result {
                Ok(stats) => stats,
                Err(e) => {
                    self.tokens.truncate(position.max(known));
                    return Err(e);
                }
            };
            self.report(RoutineKind::Prefill, position, end - position.max(known), None, stats);
        }
        Ok(())
    }

    /// Choose the token after a row of the last chunk.
    pub fn head(&mut self, row: usize) -> Result<u32, GenerateError> {
        self.device.set_register(register::HEAD_ROW, row as u32)?;
        let stats = self.run(RoutineKind::Head)?;
        let next = self.device.register(register::NEXT_TOKEN)?;
        let position = (self.tokens.len() - 1) / CHUNK_ROWS * CHUNK_ROWS + row;
        self.report(RoutineKind::Head, position, 0, Some(next), stats);
        Ok(next)
    }

    /// Logits that the last head or decode run left in DDR.
    pub fn logits(&mut self) -> Result<Vec<f32>, GenerateError> {
        let logits = self.compiled.logits.ok_or(GenerateError::NoLogits)?;
        let mut bytes = vec![0; 4 * self.compiled.vocab];
        self.device.read_ddr(logits.address, &mut bytes)?;
        let unit = f64::from(-logits.fraction).exp2();
        let logit = |b: &[u8; 4]| (f64::from(i32::from_le_bytes(*b)) * unit) as f32;
        Ok(bytes.as_chunks().0.iter().map(logit).collect())
    }

    pub fn check(&self, tokens: &[u32]) -> Result<(), GenerateError> {
        if tokens.is_empty() {
            return Err(GenerateError::EmptyPrompt);
        }
        let (found, allowed) = (self.tokens.len() + tokens.len(), self.compiled.context);
        if found > allowed {
            return Err(GenerateError::Context { found, allowed });
        }
        let vocab = self.compiled.vocab;
        match tokens.iter().find(|token| **token as usize >= vocab) {
            Some(&found) => Err(GenerateError::Token { found, vocab }),
            None => Ok(()),
        }
    }

    /// Registers of a step: they are all that distinguishes it from any other.
    fn set_step(&mut self, position: usize, tokens: &[u32]) -> Result<(), GenerateError> {
        for (register, value) in register::step(position, tokens.len()) {
            self.device.set_register(register, value as u32)?;
        }
        for (register, token) in register::tokens().zip(tokens) {
            self.device.set_register(register, *token)?;
        }
        Ok(())
    }

    fn run(&mut self, kind: RoutineKind) -> Result<RunStats, GenerateError> {
        let routine = self.compiled.program.routine(kind).expect("a compiled model has all routines");
        Ok(self.device.run(routine)?)
    }

    fn report(&mut self, kind: RoutineKind, position: usize, tokens: usize, next: Option<u32>, stats: RunStats) {
        (self.observer)(&Run { kind, position, tokens, next, stats });
    }
}
