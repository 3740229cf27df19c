//! Weight streams: which descriptor brings which matrices.
//!
//! Streams are consumed in order, so a run may cover matrices that follow each other as long as attention, which
//! streams the cache, does not come between them.

use std::collections::BTreeMap;

use sagen_streamed_isa::Stream;

use super::{Lowering, Model};
use crate::graph::{Node, Streamed};

/// For the first matrix of each run, the last.
pub(super) struct Runs(BTreeMap<usize, usize>);

impl Runs {
    pub(super) fn new(model: &Model<'_>, nodes: &[Node]) -> Self {
        let mut runs = BTreeMap::new();
        let mut open: Option<usize> = None;
        for node in nodes {
            match node.op.streams() {
                Some(Streamed::Weights(matrix)) => {
                    let first = open.filter(|_| model.join_streams).unwrap_or(matrix);
                    runs.insert(first, matrix);
                    open = Some(first);
                }
                Some(Streamed::Cache) => open = None,
                None => {}
            }
        }
        Self(runs)
    }
}

impl Lowering<'_> {
    /// Start the run that begins with this matrix, if one does.
    pub(super) fn stream_weights(&mut self, matrix: usize) {
        let Some(&last) = self.runs.0.get(&matrix) else {
            return;
        };
        let map = self.model.map;
        let names = |m: usize| &self.model.graph.matrices[m].name;
        let label = if matrix == last {
            format!("stream {}", names(matrix))
        } else {
            format!("stream {}..{}", names(matrix), names(last))
        };
        let (first, last) = (map.matrices[matrix], map.matrices[last]);
        let bytes = last.at + last.bytes - first.at;
        let stream = Stream {
            base: map.weights.base + first.at as u64,
            port_stride: map.weights.stride,
            beats: (bytes / self.model.overlay.port_bytes()) as u64,
            ..Stream::default()
        };
        self.push(label, stream);
    }
}
