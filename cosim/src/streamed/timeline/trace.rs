//! A timeline in Chrome's trace format, for Perfetto: one track a unit, one event a descriptor. The viewers count in
//! microseconds; one of them is one clock cycle here.

use super::{Span, Timeline};
use sagen_streamed_isa::UNITS;
use serde_json::{Value, json};

/// The file's contents; `title` names the process.
#[must_use]
pub fn trace(timeline: &Timeline, title: &str) -> Value {
    let mut events = vec![json!({ "ph": "M", "name": "process_name", "pid": 0, "args": { "name": title } })];
    for unit in UNITS {
        let track = unit.index();
        events
            .push(json!({ "ph": "M", "name": "thread_name", "pid": 0, "tid": track, "args": { "name": unit.name() } }));
        events.push(
            json!({ "ph": "M", "name": "thread_sort_index", "pid": 0, "tid": track, "args": { "sort_index": track } }),
        );
    }
    events.extend(timeline.spans.iter().map(event));
    json!({ "traceEvents": events, "otherData": { "unit_of_time": "1 us = 1 clock cycle" } })
}

fn event(span: &Span) -> Value {
    json!({
        "ph": "X",
        "name": format!("{} {}", span.operation, span.label),
        "cat": span.unit.name(),
        "pid": 0,
        "tid": span.unit.index(),
        "ts": span.start,
        "dur": span.end - span.start + 1,
        "args": {
            "descriptor": span.descriptor,
            "accepted": span.taken,
            "waited_for": span.cause.map(sagen_streamed_isa::Unit::name),
            "cycles": span.cycles,
        },
    })
}
