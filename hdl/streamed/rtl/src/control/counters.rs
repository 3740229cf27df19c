//! Event counters: 32 bits each, counting cycles while a program runs.

use crate::interface::Events;
use sagen_lang::{Bundle, Layout, Module, Signal, lit, unsigned};

/// The value of every counter, in the order of their addresses.
pub(super) fn counters(m: &Module, running: Signal, clear: Signal) -> Vec<Signal> {
    let count = |name: &str, event: Signal| {
        let counter = m.reg(&format!("counter_{name}"), unsigned(32)).reset(0);
        m.when(running & event, || m.set(counter, counter.add_lit(1)));
        m.when(clear, || m.set(counter, lit(32, 0)));
        counter.q()
    };
    Events::layout().inputs(m, "event_").map(count).signals()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_lang::{Each, Type};
    use sagen_streamed_isa::COUNTERS;

    #[test]
    fn events_are_those_of_the_counters_in_the_same_order() {
        let mut names = Vec::new();
        Events::layout().each("", &mut |name, _: Type| names.push(name.to_string()));
        assert_eq!(names, COUNTERS.iter().map(|c| c.name).collect::<Vec<_>>());
    }
}
