//! The course of a program: start, end, errors, drain, seen through the registers.

use super::host::Host;
use crate::control::csr::{Identity, csr_block};
use sagen_lang::{Design, Sim};
use sagen_streamed_isa::csr::{control, status};
use sagen_streamed_isa::{Csr, ErrorSource, Field};

const FAULTS: [&str; 5] = ["fetch_error", "stream_error", "load_error", "store_error", "unknown_opcode"];

struct Block {
    sim: Sim,
    host: Host,
}

impl Block {
    fn new() -> Self {
        let mut d = Design::new();
        let top = csr_block(&mut d, Identity { build_hash: 0, geometry: 0 });
        let mut block = Self { sim: Sim::new(&d, top).unwrap(), host: Host::default() };
        block.sim.reset();
        block.sim.set("quiet", true);
        block.sim.set("all_done", true);
        while block.status(status::DRAINING) == 1 {}
        block
    }

    fn read(&mut self, csr: Csr) -> u32 {
        self.host.read(&mut self.sim, csr.offset()).data
    }

    fn write(&mut self, csr: Csr, value: u32) {
        assert_eq!(self.host.write(&mut self.sim, csr.offset(), value), 0);
    }

    fn status(&mut self, part: Field) -> u32 {
        part.of(self.read(Csr::Status))
    }

    /// So many descriptors are handed out.
    fn hand_out(&mut self, descriptors: u32) {
        self.sim.set("desc_taken", true);
        (0..descriptors).for_each(|_| self.sim.step());
        self.sim.set("desc_taken", false);
    }

    fn fault(&mut self, name: &str) {
        self.sim.set(name, true);
        self.sim.step();
        self.sim.set(name, false);
    }

    fn start(&mut self, length: u32) {
        self.write(Csr::ProgramLength, length);
        self.write(Csr::Control, control::START.mask());
    }

    fn parts(&mut self) -> [u32; 4] {
        let found = self.read(Csr::Status);
        [status::BUSY, status::DONE, status::ERROR, status::DRAINING].map(|part| part.of(found))
    }
}

#[test]
fn a_program_ends_when_the_length_of_its_start_is_handed_out_whatever_is_written_meanwhile() {
    for length in [3, 3 | 0xab << 24] {
        let mut block = Block::new();
        block.start(length);
        block.write(Csr::ProgramLength, 1);
        block.hand_out(2);
        assert_eq!(block.parts(), [1, 0, 0, 0], "{length:#x}");
        block.hand_out(1);
        assert_eq!(block.parts(), [0, 1, 0, 0], "{length:#x}");
        assert_eq!(block.read(Csr::ProgramLength), 1);
    }
}

#[test]
fn a_start_is_ignored_while_a_program_runs_and_while_the_overlay_drains() {
    let mut block = Block::new();
    block.start(5);
    block.hand_out(2);
    block.start(2);
    assert_eq!((block.parts(), block.read(Csr::Fetched)), ([1, 0, 0, 0], 2));
    block.sim.set("quiet", false);
    block.write(Csr::Control, control::DRAIN.mask());
    (0..100).for_each(|_| block.sim.step());
    assert_eq!(block.parts(), [1, 0, 0, 1]);
    block.start(1);
    block.sim.set("quiet", true);
    block.sim.step();
    // A program that was given up has not ended by itself.
    assert_eq!((block.parts(), block.read(Csr::Fetched)), ([0, 0, 0, 0], 2));
    block.start(1);
    block.hand_out(1);
    assert_eq!(block.parts(), [0, 1, 0, 0]);
}

#[test]
fn a_drain_holds_the_units_in_reset_long_enough_and_until_every_port_is_quiet() {
    let mut block = Block::new();
    for wait in [0, 20, 500] {
        block.start(9);
        block.hand_out(4);
        block.sim.set("quiet", wait == 0);
        assert_eq!(block.sim.get("dispatch").to_u64(), 1);
        block.write(Csr::Control, control::DRAIN.mask());
        let mut held = 0;
        for cycle in 0..600 {
            if cycle == wait {
                block.sim.set("quiet", true);
            }
            let drain = block.sim.get("drain").to_u64();
            assert_eq!(block.sim.get("dispatch").to_u64(), 0);
            held += drain;
            block.sim.step();
        }
        assert!((28..34).contains(&held) && wait < 28 || held.abs_diff(wait) < 4, "{wait}: {held}");
        assert_eq!((block.parts(), block.read(Csr::Fetched)), ([0, 0, 0, 0], 4));
    }
}

#[test]
fn an_error_of_the_fetch_or_an_unknown_opcode_ends_the_program_and_any_other_is_kept_to_its_end() {
    for (source, port) in ErrorSource::ALL.iter().zip(FAULTS) {
        let mut block = Block::new();
        block.start(9);
        block.hand_out(4);
        block.sim.set("all_done", false);
        block.fault(port);
        (0..60).for_each(|_| block.sim.step());
        let ends = source.ends_program();
        assert_eq!(block.parts(), [u32::from(!ends), u32::from(ends), 1, 0], "{port}");
        assert_eq!(block.read(Csr::Error), 4 << 8 | *source as u32, "{port}");
        // Later errors change nothing.
        block.fault(if port == "load_error" { "stream_error" } else { "load_error" });
        assert_eq!(block.read(Csr::Error), 4 << 8 | *source as u32, "{port}");
        block.sim.set("all_done", true);
        if !ends {
            block.hand_out(5);
            assert_eq!(block.parts(), [0, 1, 1, 0], "{port}");
        }
        block.start(1);
        assert_eq!((block.parts(), block.read(Csr::Error)), ([1, 0, 0, 0], 0), "{port}");
        block.hand_out(1);
        assert_eq!(block.parts(), [0, 1, 0, 0], "{port}");
    }
}

#[test]
fn a_drain_gives_up_a_program_with_an_error_as_one_that_ended() {
    let mut block = Block::new();
    block.start(9);
    block.fault("load_error");
    block.write(Csr::Control, control::DRAIN.mask());
    (0..60).for_each(|_| block.sim.step());
    assert_eq!(block.parts(), [0, 1, 1, 0]);
}

#[test]
fn step_registers_and_counters_outlive_a_drain() {
    let mut block = Block::new();
    block.host.write(&mut block.sim, 0x110, 99);
    block.start(9);
    block.sim.set("event_load_busy", true);
    (0..10).for_each(|_| block.sim.step());
    block.sim.set("event_load_busy", false);
    let counter = 0x200 + 4 * 9;
    let counted = block.host.read(&mut block.sim, counter).data;
    block.write(Csr::Control, control::DRAIN.mask());
    (0..60).for_each(|_| block.sim.step());
    assert!(counted >= 10);
    assert_eq!(block.host.read(&mut block.sim, counter).data, counted);
    assert_eq!(block.host.read(&mut block.sim, 0x110).data, 99);
    assert!(block.read(Csr::Cycles) > 10);
}
