//! A timeline added up: by unit, by layer, and by operation for what compute lost.

use super::{STATES, State, Tally, Timeline};
use sagen_streamed_isa::{UNITS, Unit};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Part of a routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What no layer owns, before the last descriptor of a layer.
    Before,
    /// A layer.
    Layer(u32),
    /// What no layer owns, after it.
    After,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Before => f.pad("before"),
            Part::Layer(layer) => f.pad(&format!("layer {layer}")),
            Part::After => f.pad("after"),
        }
    }
}

/// The units' cycles for one part.
#[derive(Clone, Debug)]
pub struct PartTally {
    /// The part.
    pub part: Part,
    /// In the order of `UNITS`.
    pub units: [Tally; UNITS.len()],
}

/// Cycles in which compute neither consumed a beat nor multiplied on the array, for one kind of descriptor and cause.
#[derive(Clone, Debug, Serialize)]
pub struct Loss {
    /// What compute did instead.
    #[serde(serialize_with = "state_name")]
    pub state: State,
    /// Type of the descriptor, and its origin without the layer.
    pub operation: String,
    /// Descriptors that lost cycles so.
    pub descriptors: usize,
    /// Their sum.
    pub cycles: u64,
}

fn state_name<S: Serializer>(state: &State, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(state.name())
}

/// A timeline added up.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Cycles of the run: each unit's states add up to it.
    pub cycles: u64,
    /// In the order of `UNITS`.
    pub units: [Tally; UNITS.len()],
    /// In program order.
    pub parts: Vec<PartTally>,
    /// Greatest first.
    pub losses: Vec<Loss>,
}

impl Summary {
    /// Add up.
    #[must_use]
    pub fn new(timeline: &Timeline) -> Self {
        let mut parts: BTreeMap<Part, [Tally; UNITS.len()]> = BTreeMap::new();
        let mut units = [Tally::default(); UNITS.len()];
        let last = timeline.spans.iter().rposition(|s| s.label.layer.is_some());
        for (i, span) in timeline.spans.iter().enumerate() {
            let unowned = if last.is_some_and(|last| i < last) { Part::Before } else { Part::After };
            let part = span.label.layer.map_or(unowned, Part::Layer);
            parts.entry(part).or_default()[span.unit.index()].merge(&span.cycles);
            units[span.unit.index()].merge(&span.cycles);
        }
        for (unit, finished) in units.iter_mut().zip(timeline.finished) {
            unit.add(State::Finished, finished);
        }
        let parts = parts.into_iter().map(|(part, units)| PartTally { part, units }).collect();
        Self { cycles: timeline.cycles, units, parts, losses: losses(timeline) }
    }

    /// Layers of the run.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.parts.iter().filter(|p| matches!(p.part, Part::Layer(_))).count()
    }
}

fn losses(timeline: &Timeline) -> Vec<Loss> {
    let mut found: BTreeMap<(State, String), (usize, u64)> = BTreeMap::new();
    for span in timeline.spans.iter().filter(|s| s.unit == Unit::Compute) {
        let operation = format!("{} {}", span.operation, span.label.tensor);
        for state in STATES.into_iter().filter(|s| s.is_loss() && span.cycles.get(*s) > 0) {
            let sum = found.entry((state, operation.clone())).or_default();
            *sum = (sum.0 + 1, sum.1 + span.cycles.get(state));
        }
    }
    let loss = |((state, operation), (descriptors, cycles))| Loss { state, operation, descriptors, cycles };
    let mut losses: Vec<Loss> = found.into_iter().map(loss).collect();
    losses.sort_by_key(|l| std::cmp::Reverse(l.cycles));
    losses
}
