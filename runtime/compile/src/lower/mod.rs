//! From operations to descriptors, one routine at a time.
//!
//! A routine is written as if executed one descriptor after another; what really has to wait for what is found
//! afterwards from the places that each descriptor touches.

mod attention;
mod feed;
mod head;
mod project;
mod stream;

use std::collections::BTreeMap;

use sagen_streamed_arch::{Instruction, Label, StreamedConfig};
use sagen_streamed_isa::{Descriptor, Operation, Register};

use super::map::Map;
use super::numerics::Numerics;
use super::plan::Plan;
use crate::graph::{Graph, Node, Op};
use sagen_checkpoint::model::{ModelConfig, NormGain};
use stream::Runs;

/// What all routines of a program share.
pub(crate) struct Model<'a> {
    pub(crate) config: &'a ModelConfig,
    pub(crate) overlay: &'a StreamedConfig,
    pub(crate) graph: &'a Graph,
    pub(crate) map: &'a Map,
    pub(crate) numerics: &'a Numerics,
    /// Fraction bits of each norm's gains.
    pub(crate) gains: &'a BTreeMap<NormGain, i32>,
    /// Fraction bits of the embedding table.
    pub(crate) embedding: i32,
    /// Adjacent streams become one.
    pub(crate) join_streams: bool,
}

/// Lower a list of operations for that many rows. `head_register` names the row that the head reads.
pub(crate) fn lower(
    model: &Model<'_>,
    plan: &Plan,
    nodes: &[Node],
    rows: usize,
    head_register: Register,
) -> Vec<Instruction> {
    let runs = Runs::new(model, nodes);
    let mut lowering = Lowering { model, plan, rows: rows as u64, head_register, runs, layer: None, steps: Vec::new() };
    for node in nodes {
        lowering.layer = node.layer;
        lowering.node(&node.op);
    }
    lowering.steps
}

struct Lowering<'a> {
    model: &'a Model<'a>,
    plan: &'a Plan,
    rows: u64,
    head_register: Register,
    runs: Runs,
    layer: Option<usize>,
    steps: Vec<Instruction>,
}

impl Lowering<'_> {
    fn push(&mut self, what: impl Into<String>, operation: impl Into<Operation>) {
        let label = Label { layer: self.layer.map(|l| l as u32), tensor: what.into() };
        self.steps.push(Instruction { descriptor: Descriptor::new(operation), label });
    }

    fn node(&mut self, op: &Op) {
        match *op {
            Op::LoadGains { layer } => self.load_gains(layer),
            Op::Embed { to } => self.embed(to),
            Op::Norm { of, gain, to } => self.norm(of, gain, to),
            Op::Linear { matrix, from, to, at } => self.linear(matrix, from, to, at),
            Op::Rope { of, amax } => self.rope(of, amax),
            Op::Cache { of, via } => self.cache(of, via),
            Op::Amax { of } => self.amax(of, 0, self.rows),
            Op::Quantise { of, to } => self.quantise(of, to, 0, self.rows),
            Op::Attend { query, via, to } => self.attend(query, via, to),
            Op::Add { a, b, to } => self.add(a, b, to),
            Op::Glu { of, to, at, channels, amax } => self.glu(of, to, at..at + channels, amax),
            Op::Head { matrix, from, logits } => self.head(matrix, from, logits),
        }
    }

    /// The layer of an operation that only layers have.
    fn layer(&self) -> usize {
        self.layer.expect("this operation belongs to a layer")
    }
}

/// What a buffer is called in labels.
fn name(buffer: crate::graph::Buffer) -> &'static str {
    use crate::graph::Buffer;
    match buffer {
        Buffer::Embedding => "embedding",
        Buffer::RopeTable => "rope table",
        Buffer::GainsEven | Buffer::GainsOdd => "gains",
        Buffer::Residual => "residual",
        Buffer::Product => "norm",
        Buffer::Key | Buffer::KeyCodes => "k",
        Buffer::Value | Buffer::ValueCodes => "v",
        Buffer::Query => "q",
        Buffer::Attended => "attention",
        Buffer::Projected => "projection",
        Buffer::GateUp | Buffer::GateUpOdd => "gate+up",
        Buffer::Hidden => "gated",
        Buffer::Logits | Buffer::LogitsOdd => "logits",
    }
}
