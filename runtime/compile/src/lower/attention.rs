//! RoPE, the way of keys and values to the cache, and attention over it.

use sagen_streamed_isa::{
    CHUNK_ROWS, GROUP, LANES, Loop, Quant, Rope, Rows, Score, Store, Stream, VECTORS, WeightedSum, register,
};

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
            from: slot,
            table,
            to: slot,
            head_words: (self.model.config.head_dim / LANES) as u64,
            amax,
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
            from: slot,
            to: codes,
            to_scratchpad: true,
            fixed: true,
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
            from: codes.base * GROUP as u64,
            beats: self.rows,
            from_stride: codes.stride * GROUP as u64,
            inner: Loop { count: kv.beat.ports as u64, ddr_stride: map.kv.stride, scratch_stride: piece },
            middle: Loop { count: kv.runs() as u64, scratch_stride: kv.beat.bytes() as u64, ..Loop::default() },
            outer: Loop {
                count: kv.heads as u64,
                ddr_stride: kv.head_bytes() as u64,
                scratch_stride: kv.head_dim as u64,
            },
            ..Store::default()
        };
        if via == Buffer::KeyCodes {
            return Store {
                base: map.kv.base + kv.keys(layer) as u64,
                register_1: register::POSITION_BLOCK,
                register_1_stride: kv.block().bytes(kv.beat) as u64,
                register_2: register::POSITION_IN_BLOCK,
                register_2_stride: piece,
                middle: Loop { ddr_stride: kv.run_bytes() as u64, ..base.middle },
                ..base
            };
        }
        Store {
            base: map.kv.base + kv.values(layer) as u64,
            register_1: register::POSITION,
            register_1_stride: piece,
            middle: Loop { ddr_stride: kv.slab_bytes() as u64, ..base.middle },
            ..base
        }
    }

    /// Attention of all rows. In prefill the codes of four rows are made while the next four are attended to.
    pub(super) fn attend(&mut self, query: Codes, via: Buffer, to: Codes) {
        let (heads, kv_heads) = (self.model.config.heads, self.model.config.kv_heads);
        let group = heads / kv_heads;
        if self.rows == 1 {
            for first in (0..heads).filter(|h| (h % group).is_multiple_of(VECTORS)) {
                let count = VECTORS.min(group - first % group) as u64;
                let kv_head = first / group;
                self.pass(query, via, &Vectors { kv_head, head: first, row: 0, count, head_step: 1, row_step: 0 });
            }
            return self.attended(via, to, 0, 1);
        }
        for row in (0..CHUNK_ROWS as u64).step_by(VECTORS) {
            for head in 0..heads {
                let (kv_head, count) = (head / group, VECTORS as u64);
                self.pass(query, via, &Vectors { kv_head, head, row, count, head_step: 0, row_step: 1 });
            }
            self.attended(via, to, row, VECTORS as u64);
        }
    }

    fn attended(&mut self, of: Buffer, to: Codes, first: u64, rows: u64) {
        self.amax(of, first, rows);
        self.quantise(of, to, first, rows);
    }

    fn pass(&mut self, query: Codes, to: Buffer, v: &Vectors) {
        self.score(query, v);
        for slab in 0..self.model.map.kv_layout.runs() {
            self.weighted_sum(to, v, slab);
        }
    }

    fn score(&mut self, query: Codes, v: &Vectors) {
        let (map, kv) = (self.model.map, self.model.map.kv_layout);
        let keys = kv.keys(self.layer()) + v.kv_head * kv.head_bytes();
        let stream = Stream {
            base: map.kv.base + keys as u64,
            port_stride: map.kv.stride,
            register: register::KV_BLOCKS,
            register_beats: kv.block().beats(kv.beat) as u64,
            ..Stream::default()
        };
        self.push(format!("stream keys of head {}", v.kv_head), stream);
        let (codes, scales) = (self.plan.codes(query), self.plan.scales(query));
        let groups = (kv.head_dim / GROUP) as u64;
        let score = Score {
            codes: Rows {
                base: codes.row(v.row) + v.head as u64 * groups,
                stride: v.head_step * groups + v.row_step * codes.stride,
            },
            vectors: v.count,
            groups,
            register: register::KV_BLOCKS,
            scales: Rows { base: scales.row(v.row) + v.head as u64, stride: v.head_step + v.row_step * scales.stride },
            shift: score_shift(),
            limit_register: register::POSITION,
            row: [v.row_of(0), v.row_of(1), v.row_of(2), v.row_of(3)],
            ..Score::default()
        };
        self.push(format!("scores of head {}", v.head), score);
    }

    fn weighted_sum(&mut self, to: Buffer, v: &Vectors, slab: usize) {
        let (map, kv) = (self.model.map, self.model.map.kv_layout);
        let values = kv.values(self.layer()) + v.kv_head * kv.head_bytes() + slab * kv.slab_bytes();
        let stream = Stream {
            base: map.kv.base + values as u64,
            port_stride: map.kv.stride,
            register: register::KV_LENGTH,
            register_beats: 1,
            ..Stream::default()
        };
        self.push(format!("stream values of head {}", v.kv_head), stream);
        let to = self.plan.scratch(to);
        let channel = v.head * kv.head_dim + slab * kv.beat.bytes();
        let numerics = &self.model.numerics.layers[self.layer()];
        let scale = numerics.value_scale(v.kv_head);
        let sum = WeightedSum {
            vectors: v.count,
            register: register::KV_LENGTH,
            limit_register: register::POSITION,
            row: [v.row_of(0), v.row_of(1), v.row_of(2), v.row_of(3)],
            to: to.row(v.row) + (channel / LANES) as u64,
            to_lane: (channel % LANES) as u64,
            to_stride: v.head_step * (kv.head_dim / LANES) as u64 + v.row_step * to.stride,
            value_mantissa: u64::from(scale.mantissa),
            value_exponent: i64::from(scale.exponent),
            shift: -i64::from(numerics.attended),
            ..WeightedSum::default()
        };
        self.push(format!("attention of head {}", v.head), sum);
    }
}
