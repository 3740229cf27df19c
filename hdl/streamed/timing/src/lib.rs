//! Cycles without simulation: a routine's descriptors, walked through a model of the overlay's units in time.
//!
//! The model knows what the units' documents say of latencies and rates: queues and waits, bursts, memory latency,
//! refreshes and the prefetch FIFO. It does not know data, and neglects refused scratchpad writes. Predictions stay
//! within 2 % of the RTL's cycle counts; `cosim/tests/predict.rs` holds it to that.

mod array;
mod control;
mod gemv;
mod machine;
mod port;
mod simple;
mod vector;

pub use machine::Prediction;
pub use port::MemoryTiming;

use machine::Machine;
use sagen_streamed_arch::step::{Slot, Step};
use sagen_streamed_arch::{Program, Routine, RoutineKind, StreamedConfig};
use sagen_streamed_isa::{CHUNK_ROWS, REGISTERS, register};

/// A run that has no cost.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PredictError {
    /// The program has no such routine.
    #[error("the program has no routine {kind} for slot {slot}")]
    NoRoutine {
        /// What was asked for.
        kind: RoutineKind,
        /// Of which slot.
        slot: u16,
    },
    /// Descriptors wait for each other, or for beats that nothing brings.
    #[error("at cycle {cycle}, {done} of {steps} descriptors are done and nothing can go on")]
    Stuck {
        /// When.
        cycle: u64,
        /// Descriptors that completed.
        done: usize,
        /// Descriptors of the routine.
        steps: usize,
    },
}

/// A program on an overlay, in time.
pub struct Predictor<'a> {
    overlay: &'a StreamedConfig,
    program: &'a Program,
    timing: MemoryTiming,
}

impl<'a> Predictor<'a> {
    /// For the memory that `timing` describes.
    #[must_use]
    pub fn new(overlay: &'a StreamedConfig, program: &'a Program, timing: MemoryTiming) -> Self {
        Self { overlay, program, timing }
    }

    /// One run. What lies in the cache and which tokens come does not matter.
    pub fn cost(&self, step: &Step) -> Result<Prediction, PredictError> {
        let (kind, slot) = step.routine();
        let routine = self.program.routine(kind, slot).ok_or(PredictError::NoRoutine { kind, slot: slot.0 })?;
        let registers = match step {
            Step::Chunk { first, .. } => registers(first / CHUNK_ROWS * CHUNK_ROWS, CHUNK_ROWS),
            Step::Head { .. } => registers(0, 1),
            Step::Decode(rows) => registers(rows.first().map_or(0, |row| row.position), rows.len()),
        };
        predict(self.overlay, routine, &registers, self.timing)
    }

    /// Cycles of a whole prompt in an empty slot: its chunks, then the head.
    pub fn prefill(&self, tokens: usize) -> Result<u64, PredictError> {
        Step::prompt(Slot::default(), &vec![0; tokens]).map(|step| self.cost(&step).map(|p| p.cycles)).sum()
    }
}

/// Walk any routine.
pub fn predict(
    overlay: &StreamedConfig,
    routine: &Routine,
    registers: &[u32; REGISTERS],
    timing: MemoryTiming,
) -> Result<Prediction, PredictError> {
    Machine::new(overlay, timing, registers, routine).run(routine)
}

/// Step registers, as the session sets them; token ids do not matter.
fn registers(position: usize, rows: usize) -> [u32; REGISTERS] {
    let mut registers = [0; REGISTERS];
    for (register, value) in register::step(position, rows) {
        registers[register.index()] = value as u32;
    }
    registers
}
