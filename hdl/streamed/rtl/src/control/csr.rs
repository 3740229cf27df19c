//! CSR block: the registers of `sagen_streamed_isa` behind AXI4-Lite; program state, step registers, event counters.
//! An address that is not in the map is answered with SLVERR; a write to a register that is only read has no effect.
//! For 32 cycles after a reset, while the step registers are cleared, accesses wait.

use super::counters::counters;
use super::program::Program;
use super::step_registers::StepRegisters;
use crate::interface::{AxiLite, CSR_ADDRESS_BITS, axi};
use sagen_blocks::axi::lite;
use sagen_blocks::register_bus::{Range, Window, known, read};
use sagen_lang::{Design, ModuleId, Signal, lit};
use sagen_streamed_isa::csr::control;
use sagen_streamed_isa::{COUNTERS, CSR_COUNTER_BASE, CSR_ID, CSR_REGISTER_BASE, CSRS, Csr, REGISTERS, Unit};

/// Where the step registers are.
pub(super) const STEPS: Range = Range { base: CSR_REGISTER_BASE, words: REGISTERS as u32 };
/// Every word that there is.
const MAP: [Range; 3] = [
    Range { base: 0, words: CSRS.len() as u32 },
    Range { base: CSR_COUNTER_BASE, words: COUNTERS.len() as u32 },
    STEPS,
];

/// What a build writes into its read-only registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    /// First 32 bits of the hash of config and sources.
    pub build_hash: u32,
    /// Value of the `geometry` register.
    pub geometry: u32,
}

/// The CSR block.
pub fn csr_block(d: &mut Design, identity: Identity) -> ModuleId {
    d.module("csr_block", |m| {
        m.doc("AXI4-Lite registers, program state, event counters.");
        let host = m.slave(axi("s_axi_"), AxiLite::layout(CSR_ADDRESS_BITS));
        let steps = StepRegisters::new(m);
        let write = lite::write_channel(m, &host, steps.blocked(), |address| known(address, &MAP));
        let program = Program::new(m, &write);
        steps.write(m, &write);
        let clear = write.to(Csr::Control.offset()) & write.data.bit(control::CLEAR_COUNTERS.lo);
        let counters = counters(m, program.running, clear);
        lite::read_channel(m, &host, steps.clearing(), |address| {
            let registers = registers(identity, &program);
            read([
                Window::of(address, 0, &registers),
                Window::of(address, CSR_COUNTER_BASE, &counters),
                Window::new(address, STEPS, |index| steps.read(index)),
            ])
        });
    })
}

/// What the registers of the table read, in its order.
fn registers(identity: Identity, program: &Program) -> Vec<Signal> {
    let value = |csr: Csr| match csr {
        Csr::Id => lit(32, u64::from(CSR_ID)),
        Csr::BuildHash => lit(32, u64::from(identity.build_hash)),
        Csr::Geometry => lit(32, u64::from(identity.geometry)),
        Csr::Control => lit(32, 0),
        Csr::Status => program.status,
        Csr::Error => program.error,
        Csr::ProgramLow => program.low,
        Csr::ProgramHigh => program.high,
        Csr::ProgramLength => program.length,
        Csr::Fetched => program.fetched,
        Csr::DoneStream => program.done_counts[Unit::Stream.index()],
        Csr::DoneCompute => program.done_counts[Unit::Compute.index()],
        Csr::DoneVector => program.done_counts[Unit::Vector.index()],
        Csr::DoneLoad => program.done_counts[Unit::Load.index()],
        Csr::DoneStore => program.done_counts[Unit::Store.index()],
        Csr::Cycles => program.cycles,
    };
    let word = |(i, csr): (u32, &Csr)| {
        assert_eq!(csr.offset(), 4 * i, "register {} is out of order", csr.name());
        value(*csr)
    };
    (0..).zip(CSRS).map(word).collect()
}
