//! RoPE, the way of keys and values to the cache, and attention over it.

use sagen_streamed_isa::{CHUNK_ROWS, GROUP, LANES, Quant, Rope, Score, Store, Stream, VECTORS, WeightedSum, register};

use super::super::numerics::{CODE_FRACTION, score_shift};
use super::{Lowering, name};
use crate::graph::{Buffer, Codes};

/// Up to four query vectors that share a pass over one head's keys and values.
struct Vectors {
    /// Key and value head.
    kv_head: usize,
    /// Query head of vector 0.
    head: usize,
    /// Row of vector 0.
    row: u64,
    count: u64,
    /// From one vector to the next: heads, or rows.
    head_step: u64,
    row_step: u64,
}

impl Vectors {
    /// Row of a vector within the chunk; vectors that do not exist repeat row 0.
    fn row_of(&self, vector: u64) -> u64 {
        if vector < self.count { self.row + vector * self.row_step } else { 0 }
    }
}

impl Lowering<'_> {
    pub(super) fn rope(&mut self, of: Buffer, amax: bool) {
        let (slot, table) = (self.plan.scratch(of), self.plan.scratch(Buffer::RopeTable));
        let rope = Rope {
            rows: self.rows,
            words: slot.stride,
            a: slot.base,
            a_stride: slot.stride,
            b: table.base,
            b_stride: table.stride,
            d: slot.base,
            d_stride: slot.stride,
            head_words: (self.model.config.head_dim / LANES) as u64,
            amax: u64::from(amax),
        };
        self.push(format!("rope {}", name(of)), rope);
    }

    /// Codes by the static scale, which the weights contain, and their store.
    pub(super) fn cache(&mut self, of: Buffer, via: Buffer) {
        let (slot, codes) = (self.plan.scratch(of), self.plan.scratch(via));
        let config = self.model.config;
        let quant = Quant {
            rows: self.rows,
            segments: config.kv_heads as u64,
            segment_words: (config.head_dim / LANES) as u64,
            a: slot.base,
            a_stride: slot.stride,
            d: codes.base,
            d_stride: codes.stride,
            to_scratchpad: 1,
            fixed: 1,
            multiplier: 1,
            shift: CODE_FRACTION as u64,
            ..Quant::default()
        };
        self.push(format!("quantise {}", name(of)), quant);
        let store = self.cache_store(via);
        self.push(format!("store {}", name(of)), store);
    }

    /// Rows of one run of channels are contiguous in each port; ports, runs and heads are the loops.
    fn cache_store(&self, via: Buffer) -> Store {
        let (map, layer) = (self.model.map, self.layer());
        let (kv, codes) = (&map.kv_layout, self.plan.scratch(via));
        let piece = kv.beat.port_bytes as u64;
        let base = Store {
            v: codes.base * GROUP as u64,
            beats: self.rows,
            v_beat_stride: codes.stride * GROUP as u64,
            count1: kv.beat.ports as u64,
            ddr1: map.kv.stride,
            v1: piece,
            count2: kv.runs() as u64,
            v2: kv.beat.bytes() as u64,
            count3: kv.heads as u64,
            ddr3: kv.head_bytes() as u64,
            v3: kv.head_dim as u64,
            ..Store::default()
        };
        if via == Buffer::KeyCodes {
            return Store {
                base: map.kv.base + kv.keys(layer) as u64,
                reg_a: register::POSITION_BLOCK,
                reg_a_stride: kv.block_bytes() as u64,
                reg_b: register::POSITION_IN_BLOCK,
                reg_b_stride: piece,
                ddr2: kv.run_bytes() as u64,
                ..base
            };
        }
        Store {
            base: map.kv.base + kv.values(layer) as u64,
            reg_a: register::POSITION,
            reg_a_stride: piece,
            ddr2: kv.slab_bytes() as u64,
            ..base
        }
    }

    /// Attention of all rows. In prefill the codes of four rows are made while the next four are attended to.
    pub(super) fn attend(&mut self) {
        let (heads, kv_heads) = (self.model.config.heads, self.model.config.kv_heads);
        let group = heads / kv_heads;
        if self.rows == 1 {
            for first in (0..heads).filter(|h| (h % group).is_multiple_of(VECTORS)) {
                let count = VECTORS.min(group - first % group) as u64;
                let kv_head = first / group;
                self.pass(&Vectors { kv_head, head: first, row: 0, count, head_step: 1, row_step: 0 });
            }
            return self.attended(0, 1);
        }
        for row in (0..CHUNK_ROWS as u64).step_by(VECTORS) {
            for head in 0..heads {
                let (kv_head, count) = (head / group, VECTORS as u64);
                self.pass(&Vectors { kv_head, head, row, count, head_step: 0, row_step: 1 });
            }
            self.attended(row, VECTORS as u64);
        }
    }

    fn attended(&mut self, first: u64, rows: u64) {
        self.amax(Buffer::Attended, first, rows);
        self.quantise(Buffer::Attended, Codes::Attended, first, rows);
    }

    fn pass(&mut self, v: &Vectors) {
        self.score(v);
        for slab in 0..self.model.map.kv_layout.runs() {
            self.weighted_sum(v, slab);
        }
    }

    fn score(&mut self, v: &Vectors) {
        let (map, kv) = (self.model.map, self.model.map.kv_layout);
        let keys = kv.keys(self.layer()) + v.kv_head * kv.head_bytes();
        let stream = Stream {
            base: map.kv.base + keys as u64,
            port_stride: map.kv.stride,
            reg: register::KV_BLOCKS,
            reg_beats: (kv.block_bytes() / kv.beat.port_bytes) as u64,
            ..Stream::default()
        };
        self.push(format!("stream keys of head {}", v.kv_head), stream);
        let (codes, scales) = (self.plan.codes(Codes::Query), self.plan.scales(Codes::Query));
        let groups = (kv.head_dim / GROUP) as u64;
        let score = Score {
            x: codes.row(v.row) + v.head as u64 * groups,
            x_stride: v.head_step * groups + v.row_step * codes.stride,
            vectors: v.count,
            groups,
            reg: register::KV_BLOCKS,
            scale: scales.row(v.row) + v.head as u64,
            scale_stride: v.head_step + v.row_step * scales.stride,
            shift: score_shift(),
            limit_reg: register::POSITION,
            row0: v.row_of(0),
            row1: v.row_of(1),
            row2: v.row_of(2),
            row3: v.row_of(3),
            ..Score::default()
        };
        self.push(format!("scores of head {}", v.head), score);
    }

    fn weighted_sum(&mut self, v: &Vectors, slab: usize) {
        let (map, kv) = (self.model.map, self.model.map.kv_layout);
        let values = kv.values(self.layer()) + v.kv_head * kv.head_bytes() + slab * kv.slab_bytes();
        let stream = Stream {
            base: map.kv.base + values as u64,
            port_stride: map.kv.stride,
            reg: register::KV_LENGTH,
            reg_beats: 1,
            ..Stream::default()
        };
        self.push(format!("stream values of head {}", v.kv_head), stream);
        let y = self.plan.scratch(Buffer::Attended);
        let channel = v.head * kv.head_dim + slab * kv.beat.bytes();
        let numerics = &self.model.numerics.layers[self.layer()];
        let scale = numerics.value_scale(v.kv_head);
        let sum = WeightedSum {
            vectors: v.count,
            reg: register::KV_LENGTH,
            limit_reg: register::POSITION,
            row0: v.row_of(0),
            row1: v.row_of(1),
            row2: v.row_of(2),
            row3: v.row_of(3),
            y: y.row(v.row) + (channel / LANES) as u64,
            y_lane: (channel % LANES) as u64,
            y_stride: v.head_step * (kv.head_dim / LANES) as u64 + v.row_step * y.stride,
            v_mantissa: u64::from(scale.mantissa),
            v_exponent: i64::from(scale.exponent),
            shift: -i64::from(numerics.attended),
            ..WeightedSum::default()
        };
        self.push(format!("attention of head {}", v.head), sum);
    }
}
