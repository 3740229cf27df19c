//! From which operation to which a value is needed. Layers are alike, so one of them stands for all.

use super::{Buffer, Codes, Graph, Node};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Operations between which each value is live.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Scratchpad values.
    pub buffers: BTreeMap<Buffer, RangeInclusive<usize>>,
    /// Codes.
    pub codes: BTreeMap<Codes, RangeInclusive<usize>>,
}

/// Live ranges over the start, one layer and the head.
#[must_use]
pub fn live_ranges(graph: &Graph) -> Live {
    let layer = graph.layers.first().map(Vec::as_slice).unwrap_or_default();
    let nodes: Vec<&Node> = graph.start.iter().chain(layer).chain(&graph.head).collect();
    let mut live = Live::default();
    for (at, node) in nodes.iter().enumerate() {
        for buffer in node.op.buffers() {
            extend(live.buffers.entry(buffer), at);
        }
        for codes in node.op.codes() {
            extend(live.codes.entry(codes), at);
        }
    }
    // These outlive a layer.
    for lasting in [Buffer::Residual, Buffer::RopeTable, Buffer::GainsEven, Buffer::GainsOdd] {
        live.buffers.insert(lasting, 0..=nodes.len());
    }
    live
}

fn extend<K: Ord>(entry: std::collections::btree_map::Entry<'_, K, RangeInclusive<usize>>, at: usize) {
    entry.and_modify(|range| *range = *range.start()..=at).or_insert(at..=at);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphOptions;
    use crate::graph::tests::config;

    #[test]
    fn a_query_is_dead_when_its_codes_are_made() {
        let options = GraphOptions { join_gate_up: true, fuse_amax: true, ffn_tile: 128, logits: false };
        let live = live_ranges(&Graph::new(&config(), options));
        let (query, attended) = (&live.buffers[&Buffer::Query], &live.buffers[&Buffer::Attended]);
        assert!(query.end() < attended.start());
        assert!(live.codes[&Codes::Query].contains(attended.start()));
        assert!(live.buffers[&Buffer::Residual].contains(attended.start()));
    }
}
