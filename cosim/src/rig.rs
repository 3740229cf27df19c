//! A design on the bench: its clock, its reset, the memory behind its master ports, the host on its register slave.

use crate::axi::{CsrError, CsrMaster, Memory, Violation};
use crate::bridge::{BridgeError, Port, Sim};
use sagen_streamed_isa::protocol::Registers;

/// Cycles a register access may take.
const CSR_PATIENCE: u64 = 10_000;

/// Why a run stopped.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// The design itself failed.
    #[error(transparent)]
    Bridge(#[from] BridgeError),
    /// It broke a rule of AXI or of the memory map.
    #[error(transparent)]
    Violation(#[from] Box<Violation>),
    /// A register access failed.
    #[error(transparent)]
    Csr(#[from] CsrError),
}

/// A design with everything around it.
pub struct Rig {
    sim: Sim,
    memory: Memory,
    csr: Option<CsrMaster>,
    rst: Port<u8>,
    /// An access is under way.
    access: bool,
    /// It has been reset.
    defined: bool,
}

impl Rig {
    /// Puts the design together with its memory; a design without `s_axi_*` has no register access.
    pub fn new(sim: Sim, memory: Memory) -> Result<Self, RigError> {
        let csr = sim.has_port("s_axi_awvalid").then(|| CsrMaster::attach(&sim)).transpose()?;
        let rst = sim.port("rst")?;
        Ok(Self { sim, memory, csr, rst, access: false, defined: false })
    }

    /// Holds the reset for `cycles` cycles. The memory goes on; what the ports do before the first edge of the first
    /// reset does not count.
    pub fn reset(&mut self, cycles: u64) -> Result<(), RigError> {
        if let Some(csr) = &mut self.csr {
            csr.reset();
        }
        self.access = false;
        self.rst.set(1);
        let mut left = cycles;
        if !self.defined && cycles > 0 {
            self.sim.clock(|| {})?;
            self.defined = true;
            left -= 1;
        }
        self.run(left)?;
        self.rst.set(0);
        Ok(())
    }

    /// One clock cycle.
    #[inline]
    pub fn step(&mut self) -> Result<(), RigError> {
        self.settle()?;
        self.edge()
    }

    /// First half of a cycle: afterwards the outputs may be sampled.
    #[inline]
    pub fn settle(&mut self) -> Result<(), RigError> {
        Ok(self.sim.settle()?)
    }

    /// Second half of a cycle.
    #[inline]
    pub fn edge(&mut self) -> Result<(), RigError> {
        self.memory.before_edge(self.sim.cycle())?;
        if self.access {
            self.csr.iter_mut().for_each(CsrMaster::before_edge);
        }
        self.sim.edge()?;
        self.memory.after_edge();
        if self.access {
            self.csr.iter().for_each(CsrMaster::after_edge);
        }
        Ok(())
    }

    /// Steps `cycles` times.
    pub fn run(&mut self, cycles: u64) -> Result<(), RigError> {
        (0..cycles).try_for_each(|_| self.step())
    }

    /// Writes a register.
    pub fn csr_write(&mut self, address: u16, data: u32) -> Result<(), RigError> {
        self.csr_master()?.start_write(address, data);
        self.finish_access().map(|_| ())
    }

    /// Reads a register.
    pub fn csr_read(&mut self, address: u16) -> Result<u32, RigError> {
        self.csr_master()?.start_read(address);
        self.finish_access()
    }

    /// The clock and the ports.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// The clock and the ports, for traces and recordings.
    pub fn sim_mut(&mut self) -> &mut Sim {
        &mut self.sim
    }

    /// The memory.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The memory, for the back door.
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    fn csr_master(&mut self) -> Result<&mut CsrMaster, RigError> {
        let missing = || BridgeError::NoPort { name: "s_axi_awvalid".into() };
        self.csr.as_mut().ok_or_else(|| missing().into())
    }

    fn finish_access(&mut self) -> Result<u32, RigError> {
        self.access = true;
        for _ in 0..CSR_PATIENCE {
            self.step()?;
            if let Some(result) = self.csr_master()?.result() {
                self.access = false;
                return Ok(result?);
            }
        }
        self.access = false;
        Err(self.csr_master()?.give_up(CSR_PATIENCE).into())
    }
}

impl Registers for Rig {
    type Error = RigError;
    fn read(&mut self, offset: u32) -> Result<u32, RigError> {
        self.csr_read(offset as u16)
    }
    fn write(&mut self, offset: u32, value: u32) -> Result<(), RigError> {
        self.csr_write(offset as u16, value)
    }
}
