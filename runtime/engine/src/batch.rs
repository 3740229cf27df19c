//! Sequences on a device: one program, its slots, one run at a time.
//!
//! Keys and values lie in the device's DDR; the batch knows the tokens they belong to. Prefill works in chunks of 16
//! positions that begin at multiples of 16. Where a sequence ends inside a chunk, the chunk is run again from its
//! beginning when more is prefilled: the same tokens leave the same bits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sagen_streamed_arch::step::{Row, Slot, Step};
use sagen_streamed_arch::{Device, ModelProgram, RunStats};
use sagen_streamed_isa::{CHUNK_ROWS, Register, register};

use crate::{EngineError, Sampling};

/// What a step left.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// The step.
    pub step: Step,
    /// Token chosen for each row; none for a chunk.
    pub next: Vec<u32>,
    /// Logits of each row, empty where its slot does not sample.
    pub logits: Vec<Vec<f32>>,
    /// Cost.
    pub stats: RunStats,
}

/// What is known of a slot.
#[derive(Clone, Debug, Default)]
struct Sequence {
    tokens: Vec<u32>,
    sampling: Option<Sampling>,
}

/// A device, its program, and the sequences on it.
pub struct Batch<'d> {
    device: Box<dyn Device + 'd>,
    program: Arc<ModelProgram>,
    sequences: Vec<Sequence>,
    /// Whose chunk the device's scratchpad holds, and where it begins.
    chunk: Option<(Slot, usize)>,
    cancelled: Arc<AtomicBool>,
}

impl<'d> Batch<'d> {
    /// Empty slots on a device that holds the program.
    #[must_use]
    pub fn new(device: Box<dyn Device + 'd>, program: Arc<ModelProgram>) -> Self {
        let sequences = vec![Sequence::default(); program.slots];
        Self { device, program, sequences, chunk: None, cancelled: Arc::default() }
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &ModelProgram {
        &self.program
    }

    /// The device, between runs.
    pub fn device(&mut self) -> &mut dyn Device {
        &mut *self.device
    }

    /// Refuse steps from the moment on when this flag becomes true.
    pub fn stop_when(&mut self, cancelled: Arc<AtomicBool>) {
        self.cancelled = cancelled;
    }

    /// Tokens whose keys and values are in a slot's cache.
    pub fn tokens(&self, slot: Slot) -> Result<&[u32], EngineError> {
        Ok(&self.sequence(slot)?.tokens)
    }

    /// Take over a sequence whose keys and values the device already holds, computed by another device.
    pub fn resume(&mut self, slot: Slot, tokens: Vec<u32>) -> Result<(), EngineError> {
        self.forget_chunk(slot);
        self.sequence_mut(slot)?.tokens = tokens;
        Ok(())
    }

    /// From now on choose a slot's tokens from its logits; with `None` the device chooses the greatest, and logits
    /// stay there.
    pub fn sample(&mut self, slot: Slot, sampling: Option<Sampling>) -> Result<(), EngineError> {
        if sampling.is_some() && self.program.logits.is_none() {
            return Err(EngineError::NoLogits);
        }
        self.sequence_mut(slot)?.sampling = sampling;
        Ok(())
    }

    /// Refuses tokens that a slot could not be extended by.
    pub fn check(&self, slot: Slot, tokens: &[u32]) -> Result<(), EngineError> {
        if tokens.is_empty() {
            return Err(EngineError::EmptyPrompt);
        }
        let (found, allowed) = (self.sequence(slot)?.tokens.len() + tokens.len(), self.program.context);
        if found > allowed {
            return Err(EngineError::Context { found, allowed });
        }
        let vocab = self.program.vocab;
        match tokens.iter().find(|token| **token as usize >= vocab) {
            Some(&found) => Err(EngineError::Token { found, vocab }),
            None => Ok(()),
        }
    }

    /// Append tokens that fit the chunk in which the sequence ends.
    pub fn prefill(&mut self, slot: Slot, tokens: &[u32]) -> Result<Done, EngineError> {
        let first = self.sequence(slot)?.tokens.len();
        self.run(Step::Chunk { slot, first, tokens: tokens.to_vec() })
    }

    /// Choose the token after a row of the slot's chunk, which was the device's last.
    pub fn head(&mut self, slot: Slot, row: usize) -> Result<Done, EngineError> {
        self.run(Step::Head { slot, row })
    }

    /// Append one token to each of several sequences, and choose the tokens after them.
    pub fn decode(&mut self, rows: &[(Slot, u32)]) -> Result<Done, EngineError> {
        let row = |(slot, token): &(Slot, u32)| {
            let position = self.sequence(*slot)?.tokens.len();
            Ok(Row { slot: *slot, position, token: *token })
        };
        let rows = rows.iter().map(row).collect::<Result<_, EngineError>>()?;
        self.run(Step::Decode(rows))
    }

    /// Run a step; sequences grow only by steps that succeed.
    pub fn run(&mut self, step: Step) -> Result<Done, EngineError> {
        let setting = self.admit(&step)?;
        let (kind, slot) = step.routine();
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(EngineError::Cancelled);
        }
        for (register, value) in setting {
            self.device.set_register(register, value)?;
        }
        let routine = self.program.program.routine(kind, slot).ok_or(EngineError::NoRoutine { kind, slot })?;
        let kept = self.chunk.take();
        let stats = self.device.run(routine)?;
        match &step {
            Step::Chunk { slot, first, tokens } => {
                self.sequence_mut(*slot)?.tokens.extend_from_slice(tokens);
                self.chunk = Some((*slot, chunk_of(*first)));
            }
            Step::Head { .. } => self.chunk = kept,
            Step::Decode(rows) => {
                for row in rows {
                    self.sequence_mut(row.slot)?.tokens.push(row.token);
                }
            }
        }
        let (next, logits) = self.choose(&step)?;
        Ok(Done { step, next, logits, stats })
    }

