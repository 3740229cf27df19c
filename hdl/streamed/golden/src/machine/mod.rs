//! The golden machine: executes programs one descriptor after another, in program order.
//!
//! Units, queues and latencies do not exist here: waits are ignored and beats are taken from DDR as they are
//! consumed. Whatever a descriptor cannot legally do is an error that names the field.

mod compute;
mod ddr;
mod extent;
mod fault;
mod load;
mod log;
mod matmul;
mod matvec;
mod quant;
mod queue;
mod score;
mod store;
mod stream;
mod vector;
mod weighted_sum;

pub use log::{Write, canonical};

use ddr::Ddr;
pub use extent::Extent;
pub use fault::Fault;
use log::Touched;
use queue::Queue;
use sagen_arith::scale::Scale;
use sagen_streamed_arch::{Device, DeviceError, Instruction, Program, Routine, RunStats, StreamedConfig};
use sagen_streamed_isa::{
    AMAX_GROUPS, CHUNK_ROWS, GROUP, LANES, LoadOperation, Operation, REGISTERS, Register, Rows, SCALES, StoreOperation,
    StreamOperation, UnitOperation, WORD_BYTES, register,
};

/// Everything that a program can change.
pub struct Machine {
    overlay: StreamedConfig,
    ddr: Ddr,
    /// Lanes, 16 a word.
    scratch: Vec<i32>,
    codes: Vec<[i8; GROUP]>,
    code_shifts: Vec<u8>,
    scales: Vec<Scale>,
    registers: [u32; REGISTERS],
    amax: Vec<[u32; AMAX_GROUPS]>,
    sum_squares: [u128; CHUNK_ROWS],
    queue: Queue,
    scores: score::Scores,
    /// Greatest result of the present argmax and its row id.
    best: Option<(i32, u32)>,
    touched: Touched,
}

impl Machine {
    /// A machine of this overlay, without a program.
    pub fn new(overlay: &StreamedConfig) -> Self {
        Self {
            ddr: Ddr::default(),
            scratch: vec![0; overlay.scratch_words() * LANES],
            codes: vec![[0; GROUP]; overlay.code_words()],
            code_shifts: vec![0; overlay.code_words()],
            scales: vec![Scale::default(); SCALES],
            registers: [0; REGISTERS],
            amax: vec![[0; AMAX_GROUPS]; CHUNK_ROWS],
            sum_squares: [0; CHUNK_ROWS],
            queue: empty_queue(overlay),
            scores: score::Scores::default(),
            best: None,
            touched: Touched::default(),
            overlay: overlay.clone(),
        }
    }

    /// Begin a routine: no beats are waiting, statistics are zero.
    pub fn begin(&mut self) {
        self.queue = empty_queue(&self.overlay);
    }

    /// Execute one descriptor; `index` is for messages.
    pub fn step(&mut self, index: usize, step: &Instruction) -> Result<(), DeviceError> {
        self.execute(&step.descriptor.operation).map_err(|fault| DeviceError::Descriptor {
            index,
            label: step.label.to_string(),
            reason: format!("{}: {fault}", step.descriptor.operation.layout().name),
        })
    }

    /// Execute one descriptor and say what it left behind, in `canonical` form.
    pub fn step_logged(&mut self, index: usize, step: &Instruction) -> Result<Vec<Write>, DeviceError> {
        self.touched.on = true;
        let result = self.step(index, step);
        let writes = self.collect();
        result.map(|()| writes)
    }

    /// End a routine: every streamed beat must have been consumed.
    pub fn finish(&mut self) -> Result<RunStats, DeviceError> {
        match self.queue.beats() {
            0 => Ok(RunStats { stream_bytes: self.queue.consumed(), ..RunStats::default() }),
            left => Err(DeviceError::Failed(format!("{left} streamed beats were never consumed"))),
        }
    }

    /// Run a routine, reporting what every step left behind.
    pub fn run_logged(
        &mut self,
        routine: &Routine,
        mut each: impl FnMut(usize, Vec<Write>),
    ) -> Result<RunStats, DeviceError> {
        self.begin();
        for (index, step) in routine.steps.iter().enumerate() {
            each(index, self.step_logged(index, step)?);
        }
        self.finish()
    }

