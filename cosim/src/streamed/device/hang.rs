//! The watchdog: notices that nothing moves any more and says who waits for what.

use crate::rig::Rig;
use sagen_streamed_arch::Routine;
use sagen_streamed_isa::UNITS;

/// Remembers when something last moved.
pub(super) struct Watch {
    finished: u64,
    beats: u64,
    moved: u64,
}

impl Watch {
    pub(super) fn new(rig: &Rig, cycle: u64) -> Self {
        Self { finished: 0, beats: beats(rig), moved: cycle }
    }

    /// True when for `patience` cycles no descriptor was completed and no beat transferred.
    pub(super) fn is_hung(&mut self, rig: &Rig, finished: u64, patience: u64) -> bool {
        let (beats, cycle) = (beats(rig), rig.sim().cycle());
        if (finished, beats) != (self.finished, self.beats) {
            *self = Self { finished, beats, moved: cycle };
        }
        cycle - self.moved > patience
    }
}

fn beats(rig: &Rig) -> u64 {
    rig.memory().stats().iter().map(|s| s.read_beats + s.write_beats).sum()
}

/// Everything known about a hang.
pub(super) fn describe(rig: &Rig, routine: &Routine, counts: &[u64; UNITS.len()], patience: u64) -> String {
    let ports = rig.memory().waiting().join("; ");
    let ports = if ports.is_empty() { "no port waits".to_string() } else { ports };
    format!("the design hangs: nothing moved for {patience} cycles\n{}\nports: {ports}", units(routine, counts))
}

/// The oldest descriptor of each unit that is not complete, and what it waits for.
pub(super) fn units(routine: &Routine, counts: &[u64; UNITS.len()]) -> String {
    let lines = UNITS.iter().map(|unit| {
        let mut mine = routine.steps.iter().enumerate().filter(|(_, s)| s.descriptor.unit() == *unit);
        let Some((index, step)) = mine.nth(counts[unit.index()] as usize) else {
            return format!("  {:<8} all descriptors complete", unit.name());
        };
        let unmet = UNITS.iter().filter(|u| u64::from(step.descriptor.waits[u.index()]) > counts[u.index()]);
        let unmet: Vec<String> = unmet
            .map(|u| format!("{} {} (has {})", u.name(), step.descriptor.waits[u.index()], counts[u.index()]))
            .collect();
        let state = if unmet.is_empty() { "may run".to_string() } else { format!("waits for {}", unmet.join(", ")) };
        let name = step.descriptor.operation.layout().name;
        format!("  {:<8} descriptor {index} {name} ({}): {state}", unit.name(), step.label)
    });
    lines.collect::<Vec<_>>().join("\n")
}
