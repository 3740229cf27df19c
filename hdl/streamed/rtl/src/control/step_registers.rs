//! Step registers: 32 words of 32 bits in distributed memory, a read port for each reader.
//!
//! Written by the host and, two cycles after its write, by the compute unit; register 0 stays 0. All are cleared one by
//! one after a reset.

use super::csr::STEPS;
use crate::interface::{STEP_INDEX, StepRead, StepWrite};
use sagen_blocks::register_bus::RegisterWrite;
use sagen_lang::{Mem, Module, RamStyle, Reg, Signal, bit, lit, low, unsigned};
use sagen_streamed_isa::REGISTERS;

/// Who reads a register while a program runs, each by a [`StepRead`] of this prefix.
pub const READERS: [&str; 6] = ["stream_", "load_", "store_", "vector_", "limit_", "count_"];

pub(super) struct StepRegisters {
    words: Mem,
    clearing: Reg,
    /// The compute unit's write is made.
    compute: Reg,
}

impl StepRegisters {
    pub(super) fn new(m: &Module) -> Self {
        let words = m.memory("steps", REGISTERS as u32, 32).style(RamStyle::Distributed);
        for reader in READERS {
            let port = m.slave(reader, StepRead::layout());
            port.value.drive(words.read_async(port.index));
        }
        Self { words, clearing: m.reg("clearing", bit()).reset(1), compute: m.reg("compute_writes", bit()).reset(0) }
    }

    /// A write of the host's would meet another one in this cycle.
    pub(super) fn blocked(&self) -> Signal {
        self.clearing | self.compute
    }

    /// They are being cleared: what they hold is from before the reset.
    pub(super) fn clearing(&self) -> Signal {
        self.clearing.q()
    }

    pub(super) fn read(&self, index: Signal) -> Signal {
        self.words.read_async(index)
    }

    /// The write port.
    pub(super) fn write(&self, m: &Module, host: &RegisterWrite) {
        let unit = m.slave("reg_", StepWrite::layout());
        let announced = m.reg("announced", bit()).reset(0);
        m.set(announced, unit.write);
        let index1 = m.reg_en("announced_index", unit.write, unit.index);
        let data1 = m.reg_en("announced_data", unit.write, unit.data);
        let compute = self.compute;
        m.set(compute, announced);

        let clear_at = m.reg("clear_at", unsigned(STEP_INDEX)).reset(0);
        m.when(self.clearing, || {
            m.set(clear_at, clear_at.add_lit(1));
            m.when(clear_at.reduce_and(), || m.set(self.clearing, low()));
        });
        let (host_writes, host_index) = host.within(STEPS);
        let index = compute.mux(index1, host_index);
        let enable = (compute | host_writes) & !index.is_zero();
        let data = compute.mux(data1, host.data);
        let at = self.clearing.mux(clear_at, index);
        let data = self.clearing.mux(lit(32, 0), data);
        let enable = m.net("step_write", self.clearing | enable);
        self.words.write(enable, at, data);
    }
}

#[cfg(test)]
mod tests {
    use super::READERS;
    use crate::control::csr::{Identity, csr_block};
    use sagen_lang::{Design, Sim};
    use sagen_streamed_isa::{CSR_REGISTER_BASE, REGISTERS};

    fn started() -> Sim {
        let mut d = Design::new();
        let top = csr_block(&mut d, Identity { build_hash: 0x1234, geometry: 7 });
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        sim.set("s_axi_bready", true);
        sim.set("s_axi_rready", true);
        sim.set("s_axi_wstrb", 15);
        sim
    }

    /// One cycle in which the host offers a word; whether it was taken.
    fn offer(sim: &mut Sim, address: u32, value: u32) -> bool {
        sim.set("s_axi_awaddr", address);
        sim.set("s_axi_wdata", value);
        sim.set("s_axi_awvalid", true);
        sim.set("s_axi_wvalid", true);
        let taken = sim.get("s_axi_awready").to_u64() == 1;
        sim.step();
        sim.set("s_axi_awvalid", false);
        sim.set("s_axi_wvalid", false);
        taken
    }

    fn write(sim: &mut Sim, address: u32, value: u32) {
        while !offer(sim, address, value) {}
        (0..4).for_each(|_| sim.step());
    }

    fn read(sim: &mut Sim, address: u32) -> u32 {
        sim.set("s_axi_araddr", address);
        sim.set("s_axi_arvalid", true);
        while sim.get("s_axi_arready").to_u64() == 0 {
            sim.step();
        }
        sim.step();
        sim.set("s_axi_arvalid", false);
        while sim.get("s_axi_rvalid").to_u64() == 0 {
            sim.step();
        }
        let value = sim.get("s_axi_rdata").to_u64() as u32;
        sim.step();
        value
    }

    fn address(register: u32) -> u32 {
        CSR_REGISTER_BASE + 4 * register
    }

    #[test]
    fn every_reader_sees_what_the_host_wrote_and_register_0_stays_0() {
        let mut sim = started();
        for i in 0..REGISTERS as u32 {
            write(&mut sim, address(i), 1000 + i);
        }
        for i in 0..REGISTERS as u32 {
            let expected = if i == 0 { 0 } else { 1000 + i };
            assert_eq!(read(&mut sim, address(i)), expected);
            for reader in READERS {
                sim.set(&format!("{reader}index"), i);
                assert_eq!(sim.get(&format!("{reader}value")).to_u64(), u64::from(expected), "{reader}");
            }
        }
    }

    #[test]
    fn a_reset_clears_all_before_the_host_can_write() {
        let mut sim = started();
        for i in 1..REGISTERS as u32 {
            write(&mut sim, address(i), !i);
        }
        sim.reset();
        assert_eq!(read(&mut sim, address(30)), 0, "a read waits for the clearing too");
        sim.reset();
        write(&mut sim, address(31), 5);
        assert!((1..31).all(|i| read(&mut sim, address(i)) == 0));
        assert_eq!(read(&mut sim, address(31)), 5);
    }

    #[test]
    fn writes_of_host_and_compute_unit_do_not_meet() {
        let mut sim = started();
        write(&mut sim, address(1), 0);
        for lead in 0..5 {
            for cycle in 0..8 {
                sim.set("reg_write", cycle == 3);
                sim.set("reg_index", 9);
                sim.set("reg_data", 70 + lead);
                if cycle == lead + 1 {
                    while !offer(&mut sim, address(8), 30 + lead) {
                        sim.set("reg_write", false);
                    }
                } else {
                    sim.step();
                }
            }
            sim.set("reg_write", false);
            (0..4).for_each(|_| sim.step());
            assert_eq!([8, 9].map(|i| read(&mut sim, address(i))), [30 + lead, 70 + lead], "lead {lead}");
        }
    }

    #[test]
    fn other_addresses_read_their_own_words() {
        let mut sim = started();
        assert_eq!(read(&mut sim, 4), 0x1234);
        assert_eq!(read(&mut sim, 8), 7);
        write(&mut sim, 32, 77);
        assert_eq!(read(&mut sim, 32), 77);
    }
}
