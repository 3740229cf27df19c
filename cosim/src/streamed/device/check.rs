//! Comparison with the golden machine, descriptor by descriptor. The golden machine executes in program order, the
//! overlay out of order between units; so what golden left is kept per unit until the unit completes the descriptor.

use super::Checked;
use super::taps::Taps;
use crate::rig::Rig;
use sagen_streamed_arch::{Device, DeviceError, Instruction, Program, Region, Routine, StreamedConfig};
use sagen_streamed_golden::Machine;
use sagen_streamed_golden::machine::{Write, canonical};
use sagen_streamed_isa::{LANES, UNITS, Unit};
use std::collections::VecDeque;

/// Golden writes of one descriptor.
struct Expected {
    index: usize,
    writes: Vec<Write>,
}

pub(super) struct Checker {
    pub(super) golden: Machine,
    writable: Vec<Region>,
    steps: Vec<Instruction>,
    next: usize,
    expected: [VecDeque<Expected>; UNITS.len()],
}

impl Checker {
    pub(super) fn new(overlay: &StreamedConfig, program: &Program) -> Result<Self, DeviceError> {
        let mut golden = Machine::new(overlay);
        golden.load(program)?;
        let writable = program.regions.iter().filter(|r| r.writable()).cloned().collect();
        Ok(Self { golden, writable, steps: Vec::new(), next: 0, expected: Default::default() })
    }

    /// Start to follow a routine.
    pub(super) fn begin(&mut self, routine: &Routine) {
        self.steps.clone_from(&routine.steps);
        self.next = 0;
        self.expected.iter_mut().for_each(VecDeque::clear);
        self.golden.begin();
    }

    /// Units completed a descriptor each: compare what they wrote.
    pub(super) fn completed(
        &mut self,
        pulses: u8,
        taps: &mut Taps,
        rig: &mut Rig,
        checked: &mut Checked,
    ) -> Result<(), DeviceError> {
        if pulses >> Unit::Store.index() & 1 == 1 {
            collect_stores(taps, rig);
        }
        for unit in UNITS.iter().filter(|u| pulses >> u.index() & 1 == 1) {
            let mut found = std::mem::take(&mut taps.pending[unit.index()]);
            let expected = self.expect(*unit)?;
            if expected.writes.iter().any(|write| matches!(write, Write::Register { .. })) {
                found.extend(taps.results.pop_front());
            }
            let found = canonical(found);
            checked.descriptors += 1;
            checked.bytes += expected.writes.iter().map(bytes).sum::<u64>();
            if found != expected.writes {
                let step = &self.steps[expected.index];
                return Err(difference(expected.index, step, *unit, &expected.writes, &found));
            }
        }
        Ok(())
    }

    /// Golden writes of the oldest descriptor of a unit that was not compared yet.
    fn expect(&mut self, unit: Unit) -> Result<Expected, DeviceError> {
        while self.expected[unit.index()].is_empty() {
            let index = self.next;
            let step = self.steps.get(index).ok_or_else(|| {
                DeviceError::Failed(format!("unit {} completed more descriptors than the routine has", unit.name()))
            })?;
            let writes = self.golden.step_logged(index, step)?;
            self.expected[step.descriptor.unit().index()].push_back(Expected { index, writes });
            self.next += 1;
        }
        Ok(self.expected[unit.index()].pop_front().expect("just filled"))
    }

    /// The routine is complete: nothing may be left on either side.
    pub(super) fn end(&mut self, rig: &mut Rig) -> Result<(), DeviceError> {
        self.golden.finish()?;
        let late = rig.memory_mut().take_writes();
        match late.first() {
            Some(w) => Err(DeviceError::Failed(format!("DDR {:#x} was written after the last descriptor", w.address))),
            None => Ok(()),
        }
    }

    /// Run the routine on golden and compare all that it may have written in DDR.
    pub(super) fn run_and_compare(
        &mut self,
        routine: &Routine,
        rig: &mut Rig,
        checked: &mut Checked,
    ) -> Result<(), DeviceError> {
        self.golden.run(routine)?;
        for region in &self.writable {
            let mut expected = vec![0; region.bytes as usize];
            self.golden.read_ddr(region.base, &mut expected)?;
            let found = rig.memory().ddr().bytes(region.base, region.bytes);
            let found = found.map_err(|e| DeviceError::Failed(e.to_string()))?;
            if let Some(at) = (0..expected.len()).find(|&i| expected[i] != found[i]) {
                let address = region.base + at as u64;
                let (e, f) = (expected[at], found[at]);
                let message = format!("region {}: DDR {address:#x} holds {f:#04x}, golden has {e:#04x}", region.name);
                return Err(DeviceError::Failed(message));
            }
            checked.bytes += region.bytes;
        }
        checked.descriptors += routine.steps.len() as u64;
        Ok(())
    }
}

