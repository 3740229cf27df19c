//! The DDR map: which bytes of the board's memory hold what.

use sagen_streamed_arch::{Region, RegionKind, StreamedConfig};
use sagen_streamed_isa::{BLOCK_ROWS, PAGE_BYTES, WORD_BYTES};

use super::{CompileError, CompileOptions, gains};
use crate::graph::Graph;
use sagen_checkpoint::model::ModelConfig;
use sagen_streamed_arch::layout::{Beat, Block, KvLayout};

/// Equal regions, one a stream port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ports {
    pub(crate) base: u64,
    pub(crate) stride: u64,
}

/// Where a matrix lies in the weight regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// First byte in each port's region.
    pub(crate) at: usize,
    /// Bytes in each port's region.
    pub(crate) bytes: usize,
    /// Shape of its blocks.
    pub(crate) block: Block,
    /// Output rows / 16, rounded up.
    pub(crate) blocks: usize,
}

/// Addresses of everything but the descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Map {
    pub(crate) weights: Ports,
    pub(crate) matrices: Vec<Placed>,
    pub(crate) kv: Ports,
    pub(crate) kv_layout: KvLayout,
    pub(crate) gains: u64,
    pub(crate) embedding: u64,
    pub(crate) rope: u64,
    pub(crate) logits: Option<u64>,
    pub(crate) regions: Vec<Region>,
}

/// Bytes of an embedding row.
pub(crate) fn embedding_bytes(config: &ModelConfig) -> usize {
    2 * config.hidden
}

/// Bytes of the table row of one position.
pub(crate) fn rope_bytes(config: &ModelConfig) -> usize {
    2 * config.head_dim
}

impl Map {
    pub(crate) fn new(config: &ModelConfig, graph: &Graph, overlay: &StreamedConfig, options: &CompileOptions) -> Self {
        let beat = overlay.beat();
        let kv_layout = KvLayout {
            beat,
            layers: config.layers,
            heads: config.kv_heads,
            head_dim: config.head_dim,
            context: options.context,
        };
        let matrices = place(graph, beat);
        let weight_bytes = matrices.last().map_or(0, |m| m.at + m.bytes);
        let mut at = Allocator { next: overlay.board().ddr.reserved.base, regions: Vec::new() };
        let gains = at.region("gains", RegionKind::Parameters, gains::layer_at(config, config.layers + 1));
        let embedding = at.region("embedding", RegionKind::Tables, config.vocab * embedding_bytes(config));
        let rope = at.region("rope", RegionKind::Tables, options.context * rope_bytes(config));
        let weights = at.ports("weights", RegionKind::Weights, beat.ports, weight_bytes);
        let kv = at.ports("kv", RegionKind::KvCache, beat.ports, kv_layout.bytes());
        let logit_bytes = config.vocab.div_ceil(BLOCK_ROWS) * WORD_BYTES;
        let logits = options.logits.then(|| at.region("logits", RegionKind::Output, logit_bytes));
        Self { weights, matrices, kv, kv_layout, gains, embedding, rope, logits, regions: at.regions }
    }

    /// Add the region of descriptors, and check that all of it fits the board.
    pub(crate) fn finish(
        &mut self,
        overlay: &StreamedConfig,
        context: usize,
        descriptor_bytes: usize,
    ) -> Result<u64, CompileError> {
        let last = self.regions.last().expect("a map has regions");
        let mut at = Allocator { next: (last.base + last.bytes).next_multiple_of(PAGE_BYTES), regions: Vec::new() };
        let base = at.region("descriptors", RegionKind::Descriptors, descriptor_bytes);
        self.regions.append(&mut at.regions);
        let board = overlay.board();
        let needed = at.next - board.ddr.reserved.base;
        if needed > board.ddr.reserved.bytes {
            let (board, found) = (board.name.clone(), board.ddr.reserved.bytes);
            return Err(CompileError::Ddr { board, found, context, needed });
        }
        Ok(base)
    }
}

/// Matrices one after another, in the order of the stream.
fn place(graph: &Graph, beat: Beat) -> Vec<Placed> {
    let mut at = 0;
    graph
        .matrices
        .iter()
        .map(|matrix| {
            let (block, blocks) = (matrix.block(), matrix.rows().div_ceil(BLOCK_ROWS));
            let bytes = blocks * block.bytes(beat);
            let placed = Placed { at, bytes, block, blocks };
            at += bytes;
            placed
        })
        .collect()
}

struct Allocator {
    next: u64,
    regions: Vec<Region>,
}

impl Allocator {
    fn region(&mut self, name: &str, kind: RegionKind, bytes: usize) -> u64 {
        let (base, bytes) = (self.next, bytes as u64);
        self.regions.push(Region { name: name.to_owned(), kind, base, bytes });
        self.next = (base + bytes).next_multiple_of(PAGE_BYTES);
        base
    }

    fn ports(&mut self, name: &str, kind: RegionKind, ports: usize, bytes: usize) -> Ports {
        let base = self.next;
        for port in 0..ports {
            self.region(&format!("{name}.{port}"), kind, bytes);
        }
        Ports { base, stride: (bytes as u64).next_multiple_of(PAGE_BYTES) }
    }
}
