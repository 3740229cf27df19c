//! A mover by itself, with step registers of random contents.

use crate::testing::{Random, overlay};
use sagen_lang::{Design, ModuleId, Sim};
use sagen_streamed_arch::StreamedConfig;

/// What the movers' benches share.
pub(super) struct Bench {
    pub(super) sim: Sim,
    /// Of a transfer.
    pub(super) bytes: u64,
    pub(super) registers: [u32; 32],
    /// A signal that stays low in the first 2,000 cycles of a descriptor.
    pub(super) held: Option<&'static str>,
}

impl Bench {
    pub(super) fn new(unit: fn(&mut Design, &StreamedConfig) -> ModuleId, config: &str, random: &mut Random) -> Self {
        let overlay = overlay(config);
        let mut d = Design::new();
        let top = unit(&mut d, &overlay);
        let mut sim = Sim::new(&d, top).unwrap();
        sim.reset();
        let registers = std::array::from_fn(|i| if i == 0 { 0 } else { random.next() as u32 & 0xff_ffff });
        Self { sim, bytes: overlay.port_bytes() as u64, registers, held: None }
    }

    /// Drives a signal high in `pace` percent of the cycles, unless it is held; whether it is.
    pub(super) fn drive(
        &mut self,
        name: &'static str,
        possible: bool,
        pace: u64,
        since: u64,
        random: &mut Random,
    ) -> bool {
        let held = self.held == Some(name) && self.sim.cycle() - since < 2000;
        let high = possible && random.percent(pace) && !held;
        self.sim.set(name, high);
        high
    }

    /// Registers that count credits are where they were after the reset.
    pub(super) fn rests(&mut self, credits: &[(&str, u64)]) {
        (0..4).for_each(|_| self.sim.step());
        for (name, rest) in credits {
            assert_eq!(self.sim.peek(name).to_u64(), *rest, "{name}");
        }
    }

    pub(super) fn flag(&mut self, name: &str) -> bool {
        self.sim.get(name).to_u64() == 1
    }
    /// The end of a cycle of the descriptor offered in cycle `start`; true with `done`.
    pub(super) fn step(&mut self, start: u64) -> bool {
        let done = self.flag("done");
        self.sim.step();
        self.sim.set("desc_valid", false);
        assert!(self.sim.cycle() - start < 100_000, "no progress");
        done
    }
}
