//! What runs programs: the golden machine, the Verilated RTL, a board.

use crate::program::{Program, Routine};
use sagen_streamed_isa::Register;

/// What one run cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunStats {
    /// Clock cycles, where the device counts them.
    pub cycles: Option<u64>,
    /// Event counters in the order of `sagen_streamed_isa::COUNTERS`; empty where the device has none.
    pub counters: Vec<u64>,
    /// Beats of the weight stream consumed, times the bytes of a beat.
    pub stream_bytes: u64,
}

/// Why a device stopped.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// A descriptor cannot be executed.
    #[error("descriptor {index} ({label}): {reason}")]
    Descriptor {
        /// Index in its routine.
        index: usize,
        /// Its origin.
        label: String,
        /// What is wrong.
        reason: String,
    },
    /// The device itself failed.
    #[error("{0}")]
    Failed(String),
    /// An access outside the DDR map.
    #[error("DDR {address:#x}..+{bytes} is outside every region")]
    Address {
        /// First byte.
        address: u64,
        /// Length.
        bytes: usize,
    },
}

/// A device that holds one program.
pub trait Device {
    /// Replace DDR contents by the program's image and forget all state.
    fn load(&mut self, program: &Program) -> Result<(), DeviceError>;
    /// Set a step register.
    fn set_register(&mut self, register: Register, value: u32) -> Result<(), DeviceError>;
    /// Read a step register.
    fn register(&mut self, register: Register) -> Result<u32, DeviceError>;
    /// Run a routine of the loaded program to its end.
    fn run(&mut self, routine: &Routine) -> Result<RunStats, DeviceError>;
    /// Copy bytes out of DDR.
    fn read_ddr(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;
    /// Put bytes into a region that the device may write itself: state computed elsewhere.
    fn write_ddr(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError>;
}

impl<D: Device + ?Sized> Device for &mut D {
    fn load(&mut self, program: &Program) -> Result<(), DeviceError> {
        (**self).load(program)
    }
    fn set_register(&mut self, register: Register, value: u32) -> Result<(), DeviceError> {
        (**self).set_register(register, value)
    }
    fn register(&mut self, register: Register) -> Result<u32, DeviceError> {
        (**self).register(register)
    }
    fn run(&mut self, routine: &Routine) -> Result<RunStats, DeviceError> {
        (**self).run(routine)
    }
    fn read_ddr(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        (**self).read_ddr(address, bytes)
    }
    fn write_ddr(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        (**self).write_ddr(address, bytes)
    }
}
