//! Timelines of random programs on the RTL: no cycle is lost, and the counters of the design say the same.

mod overlay;

use sagen_cosim::axi::Profile;
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::streamed::timeline::{State, Summary, Timeline, svg, trace};
use sagen_cosim::verilate::Variant;
use sagen_streamed_arch::{Device, RunStats};
use sagen_streamed_fuzz::program::RandomProgram;
use sagen_streamed_isa::{COUNTERS, UNITS, Unit};

/// Cycles by which the start and the end of a recording may differ from those of the design's counters.
const EDGES: u64 = 16;

/// Random programs on an overlay, each with its timeline.
fn recorded(seeds: std::ops::Range<u64>) -> Vec<(RandomProgram, RunStats, Timeline)> {
    let o = overlay::overlay("d16_100mhz_w128_p6");
    let (folder, ports) = overlay::emit(&o, "profile");
    let built = overlay::simulator(&folder, &ports, Variant::default());
    let run = |seed| {
        let random = overlay::program(&o, seed);
        let mut device = RtlDevice::new(&built.library, &o, Profile::Random(seed), Check::None);
        device.load(&random.program).unwrap();
        for (index, value) in &random.registers {
            device.set_register(*index, *value).unwrap();
        }
        device.record_timelines();
        let stats = device.run(&random.routine).unwrap();
        let mut timelines = device.take_timelines();
        assert_eq!(timelines.len(), 1);
        (random, stats, timelines.remove(0))
    };
    seeds.map(run).collect()
}

#[test]
fn every_cycle_of_every_unit_is_accounted_for() {
    for (random, stats, timeline) in recorded(1..25) {
        assert_eq!(timeline.spans.len(), random.routine.steps.len());
        let summary = Summary::new(&timeline);
        for unit in UNITS {
            assert_eq!(summary.units[unit.index()].total(), timeline.cycles, "{}", unit.name());
            in_order(&random, &timeline, unit);
        }
        let cycles = stats.cycles.unwrap();
        assert!(cycles.abs_diff(timeline.cycles) <= EDGES, "{cycles} {}", timeline.cycles);
        counters_agree(&stats, &summary);
    }
}

/// Spans of a unit follow each other, are as long as their cycles, and begin after what they wait for.
fn in_order(random: &RandomProgram, timeline: &Timeline, unit: Unit) {
    let ends = |unit: Unit| timeline.spans.iter().filter(move |s| s.unit == unit).map(|s| s.end);
    let mut free = 0;
    for span in timeline.spans.iter().filter(|s| s.unit == unit) {
        assert!(free <= span.start && span.taken <= span.start && span.start <= span.end, "{span:?}");
        assert!(span.end < timeline.cycles, "{span:?}");
        assert_eq!(span.cycles.in_flight(), span.end - span.start + 1, "{span:?}");
        assert_eq!(span.cycles.total(), span.end + 1 - free, "{span:?}");
        free = span.end + 1;
        let waits = random.routine.steps[span.descriptor].descriptor.waits;
        for other in UNITS {
            let needed = usize::from(waits[other.index()]);
            let met = needed == 0 || ends(other).nth(needed - 1).unwrap() < span.taken;
            assert!(met, "{span:?} did not wait for {}", other.name());
        }
    }
}

fn counters_agree(stats: &RunStats, summary: &Summary) {
    let counter = |name: &str| stats.counters[COUNTERS.iter().position(|c| c.name == name).unwrap()];
    let [stream, compute] = [Unit::Stream, Unit::Compute].map(|u| summary.units[u.index()]);
    assert_eq!(counter("compute_beats"), compute.get(State::Beat));
    // The array reports starvation a cycle late, when it consumes the beat that ended it.
    assert!(compute.get(State::Starved) + compute.get(State::Unfed) <= counter("compute_starved"));
    assert_eq!(counter("stream_blocked"), stream.get(State::Blocked));
}

#[test]
fn a_trace_has_one_event_for_each_descriptor_and_a_picture_is_well_formed() {
    let (_, _, timeline) = recorded(3..4).remove(0);
    let trace = trace::trace(&timeline, "test");
    let events = trace["traceEvents"].as_array().unwrap();
    let spans: Vec<_> = events.iter().filter(|e| e["ph"] == "X").collect();
    assert_eq!(spans.len(), timeline.spans.len());
    for (event, span) in spans.iter().zip(&timeline.spans) {
        assert_eq!(event["tid"], span.unit.index());
        assert_eq!(event["ts"].as_u64().unwrap() + event["dur"].as_u64().unwrap(), span.end + 1);
        assert_eq!(event["args"]["descriptor"], span.descriptor);
    }
    let picture = svg::svg(&Summary::new(&timeline), "a < b & c");
    assert!(picture.contains("a &lt; b &amp; c"));
    assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
    assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
}
