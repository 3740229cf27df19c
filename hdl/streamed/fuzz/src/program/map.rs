//! DDR of a random program: weight blocks, K and V bytes, parameters, tables and an output region.

use sagen_arith::draw::Draw;
use sagen_streamed_arch::layout::{Beat, Block, WEIGHTS};
use sagen_streamed_arch::{Program, Region, RegionKind, Segment, StreamedConfig};
use sagen_streamed_isa::{BLOCK_ROWS, DESCRIPTOR_BYTES, PAGE_BYTES};

/// Consecutive weight blocks of equal width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    pub(super) groups: u64,
    pub(super) blocks: u64,
    /// Address of its first beat in port 0's region.
    pub(super) base: u64,
}

impl Pool {
    /// Shape of its blocks.
    pub(super) fn block(self) -> Block {
        Block::weights(WEIGHTS, self.groups as usize)
    }
}

/// Shapes of the pools: groups and blocks.
const POOLS: [(u64, u64); 4] = [(1, 8), (2, 8), (3, 6), (9, 2)];
/// Exponents of row scales.
pub(super) const ROW_EXPONENTS: std::ops::RangeInclusive<i64> = -24..=-12;
/// Bytes of one port's part of the K and V region.
pub(super) const KV_BYTES: u64 = 16 << 10;
/// Bytes of each region that loads read and stores write.
pub(super) const WORD_REGION_BYTES: u64 = 8 << 10;

/// Where everything lies.
pub(super) struct Map {
    pub(super) descriptors: u64,
    pub(super) pools: Vec<Pool>,
    /// From one port's weights to the next port's.
    pub(super) weight_stride: u64,
    pub(super) kv: u64,
    pub(super) kv_stride: u64,
    /// 32-bit lanes.
    pub(super) parameters: u64,
    /// 16-bit elements.
    pub(super) tables: u64,
    pub(super) output: u64,
}

/// Appends regions; a page that belongs to nobody lies between two.
struct Builder<'a> {
    draw: &'a mut Draw,
    program: Program,
    next: u64,
}

impl Map {
    /// The map, and a program without routines.
    pub(super) fn new(overlay: &StreamedConfig, draw: &mut Draw, steps: usize) -> (Self, Program) {
        let program = Program::of(overlay);
        let mut b = Builder { draw, program, next: overlay.board().ddr.reserved.base.next_multiple_of(PAGE_BYTES) };
        let descriptors = b.region("descriptors", RegionKind::Descriptors, (steps * DESCRIPTOR_BYTES) as u64);
        let (pools, weight_stride) = b.weights(overlay);
        let kv = b.next;
        for port in 0..overlay.stream_ports() {
            let base = b.region(&format!("kv{port}"), RegionKind::KvCache, KV_BYTES);
            // The rest was never written and reads as zero.
            let bytes = (0..KV_BYTES * 3 / 4).map(|_| b.draw.code() as u8).collect();
            b.program.image.push(Segment { base, bytes });
        }
        let kv_stride = (b.next - kv) / overlay.stream_ports() as u64;
        let words = WORD_REGION_BYTES / 4;
        let lane = |d: &mut Draw| {
            let bits = d.pick(&[32, 22, 18]);
            d.signed(bits) as i32
        };
        let half = |d: &mut Draw| match d.one_in(3) {
            true => d.signed(16) as i16,
            false => d.within(-32768..=32767) as i16,
        };
        let lanes = |d: &mut Draw| (0..words).flat_map(|_| lane(d).to_le_bytes()).collect();
        let halves = |d: &mut Draw| (0..2 * words).flat_map(|_| half(d).to_le_bytes()).collect();
        let parameters = b.filled("parameters", RegionKind::Parameters, lanes);
        let tables = b.filled("tables", RegionKind::Tables, halves);
        let output = b.filled("output", RegionKind::Output, lanes);
        let map = Self { descriptors, pools, weight_stride, kv, kv_stride, parameters, tables, output };
        (map, b.program)
    }
}

impl Builder<'_> {
    fn region(&mut self, name: &str, kind: RegionKind, bytes: u64) -> u64 {
        let base = self.next;
        self.program.regions.push(Region { name: name.to_string(), kind, base, bytes });
        self.next = (base + bytes).next_multiple_of(PAGE_BYTES) + PAGE_BYTES;
        base
    }

    fn filled(&mut self, name: &str, kind: RegionKind, fill: impl Fn(&mut Draw) -> Vec<u8>) -> u64 {
        let base = self.region(name, kind, WORD_REGION_BYTES);
        let bytes = fill(self.draw);
        self.program.image.push(Segment { base, bytes });
        base
    }

    /// Pools of blocks, split over one region a port.
    fn weights(&mut self, overlay: &StreamedConfig) -> (Vec<Pool>, u64) {
        let (ports, port_bytes) = (overlay.stream_ports(), overlay.port_bytes());
        let mut split = vec![Vec::new(); ports];
        let mut pools = Vec::new();
        for (groups, blocks) in POOLS {
            let gap = self.draw.below(20) as usize * port_bytes;
            split.iter_mut().for_each(|port| port.extend(vec![0; gap]));
            let pool = Pool { groups, blocks, base: split[0].len() as u64 };
            pools.push(pool);
            for _ in 0..blocks {
                let bytes = random_block(self.draw, pool.block(), overlay.beat());
                for (i, piece) in bytes.chunks(port_bytes).enumerate() {
                    split[i % ports].extend_from_slice(piece);
                }
            }
        }
        let first = self.next;
        for (port, bytes) in split.into_iter().enumerate() {
            let base = self.region(&format!("weights{port}"), RegionKind::Weights, bytes.len() as u64);
            self.program.image.push(Segment { base, bytes });
        }
        pools.iter_mut().for_each(|pool| pool.base += first);
        (pools, (self.next - first) / ports as u64)
    }
}

/// Scale words, then codes. Any order of codes is a legal block, whatever the beat.
fn random_block(draw: &mut Draw, block: Block, beat: Beat) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..BLOCK_ROWS {
        let scale = match draw.one_in(20) {
            true => 0,
            false => draw.scale(ROW_EXPONENTS).to_word(),
        };
        bytes.extend_from_slice(&scale.to_le_bytes());
    }
    bytes.extend((0..block.code_beats(beat) * beat.bytes()).map(|_| draw.code() as u8));
    bytes
}