    /// The lanes of a scratchpad word.
    pub fn scratch_word(&self, word: usize) -> &[i32] {
        &self.scratch[word * LANES..(word + 1) * LANES]
    }
    /// The codes of a code word, and its group shift.
    pub fn code_word(&self, word: usize) -> (&[i8; GROUP], u8) {
        (&self.codes[word], self.code_shifts[word])
    }
    /// An entry of the scale file.
    pub fn scale(&self, entry: usize) -> Scale {
        self.scales[entry]
    }
    /// Streamed beats that no descriptor consumed yet.
    pub fn waiting_beats(&self) -> u64 {
        self.queue.beats()
    }
    /// Beats that an operation takes from the stream, given the registers.
    pub fn beats_taken(&self, operation: &Operation) -> u64 {
        match operation.by_unit() {
            UnitOperation::Compute(o) => self.beats_of(o),
            UnitOperation::Stream(_) | UnitOperation::Vector(_) => 0,
            UnitOperation::Load(_) | UnitOperation::Store(_) => 0,
        }
    }

    fn execute(&mut self, operation: &Operation) -> Result<(), Fault> {
        match operation.by_unit() {
            UnitOperation::Stream(StreamOperation::Stream(o)) => self.stream(&o),
            UnitOperation::Compute(o) => self.compute(o),
            UnitOperation::Vector(o) => self.vector(o),
            UnitOperation::Load(LoadOperation::Load(o)) => self.load(&o),
            UnitOperation::Store(StoreOperation::Store(o)) => self.store(&o),
        }
    }

    /// A step register; register 0 is never written.
    fn value(&self, register: Register) -> u64 {
        u64::from(self.registers[register.index()])
    }
    fn scratch_bytes(&self, word: usize) -> [u8; WORD_BYTES] {
        let lanes = self.scratch_word(word);
        std::array::from_fn(|i| lanes[i / 4].to_le_bytes()[i % 4])
    }
    fn scratch_rows(&self, field: &'static str, at: Rows, rows: u64, length: u64) -> Result<Extent, Fault> {
        Extent { field, at, rows, length }.inside("scratchpad words", self.overlay.scratch_words())
    }
    fn code_rows(&self, field: &'static str, at: Rows, rows: u64, length: u64) -> Result<Extent, Fault> {
        Extent { field, at, rows, length }.inside("code words", self.overlay.code_words())
    }
    fn scale_rows(&self, field: &'static str, at: Rows, rows: u64, length: u64) -> Result<Extent, Fault> {
        Extent { field, at, rows, length }.inside("scale entries", SCALES)
    }
}

fn empty_queue(overlay: &StreamedConfig) -> Queue {
    Queue::new(overlay.beat())
}

impl Device for Machine {
    fn load(&mut self, program: &Program) -> Result<(), DeviceError> {
        program.belongs_to(&self.overlay)?;
        *self = Self { ddr: Ddr::load(program)?, ..Self::new(&self.overlay) };
        Ok(())
    }

    fn set_register(&mut self, register: Register, value: u32) -> Result<(), DeviceError> {
        if register == register::ZERO {
            return Err(DeviceError::Failed("register 0 always reads zero; 1..=31 can be set".to_string()));
        }
        self.registers[register.index()] = value;
        Ok(())
    }

    fn register(&mut self, register: Register) -> Result<u32, DeviceError> {
        Ok(self.registers[register.index()])
    }

    fn run(&mut self, routine: &Routine) -> Result<RunStats, DeviceError> {
        self.begin();
        for (index, step) in routine.steps.iter().enumerate() {
            self.step(index, step)?;
        }
        self.finish()
    }

    fn read_ddr(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let length = bytes.len();
        let found = self.ddr.read(address, length as u64);
        bytes.copy_from_slice(found.map_err(|_| DeviceError::Address { address, bytes: length })?);
        Ok(())
    }

    fn write_ddr(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let length = bytes.len();
        let place = self.ddr.write(address, length as u64);
        place.map_err(|_| DeviceError::Address { address, bytes: length })?.copy_from_slice(bytes);
        Ok(())
    }
}
