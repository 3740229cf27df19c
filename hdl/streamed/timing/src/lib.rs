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

pub use machine::Prediction;
pub use port::MemoryTiming;

use machine::Machine;
use sagen_streamed_arch::{Program, Routine, RoutineKind, StreamedConfig};
use sagen_streamed_isa::{CHUNK_ROWS, REGISTERS, register};

/// A routine that cannot end.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PredictError {
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

    /// One token at a position.
    pub fn decode(&self, position: usize) -> Result<Prediction, PredictError> {
        self.routine(RoutineKind::Decode, position, 1)
    }

    /// 16 tokens from a position, a multiple of 16, on.
    pub fn chunk(&self, position: usize) -> Result<Prediction, PredictError> {
        self.routine(RoutineKind::Prefill, position, CHUNK_ROWS)
    }

    /// The head after the last chunk.
    pub fn head(&self) -> Result<Prediction, PredictError> {
        self.routine(RoutineKind::Head, 0, 1)
    }

    /// Cycles of a whole prompt: its chunks, then the head.
    pub fn prefill(&self, tokens: usize) -> Result<u64, PredictError> {
        let chunks = (0..tokens).step_by(CHUNK_ROWS).map(|at| self.chunk(at).map(|p| p.cycles));
        chunks.chain([self.head().map(|p| p.cycles)]).sum()
    }

    fn routine(&self, kind: RoutineKind, position: usize, rows: usize) -> Result<Prediction, PredictError> {
        let routine = self.program.routine(kind).expect("a compiled model has all routines");
        predict(self.overlay, routine, &registers(position, rows), self.timing)
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
