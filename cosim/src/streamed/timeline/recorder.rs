//! From what the taps show, cycle by cycle, to the span of every descriptor.
//!
//! A unit may accept a descriptor before the previous one is done; it is charged to the older one until that is done,
//! so spans of a unit do not overlap. Cycles of waiting are charged to the unit whose count was missing last.

use super::{State, Tally};
use sagen_streamed_arch::{Label, Routine};
use sagen_streamed_isa::{COUNTERS, Operation, UNITS, Unit};
use serde::Serialize;

/// What the taps show in one cycle; bit i of a byte belongs to unit i.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    /// The unit accepts a descriptor.
    pub taken: u8,
    /// The unit's queue holds a descriptor.
    pub queued: u8,
    /// The unit completes a descriptor.
    pub done: u8,
    /// Compute consumes a beat.
    pub beat: bool,
    /// Compute needs a beat and there is none.
    pub starved: bool,
    /// The stream is held by a full FIFO.
    pub blocked: bool,
    /// The oldest descriptor of the queue may start.
    pub offered: u8,
    /// A descriptor is held by a full queue.
    pub refused: bool,
}

/// One descriptor on its unit. Cycles count from the start of the run.
#[derive(Clone, Debug, Serialize)]
pub struct Span {
    /// Index in the routine.
    pub descriptor: usize,
    /// Unit that executed it.
    #[serde(serialize_with = "unit_name")]
    pub unit: Unit,
    /// Type of the descriptor.
    pub operation: &'static str,
    /// Its origin.
    #[serde(serialize_with = "label_text")]
    pub label: Label,
    /// Cycle in which the unit accepted it.
    pub taken: u64,
    /// First cycle in which the unit executed nothing older.
    pub start: u64,
    /// Cycle in which it was done.
    pub end: u64,
    /// The unit whose count was missing last, where the unit had nothing else to do.
    #[serde(serialize_with = "cause_name")]
    pub cause: Option<Unit>,
    /// The unit's cycles since its previous descriptor was done, up to `end`.
    pub cycles: Tally,
}

fn unit_name<S: serde::Serializer>(unit: &Unit, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(unit.name())
}

fn cause_name<S: serde::Serializer>(unit: &Option<Unit>, s: S) -> Result<S::Ok, S::Error> {
    unit.map(Unit::name).serialize(s)
}

fn label_text<S: serde::Serializer>(label: &Label, s: S) -> Result<S::Ok, S::Error> {
    s.collect_str(label)
}

/// A recorded run.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Cycles from the start to the last completion.
    pub cycles: u64,
    /// Every descriptor, in program order.
    pub spans: Vec<Span>,
    /// Cycles of each unit after its last descriptor.
    pub finished: [u64; UNITS.len()],
    /// What the event counters should have counted, in the order of `COUNTERS`; a descriptor is executed from the cycle
    /// after it was accepted until it is completed.
    pub events: [u64; COUNTERS.len()],
}

/// What must be known of a descriptor.
struct Waiting {
    index: usize,
    counts: [u64; UNITS.len()],
    on_array: bool,
}

/// The descriptors of one unit.
#[derive(Default)]
struct Lane {
    /// In order.
    steps: Vec<Waiting>,
    taken: usize,
    done: usize,
    started: bool,
    finished: u64,
}

impl Lane {
    fn in_flight(&self) -> bool {
        self.taken > self.done
    }
}

/// Follows a run.
pub struct Recorder {
    cycle: u64,
    lanes: [Lane; UNITS.len()],
    spans: Vec<Span>,
    events: [u64; COUNTERS.len()],
}

impl Recorder {
    /// Before the first cycle of a run.
    #[must_use]
    pub fn new(routine: &Routine) -> Self {
        let mut lanes: [Lane; UNITS.len()] = Default::default();
        for (i, step) in routine.steps.iter().enumerate() {
            let counts = std::array::from_fn(|u| u64::from(step.descriptor.waits[u]));
            let on_array = matches!(step.descriptor.operation, Operation::Matmul(_));
            lanes[step.descriptor.unit().index()].steps.push(Waiting { index: i, counts, on_array });
        }
        let span = |(descriptor, step): (usize, &sagen_streamed_arch::Instruction)| Span {
            descriptor,
            unit: step.descriptor.unit(),
            operation: step.descriptor.operation.layout().name,
            label: step.label.clone(),
            taken: 0,
            start: 0,
            end: 0,
            cause: None,
            cycles: Tally::default(),
        };
        let spans = routine.steps.iter().enumerate().map(span).collect();
        Self { cycle: 0, lanes, spans, events: [0; COUNTERS.len()] }
    }

    /// One cycle.
    #[inline]
    pub fn sample(&mut self, sample: &Sample) {
        self.count(sample);
        // Counts as the scheduler has them: a completion counts from the next cycle on.
        let counts: [u64; UNITS.len()] = std::array::from_fn(|u| self.lanes[u].done as u64);
        let fed = self.lanes[Unit::Stream.index()].in_flight() || bit(sample.taken, Unit::Stream);
        for unit in UNITS {
            self.unit(unit, sample, &counts, fed);
        }
        self.cycle += 1;
    }

    fn count(&mut self, sample: &Sample) {
        let busy = |unit: Unit| self.lanes[unit.index()].in_flight();
        let held = |unit: Unit| bit(sample.queued & !sample.offered, unit);
        let wait = |unit: Unit| held(unit) && !busy(unit);
        let now = [
            busy(Unit::Stream),
            held(Unit::Stream),
            sample.blocked,
            busy(Unit::Compute),
            wait(Unit::Compute),
            sample.starved,
            sample.beat,
            busy(Unit::Vector),
            wait(Unit::Vector),
            busy(Unit::Load),
            wait(Unit::Load),
            busy(Unit::Store),
            wait(Unit::Store),
            sample.refused,
        ];
        self.events.iter_mut().zip(now).for_each(|(event, now)| *event += u64::from(now));
    }