fn collect_stores(taps: &mut Taps, rig: &mut Rig) {
    let data_port = taps.data_port;
    for written in rig.memory_mut().take_writes() {
        debug_assert_eq!(written.port, data_port);
        let bytes = rig.memory().ddr().bytes(written.address, written.bytes);
        let bytes = bytes.expect("the memory model checked the burst").to_vec();
        taps.pending[Unit::Store.index()].push(Write::Ddr { address: written.address, bytes });
    }
}

fn bytes(write: &Write) -> u64 {
    match write {
        Write::Ddr { bytes, .. } => bytes.len() as u64,
        Write::Scratch { mask, .. } => u64::from(mask.count_ones()),
        Write::Code { codes, .. } => codes.len() as u64 + 1,
        Write::Scale { .. } => 3,
        Write::Register { .. } => 4,
    }
}

/// The first place at which the two lists part.
fn difference(index: usize, step: &Instruction, unit: Unit, expected: &[Write], found: &[Write]) -> DeviceError {
    let at = expected.iter().zip(found).position(|(e, f)| e != f);
    let at = at.unwrap_or(expected.len().min(found.len()));
    let reason = match (expected.get(at), found.get(at)) {
        (Some(e), Some(f)) => part(e, f),
        (Some(e), None) => format!("golden also wrote {}, the RTL did not", place(e)),
        (None, Some(f)) => format!("the RTL also wrote {}, golden did not", place(f)),
        (None, None) => "the same writes".to_string(),
    };
    let name = step.descriptor.operation.layout().name;
    let label = format!("{}: {name} on unit {}", step.label, unit.name());
    DeviceError::Descriptor { index, label, reason: format!("RTL and golden differ: {reason}") }
}

fn part(e: &Write, f: &Write) -> String {
    match (e, f) {
        (Write::Scratch { word, mask: em, bytes: eb }, Write::Scratch { word: fw, mask: fm, bytes: fb })
            if word == fw && em == fm =>
        {
            let lane = |b: &[u8], i: usize| i32::from_le_bytes(b[4 * i..4 * i + 4].try_into().expect("four bytes"));
            let i = (0..LANES).find(|&i| lane(eb, i) != lane(fb, i)).expect("the words differ");
            format!("scratchpad word {word} lane {i}: golden {}, RTL {}", lane(eb, i), lane(fb, i))
        }
        (Write::Code { word, codes: ec, shift: es }, Write::Code { word: fw, codes: fc, shift: fs }) if word == fw => {
            match ec.iter().zip(fc).position(|(a, b)| a != b) {
                Some(i) => format!("code word {word} code {i}: golden {}, RTL {}", ec[i], fc[i]),
                None => format!("code word {word} shift: golden {es}, RTL {fs}"),
            }
        }
        (Write::Scale { entry, value: ev }, Write::Scale { entry: fe, value: fv }) if entry == fe => {
            format!("scale entry {entry}: golden {ev:#08x}, RTL {fv:#08x}")
        }
        (Write::Register { index, value: ev }, Write::Register { index: fi, value: fv }) if index == fi => {
            format!("register {index}: golden {ev}, RTL {fv}")
        }
        (Write::Ddr { address, bytes: eb }, Write::Ddr { address: fa, bytes: fb }) if address == fa => {
            match eb.iter().zip(fb).position(|(a, b)| a != b) {
                Some(i) => format!("DDR {:#x}: golden {:#04x}, RTL {:#04x}", address + i as u64, eb[i], fb[i]),
                None => format!("DDR {address:#x}: golden wrote {} bytes, RTL {}", eb.len(), fb.len()),
            }
        }
        _ => format!("golden wrote {}, RTL {}", place(e), place(f)),
    }
}

fn place(write: &Write) -> String {
    match write {
        Write::Ddr { address, bytes } => format!("{} bytes at DDR {address:#x}", bytes.len()),
        Write::Scratch { word, mask, .. } => format!("scratchpad word {word} (mask {mask:#018x})"),
        Write::Code { word, .. } => format!("code word {word}"),
        Write::Scale { entry, .. } => format!("scale entry {entry}"),
        Write::Register { index, .. } => format!("register {index}"),
    }
}
