//! Step registers: 32 words of 32 bits in distributed memory, a read port for each reader.
//!
//! Written by the host and, two cycles after its write, by the compute unit; register 0 stays 0. All are cleared one by
//! one after a reset.

use super::csr::{Write, within};
use sagen_isa::{CSR_REGISTER_BASE, REGISTERS};
use sagen_lang::{Mem, Module, RamStyle, Reg, Signal, bit, lit, low, pack, unsigned};

/// Who reads a register while a program runs: `<reader>_index` in, `<reader>_value` out in the same cycle.
pub const READERS: [&str; 5] = ["stream", "load", "store", "limit", "count"];
/// Bits of a register's number.
const INDEX: u32 = REGISTERS.ilog2();

pub(super) struct StepRegisters {
    words: Mem,
    clearing: Reg,
    /// The compute unit's write one cycle later.
    announced: Reg,
}

impl StepRegisters {
    pub(super) fn new(m: &Module) -> Self {
        let words = m.memory("steps", REGISTERS as u32, 32).style(RamStyle::Distributed);
        for reader in READERS {
            let index = m.input(&format!("{reader}_index"), unsigned(INDEX));
            m.output(&format!("{reader}_value"), words.read_async(index));
        }
        Self { words, clearing: m.reg("clearing", bit()).reset(1), announced: m.reg("announced", bit()).reset(0) }
    }

    /// A write that the host begins in this cycle would meet another one.
    pub(super) fn blocked(&self) -> Signal {
        self.clearing | self.announced
    }

    pub(super) fn read(&self, index: Signal) -> Signal {
        self.words.read_async(index)
    }

    /// The write port.
    pub(super) fn write(&self, m: &Module, host: &Write) {
        let (set, index) = (m.input("reg_write", bit()), m.input("reg_index", unsigned(INDEX)));
        m.set(self.announced, set);
        let index1 = m.reg_en("announced_index", set, index);
        let data1 = m.reg_en("announced_data", set, m.input("reg_data", unsigned(32)));
        let compute = m.reg("compute_writes", bit()).reset(0);
        m.set(compute, self.announced);

        let clear_at = m.reg("clear_at", unsigned(INDEX)).reset(0);
        m.when(self.clearing, || {
            m.set(clear_at, clear_at.add_lit(1));
            m.when(clear_at.reduce_and(), || m.set(self.clearing, low()));
        });
        let host_writes = host.strobe & within(host.address, CSR_REGISTER_BASE, INDEX);
        let index = compute.mux(index1, host.address.slice(2, INDEX));
        let enable = (compute | host_writes) & !index.is_zero();
        let data = compute.mux(data1, host.data);
        let at = self.clearing.mux(clear_at, index);
        let data = self.clearing.mux(lit(32, 0), data);
        let enable = m.net("step_write", self.clearing | enable);
        self.words.write(enable, at, data);
        bus(m, enable, at, data);
    }
}

/// The registers once more as one flat word.
fn bus(m: &Module, enable: Signal, at: Signal, data: Signal) {
    let register = |i: u64| m.reg_en(&format!("step{i}"), enable & at.eq_lit(i), data).q();
    let all: Vec<Signal> = (1..REGISTERS as u64).map(register).collect();
    m.output("regs", pack(&[&[lit(32, 0)], all.as_slice()].concat()));
}