    fn unit(&mut self, unit: Unit, sample: &Sample, counts: &[u64; UNITS.len()], fed: bool) {
        let lane = &mut self.lanes[unit.index()];
        if bit(sample.taken, unit) {
            self.spans[lane.steps[lane.taken].index].taken = self.cycle;
            lane.taken += 1;
        }
        let Some(step) = lane.steps.get(lane.done) else {
            lane.finished += 1;
            return;
        };
        let span = &mut self.spans[step.index];
        if lane.in_flight() {
            if !lane.started {
                lane.started = true;
                span.start = self.cycle;
            }
            let state = match executing(unit, sample, fed) {
                State::Busy if step.on_array => State::Array,
                state => state,
            };
            span.cycles.add(state, 1);
        } else if let Some(missing) = UNITS.into_iter().find(|u| step.counts[u.index()] > counts[u.index()]) {
            // Which unit is to blame shows when the wait is over: until then the latest one stands for all.
            blame(span, missing);
            span.cycles.add(State::waiting_for(missing), 1);
        } else {
            span.cycles.add(if bit(sample.queued, unit) { State::Issue } else { State::Fetch }, 1);
        }
        if bit(sample.done, unit) {
            span.end = self.cycle;
            lane.done += 1;
            lane.started = false;
        }
    }

    /// After the last cycle.
    #[must_use]
    pub fn finish(self) -> Timeline {
        let finished = std::array::from_fn(|u| self.lanes[u].finished);
        Timeline { cycles: self.cycle, spans: self.spans, finished, events: self.events }
    }
}

fn bit(bits: u8, unit: Unit) -> bool {
    bits >> unit.index() & 1 == 1
}

fn executing(unit: Unit, sample: &Sample, fed: bool) -> State {
    match unit {
        Unit::Compute if sample.beat => State::Beat,
        Unit::Compute if sample.starved && fed => State::Starved,
        Unit::Compute if sample.starved => State::Unfed,
        Unit::Stream if sample.blocked => State::Blocked,
        Unit::Stream | Unit::Compute | Unit::Vector | Unit::Load | Unit::Store => State::Busy,
    }
}

/// Charge what was waited so far to another unit.
fn blame(span: &mut Span, unit: Unit) {
    if let Some(before) = span.cause.filter(|before| *before != unit) {
        let cycles = span.cycles.take(State::waiting_for(before));
        span.cycles.add(State::waiting_for(unit), cycles);
    }
    span.cause = Some(unit);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_streamed_arch::step::Slot;
    use sagen_streamed_arch::{Instruction, RoutineKind};
    use sagen_streamed_isa::{Add, Descriptor, Load, Store};

    /// Two loads, a store, and an addition that waits for one load and the store.
    fn recorder() -> Recorder {
        let step = |operation: Operation, waits: [u16; UNITS.len()]| {
            let mut descriptor = Descriptor::new(operation);
            descriptor.waits = waits;
            Instruction { descriptor, label: Label::default() }
        };
        let steps = vec![
            step(Load::default().into(), [0; UNITS.len()]),
            step(Load::default().into(), [0; UNITS.len()]),
            step(Store::default().into(), [0; UNITS.len()]),
            step(Add::default().into(), [0, 0, 0, 1, 1]),
        ];
        Recorder::new(&Routine { kind: RoutineKind::Test, slot: Slot::default(), address: 0, steps })
    }

    const VECTOR: u8 = 1 << Unit::Vector as u8;
    const LOAD: u8 = 1 << Unit::Load as u8;
    const STORE: u8 = 1 << Unit::Store as u8;

    /// Cycle by cycle: taken, queued, done.
    fn play(cycles: &[(u8, u8, u8)]) -> Timeline {
        let mut recorder = recorder();
        for (taken, queued, done) in cycles.iter().copied() {
            recorder.sample(&Sample { taken, queued, done, ..Sample::default() });
        }
        recorder.finish()
    }

    #[test]
    fn a_descriptor_accepted_early_starts_when_the_one_before_is_done() {
        let timeline = play(&[(LOAD, 0, 0), (LOAD, 0, 0), (0, 0, LOAD), (0, 0, 0), (0, 0, LOAD)]);
        let times: Vec<_> = timeline.spans[..2].iter().map(|s| (s.taken, s.start, s.end)).collect();
        assert_eq!(times, [(0, 0, 2), (1, 3, 4)]);
    }

    #[test]
    fn waiting_is_charged_to_the_unit_that_was_missing_last() {
        let both = LOAD | STORE;
        let timeline = play(&[
            (both, 0, 0),
            (0, 0, LOAD),
            (0, 0, 0),
            (0, 0, STORE),
            (0, 0, 0),
            (0, VECTOR, 0),
            (VECTOR, VECTOR, VECTOR),
        ]);
        let add = &timeline.spans[3];
        assert_eq!(add.cause, Some(Unit::Store));
        let counted =
            [State::WaitLoad, State::WaitStore, State::Fetch, State::Issue, State::Busy].map(|s| add.cycles.get(s));
        assert_eq!(counted, [0, 4, 1, 1, 1]);
        assert_eq!(timeline.finished[Unit::Store.index()], 3);
    }
}
