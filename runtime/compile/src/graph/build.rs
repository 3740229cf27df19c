//! The operations of a llama-shaped model, from its numbers alone.

use super::{Buffer, Codes, Graph, GraphOptions, MatrixSpec, Node, Op, Part};
use sagen_checkpoint::model::{LayerNorm, LayerTensor, ModelConfig, NormGain, TensorName};
use sagen_streamed_arch::layout::WEIGHTS;

pub(super) fn graph(config: &ModelConfig, options: GraphOptions) -> Graph {
    let mut matrices = Vec::new();
    let layers = (0..config.layers)
        .map(|index| {
            let mut layer = Layer { config, options, index, nodes: Vec::new(), matrices: &mut matrices };
            layer.attention();
            layer.feed_forward();
            layer.nodes
        })
        .collect();
    let part = Part { tensor: TensorName::Head, rows: 0..config.vocab };
    matrices.push(MatrixSpec { name: "head".to_owned(), parts: vec![part], columns: config.hidden, format: WEIGHTS });
    let head = [
        Op::Norm { of: Buffer::Residual, gain: NormGain::Final, to: Codes::Head },
        Op::Head { matrix: matrices.len() - 1, from: Codes::Head, logits: options.logits },
    ];
    let outside = |op| Node { layer: None, op };
    Graph {
        matrices,
        start: vec![outside(Op::Embed { to: Buffer::Residual })],
        layers,
        head: head.into_iter().map(outside).collect(),
    }
}

struct Layer<'a> {
    config: &'a ModelConfig,
    options: GraphOptions,
    index: usize,
    nodes: Vec<Node>,
    matrices: &'a mut Vec<MatrixSpec>,
}

impl Layer<'_> {
    fn push(&mut self, op: Op) {
        self.nodes.push(Node { layer: Some(self.index), op });
    }

    fn linear(&mut self, name: &str, parts: Vec<Part>, from: Codes, to: Buffer, at: usize) {
        let columns = self.config.shape(parts[0].tensor).1;
        let matrix = self.matrices.len();
        self.matrices.push(MatrixSpec { name: name.to_owned(), parts, columns, format: WEIGHTS });
        self.push(Op::Linear { matrix, from, to, at });
    }

    /// All rows of one tensor.
    fn project(&mut self, name: &str, tensor: LayerTensor, from: Codes, to: Buffer) {
        let tensor = TensorName::Layer(self.index, tensor);
        let rows = 0..self.config.shape(tensor).0;
        self.linear(name, vec![Part { tensor, rows }], from, to, 0);
    }

    /// Norm of the residual stream.
    fn norm(&mut self, norm: LayerNorm, to: Codes) {
        self.push(Op::Norm { of: Buffer::Residual, gain: NormGain::Layer(self.index, norm), to });
    }

    /// The residual stream takes the result of a projection.
    fn add(&mut self) {
        self.push(Op::Add { a: Buffer::Residual, b: Buffer::Projected, to: Buffer::Residual });
    }

    /// Keys and values come first, so that their way to the cache is hidden by the rows of q.
    fn attention(&mut self) {
        let fused = self.options.fuse_amax;
        self.norm(LayerNorm::Attention, Codes::Attention);
        self.project("k", LayerTensor::K, Codes::Attention, Buffer::Key);
        self.push(Op::Rope { of: Buffer::Key, amax: false });
        self.push(Op::Cache { of: Buffer::Key, via: Buffer::KeyCodes });
        self.project("v", LayerTensor::V, Codes::Attention, Buffer::Value);
        self.push(Op::Cache { of: Buffer::Value, via: Buffer::ValueCodes });
        self.project("q", LayerTensor::Q, Codes::Attention, Buffer::Query);
        self.push(Op::Rope { of: Buffer::Query, amax: fused });
        if !fused {
            self.push(Op::Amax { of: Buffer::Query });
        }
        self.push(Op::Quantise { of: Buffer::Query, to: Codes::Query });
        self.push(Op::Attend { query: Codes::Query, via: Buffer::Attended, to: Codes::Attended });
        self.project("o", LayerTensor::O, Codes::Attended, Buffer::Projected);
        self.add();
    }

    fn feed_forward(&mut self) {
        self.norm(LayerNorm::FeedForward, Codes::FeedForward);
        let tiles = self.config.ffn.div_ceil(self.options.ffn_tile);
        // A tile's greatest magnitudes are numbered from its own first channel.
        let fused = self.options.fuse_amax && tiles == 1;
        for tile in 0..tiles {
            self.gated_tile(tile, fused);
        }
        if !fused {
            self.push(Op::Amax { of: Buffer::Hidden });
        }
        self.push(Op::Quantise { of: Buffer::Hidden, to: Codes::Hidden });
        self.project("down", LayerTensor::Down, Codes::Hidden, Buffer::Projected);
        self.add();
    }

    fn gated_tile(&mut self, tile: usize, amax: bool) {
        let channels = self.options.ffn_tile;
        let at = tile * channels;
        let of = if tile.is_multiple_of(2) { Buffer::GateUp } else { Buffer::GateUpOdd };
        let part = |tensor| Part { tensor: TensorName::Layer(self.index, tensor), rows: at..at + channels };
        let (gate, up) = (part(LayerTensor::Gate), part(LayerTensor::Up));
        if self.options.join_gate_up {
            self.linear("gate+up", vec![gate, up], Codes::FeedForward, of, 0);
        } else {
            self.linear("gate", vec![gate], Codes::FeedForward, of, 0);
            self.linear("up", vec![up], Codes::FeedForward, of, channels);
        }
        self.push(Op::Glu { of, to: Buffer::Hidden, at, channels, amax });
    }
}
