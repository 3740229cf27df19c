//! The model as a list of operations on named values. One graph serves every number of rows and every overlay.
//!
//! Nothing here knows a model family: a llama-shaped model is its [`ModelConfig`]. Operations are listed in the order
//! in which they are executed; weights are streamed in the order of [`Graph::matrices`].

mod build;
mod live;
mod op;

pub use live::{Live, live_ranges};
pub use op::{Buffer, Codes, Op, Streamed};

use sagen_checkpoint::model::{ModelConfig, TensorName};
use sagen_streamed_arch::layout::{Block, WeightFormat};
use sagen_streamed_isa::GROUP;
use std::ops::Range;

/// Choices that change the operations but not one bit of their results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphOptions {
    /// Gate and up rows of a tile form one matrix.
    pub join_gate_up: bool,
    /// Greatest magnitudes are recorded by the operation that makes the values, where one does.
    pub fuse_amax: bool,
    /// Channels of the feed-forward part that are gated at a time, a multiple of 16 that divides it.
    pub ffn_tile: usize,
    /// The head writes its results to DDR besides choosing the greatest.
    pub logits: bool,
}

/// Rows of one tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The tensor.
    pub tensor: TensorName,
    /// Its rows.
    pub rows: Range<usize>,
}

/// Weights that one operation streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixSpec {
    /// What people call it: `q`, `gate+up`.
    pub name: String,
    /// Its rows, part after part.
    pub parts: Vec<Part>,
    /// Input channels.
    pub columns: usize,
    /// How its weights are written.
    pub format: WeightFormat,
}

impl MatrixSpec {
    /// Shape of the blocks of 16 rows that it is streamed in.
    #[must_use]
    pub fn block(&self) -> Block {
        Block::weights(self.format, self.columns / GROUP)
    }

    /// Output channels.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.parts.iter().map(|part| part.rows.len()).sum()
    }
}

/// An operation and the layer it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Layer, where there is one.
    pub layer: Option<usize>,
    /// What is done.
    pub op: Op,
}

/// A model's operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Weights in the order in which they are streamed: layers, then head.
    pub matrices: Vec<MatrixSpec>,
    /// Before the first layer.
    pub start: Vec<Node>,
    /// One list a layer.
    pub layers: Vec<Vec<Node>>,
    /// From the residual stream of one row to its next token.
    pub head: Vec<Node>,
}

impl Graph {
    /// The operations of a model.
    #[must_use]
    pub fn new(config: &ModelConfig, options: GraphOptions) -> Self {
        build::graph(config, options)
    }

    /// Everything before the head. Gains of a layer are asked for one layer ahead; `head_follows` includes the head's.
    pub fn body(&self, head_follows: bool) -> Vec<Node> {
        let loads = self.layers.len() + usize::from(head_follows);
        let load =
            |layer: usize| Node { layer: Some(layer).filter(|l| *l < self.layers.len()), op: Op::LoadGains { layer } };
        let mut nodes = vec![load(0)];
        nodes.extend_from_slice(&self.start);
        for (layer, operations) in self.layers.iter().enumerate() {
            nodes.extend((layer + 1 < loads).then(|| load(layer + 1)));
            nodes.extend_from_slice(operations);
        }
        nodes
    }

    /// The head on its own.
    #[must_use]
    pub fn head_alone(&self) -> Vec<Node> {
        let layer = self.layers.len();
        let mut nodes = vec![Node { layer: None, op: Op::LoadGains { layer } }];
        nodes.extend_from_slice(&self.head);
        nodes
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use sagen_checkpoint::model::{Activation, Rope, RopePairing, RopeScaling};

    /// Two layers, as small as the hardware's units of 16 and 64 allow.
    pub(crate) fn config() -> ModelConfig {
        ModelConfig {
            family: "llama",
            layers: 2,
            hidden: 128,
            ffn: 256,
            heads: 3,
            kv_heads: 1,
            head_dim: 64,
            vocab: 203,
            context: 64,
            norm_eps: 1e-5,
            rope: Rope { theta: 1e4, pairing: RopePairing::HalfSplit, scaling: RopeScaling::None },
            tied_embeddings: true,
            activation: Activation::Silu,
            embed_scale: 1.0,
            qk_norm: false,
        }
    }

    #[test]
    fn matrices_are_listed_in_the_order_of_their_use() {
        let options = GraphOptions { join_gate_up: true, fuse_amax: true, ffn_tile: 128, logits: false };
        let graph = Graph::new(&config(), options);
        let used: Vec<usize> = graph
            .body(true)
            .iter()
            .chain(&graph.head)
            .filter_map(|node| match node.op.streams() {
                Some(Streamed::Weights(matrix)) => Some(matrix),
                Some(Streamed::Cache) | None => None,
            })
            .collect();
        assert_eq!(used, (0..graph.matrices.len()).collect::<Vec<_>>());
        let names: Vec<&str> = graph.matrices.iter().map(|m| m.name.as_str()).take(7).collect();
        assert_eq!(names, ["k", "v", "q", "o", "gate+up", "gate+up", "down"]);
        assert_eq!(graph.matrices[4].rows(), 256);
    }
}
