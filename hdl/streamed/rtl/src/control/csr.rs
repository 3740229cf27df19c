//! CSR block: the registers of `sagen_streamed_isa` behind AXI4-Lite; program state, step registers, event counters.
//! One access at a time; reads and writes answer OKAY, unknown addresses read zero.
//! For 32 cycles after a reset, while the step registers are cleared, writes wait.

use super::counters::counters;
use super::program::Program;
use super::step_registers::StepRegisters;
use crate::interface::{AxiLite, CSR_ADDRESS_BITS, STEP_INDEX, axi};
use sagen_blocks::axi::lite;
use sagen_blocks::register_bus::{Window, read};
use sagen_lang::{Design, ModuleId, Signal, lit};
use sagen_streamed_isa::{Access, CSR_COUNTER_BASE, CSR_ID, CSR_REGISTER_BASE, CSRS, UNITS};

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
        let write = lite::write_channel(m, &host, steps.blocked());
        let program = Program::new(m, &write);
        steps.write(m, &write);
        let clear = write.to(offset("control")) & write.data.bit(1);
        let counters = counters(m, program.running, clear);
        lite::read_channel(m, &host, |address| {
            let registers = registers(identity, &program);
            read([
                Window::of(address, 0, &registers),
                Window::of(address, CSR_COUNTER_BASE, &counters),
                Window::new(address, CSR_REGISTER_BASE, STEP_INDEX, |index| steps.read(index)),
            ])
        });
    })
}

/// Offset of a register by its name in the table.
pub(super) fn offset(name: &str) -> u32 {
    let csr = CSRS.iter().find(|c| c.name == name);
    csr.unwrap_or_else(|| panic!("no register is called {name}")).offset
}

/// What the registers of the table read, in its order.
fn registers(identity: Identity, program: &Program) -> Vec<Signal> {
    let named = |name: &str| match name {
        "id" => lit(32, u64::from(CSR_ID)),
        "build_hash" => lit(32, u64::from(identity.build_hash)),
        "geometry" => lit(32, u64::from(identity.geometry)),
        "status" => program.status,
        "error" => program.error,
        "program_low" => program.low,
        "program_high" => program.high,
        "program_length" => program.length,
        "fetched" => program.fetched,
        "cycles" => program.cycles,
        done => {
            let unit = UNITS.iter().find(|u| done.strip_prefix("done_") == Some(u.name()));
            let unit = unit.unwrap_or_else(|| panic!("register {done} has no source"));
            program.done_counts[unit.index()]
        }
    };
    let word = |(i, csr): (u32, &sagen_streamed_isa::Csr)| {
        assert_eq!(csr.offset, 4 * i, "register {} is out of order", csr.name);
        if csr.access == Access::Trigger { lit(32, 0) } else { named(csr.name) }
    };
    (0..).zip(CSRS).map(word).collect()
}