    /// Let `to` continue from the first positions of `from`, whose keys and values are copied.
    pub fn fork(&mut self, from: Slot, to: Slot, positions: usize) -> Result<(), EngineError> {
        let tokens = self.prefix(from, positions)?.to_vec();
        self.sequence(to)?;
        let cache = self.program.cache;
        let mut bytes = vec![0; cache.layout.bytes()];
        for (source, target) in cache.parts(from).zip(cache.parts(to)) {
            self.device.read_ddr(source, &mut bytes)?;
            self.device.write_ddr(target, &bytes)?;
        }
        self.resume(to, tokens)
    }

    /// Forget a sequence but for its first positions; what is left of it in the cache is never read.
    pub fn rewind(&mut self, slot: Slot, positions: usize) -> Result<(), EngineError> {
        let tokens = self.prefix(slot, positions)?.to_vec();
        self.resume(slot, tokens)
    }

    /// Logits that the last head or decode run left in DDR.
    pub fn logits(&mut self) -> Result<Vec<f32>, EngineError> {
        let logits = self.program.logits.ok_or(EngineError::NoLogits)?;
        let mut bytes = vec![0; 4 * self.program.vocab];
        self.device.read_ddr(logits.address, &mut bytes)?;
        let unit = f64::from(-logits.fraction).exp2();
        let logit = |b: &[u8; 4]| (f64::from(i32::from_le_bytes(*b)) * unit) as f32;
        Ok(bytes.as_chunks().0.iter().map(logit).collect())
    }

    /// Registers of a step that may run: they are all that distinguishes it from any other.
    fn admit(&self, step: &Step) -> Result<Vec<(Register, u32)>, EngineError> {
        match step {
            Step::Chunk { slot, first, tokens } => {
                self.check(*slot, tokens)?;
                let known = self.continues(*slot, *first)?;
                let begin = chunk_of(*first);
                let (found, allowed) = (tokens.len(), begin + CHUNK_ROWS - first);
                if found > allowed {
                    return Err(EngineError::Chunk { found, allowed });
                }
                // Rows past the end are computed and overwritten later.
                let mut rows = [&known[begin..], tokens].concat();
                rows.resize(CHUNK_ROWS, 0);
                Ok(registers(begin, &rows))
            }
            Step::Head { slot, row } => {
                let length = self.sequence(*slot)?.tokens.len();
                let holds = |(of, begin): (Slot, usize)| of == *slot && *row < CHUNK_ROWS && begin + row < length;
                if !self.chunk.is_some_and(holds) {
                    return Err(EngineError::NoChunk { slot: *slot, row: *row });
                }
                Ok(vec![(register::HEAD_ROW, *row as u32)])
            }
            Step::Decode(rows) => {
                // Registers exist for the position of one row.
                let [row] = rows.as_slice() else {
                    return Err(EngineError::Rows { found: rows.len(), allowed: self.program.rows });
                };
                self.check(row.slot, &[row.token])?;
                self.continues(row.slot, row.position)?;
                Ok(registers(row.position, &[row.token]))
            }
        }
    }

    /// The tokens of a sequence that goes on at a position.
    fn continues(&self, slot: Slot, found: usize) -> Result<&[u32], EngineError> {
        let known = &self.sequence(slot)?.tokens;
        match known.len() {
            expected if expected != found => Err(EngineError::Position { slot, found, expected }),
            _ => Ok(known),
        }
    }

    /// Tokens and, for slots that sample, logits of the rows of a step that was run.
    fn choose(&mut self, step: &Step) -> Result<(Vec<u32>, Vec<Vec<f32>>), EngineError> {
        let (slot, position) = match step {
            Step::Chunk { .. } => return Ok((Vec::new(), Vec::new())),
            Step::Head { slot, row } => (*slot, self.chunk.map_or(0, |(_, begin)| begin) + row + 1),
            Step::Decode(rows) => (rows[0].slot, rows[0].position + 1),
        };
        match self.sequence(slot)?.sampling {
            None => Ok((vec![self.device.register(register::NEXT_TOKEN)?], vec![Vec::new()])),
            Some(sampling) => {
                let logits = self.logits()?;
                Ok((vec![sampling.choose(&logits, position)], vec![logits]))
            }
        }
    }

    /// The first tokens of a sequence.
    fn prefix(&self, slot: Slot, positions: usize) -> Result<&[u32], EngineError> {
        let tokens = &self.sequence(slot)?.tokens;
        tokens.get(..positions).ok_or(EngineError::Short { slot, found: tokens.len(), asked: positions })
    }

    fn forget_chunk(&mut self, slot: Slot) {
        self.chunk = self.chunk.filter(|(of, _)| *of != slot);
    }

    fn sequence(&self, slot: Slot) -> Result<&Sequence, EngineError> {
        let slots = self.sequences.len();
        self.sequences.get(usize::from(slot.0)).ok_or(EngineError::Slot { found: slot, slots })
    }

    fn sequence_mut(&mut self, slot: Slot) -> Result<&mut Sequence, EngineError> {
        let slots = self.sequences.len();
        self.sequences.get_mut(usize::from(slot.0)).ok_or(EngineError::Slot { found: slot, slots })
    }
}

/// Position at which a chunk begins.
fn chunk_of(position: usize) -> usize {
    position / CHUNK_ROWS * CHUNK_ROWS
}

/// Step registers of rows from a position on.
fn registers(position: usize, tokens: &[u32]) -> Vec<(Register, u32)> {
    let step = register::step(position, tokens.len()).into_iter().map(|(register, value)| (register, value as u32));
    step.chain(register::tokens().zip(tokens.iter().copied())).collect()
}
