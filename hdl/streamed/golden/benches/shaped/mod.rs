//! A program with the shape and traffic of a llama-like model over random bytes: what its decode and prefill cost
//! on the golden machine, without a checkpoint or a compiler.

use sagen_arith::draw::Draw;
use sagen_streamed_arch::layout::{Block, WeightFormat};
use sagen_streamed_arch::step::Slot;
use sagen_streamed_arch::{Label, Program, Region, RegionKind, Routine, RoutineKind, Segment, Step, StreamedConfig};
use sagen_streamed_isa::{
    Add, Descriptor, GateFunction, Glu, Load, Loop, Matmul, Matvec, Mul, Operation, Quant, Register, Rope, Rows, Score,
    Store, Stream, WeightedSum,
};

/// Sizes of a model with heads of 64 channels.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) layers: u64,
    /// Channels / 64 of the residual; also the query heads.
    pub(crate) groups: u64,
    /// Channels / 64 of the feed-forward unit.
    pub(crate) ffn_groups: u64,
    pub(crate) kv_heads: u64,
    pub(crate) vocabulary: u64,
}

/// SmolLM2-135M.
pub(crate) const SMOLLM2: Shape = Shape { layers: 30, groups: 9, ffn_groups: 24, kv_heads: 3, vocabulary: 49_152 };

const CONTEXT: u64 = 2048;
const POSITION: Register = sagen_streamed_isa::register::POSITION;

/// Where things lie in DDR.
struct Map {
    weights: u64,
    weight_stride: u64,
    kv: u64,
    kv_stride: u64,
    parameters: u64,
}

/// Writes the steps of one routine.
struct Writer<'a> {
    overlay: &'a StreamedConfig,
    shape: Shape,
    map: Map,
    rows: u64,
    /// Beats of weights streamed so far.
    beats: u64,
    steps: Vec<Step>,
}

/// Beats of a weight block.
fn block_beats(overlay: &StreamedConfig, groups: u64) -> u64 {
    Block::weights(WeightFormat::Int8, groups as usize).beats(overlay.beat()) as u64
}

/// Beats of all weights.
fn weight_beats(overlay: &StreamedConfig, s: Shape) -> u64 {
    let linear = |groups, outputs: u64| outputs / 16 * block_beats(overlay, groups);
    let qkv = linear(s.groups, 64 * (s.groups + 2 * s.kv_heads));
    let layer = qkv
        + linear(s.groups, 64 * s.groups)
        + linear(s.groups, 128 * s.ffn_groups)
        + linear(s.ffn_groups, 64 * s.groups);
    s.layers * layer + linear(s.groups, s.vocabulary)
}

/// A program with a routine of `rows` rows at a position; one row is followed by the head.
pub(crate) fn program(overlay: &StreamedConfig, shape: Shape, rows: u64, position: u64) -> Program {
    let ports = overlay.stream_ports() as u64;
    let page = |bytes: u64| bytes.next_multiple_of(4096);
    let weight_stride = page(weight_beats(overlay, shape) * overlay.port_bytes() as u64);
    let kv_stride = page(shape.layers * 2 * shape.kv_heads * CONTEXT * 64 / ports);
    let weights = 1 << 20;
    let kv = weights + ports * weight_stride;
    let parameters = kv + ports * kv_stride;
    let mut program = Program::of(overlay);
    let mut region = |kind, base, bytes, fill: bool| {
        program.regions.push(Region { name: format!("{kind:?}"), kind, base, bytes });
        if fill {
            program.image.push(Segment { base, bytes: noise(bytes as usize) });
        }
    };
    (0..ports).for_each(|p| region(RegionKind::Weights, weights + p * weight_stride, weight_stride, true));
    (0..ports).for_each(|p| region(RegionKind::KvCache, kv + p * kv_stride, kv_stride, true));
    region(RegionKind::Parameters, parameters, 1 << 20, true);
    let map = Map { weights, weight_stride, kv, kv_stride, parameters };
    let mut writer = Writer { overlay, shape, map, rows, beats: 0, steps: Vec::new() };
    writer.model(position);
    program.routines =
        vec![Routine { kind: RoutineKind::Test, slot: Slot::default(), address: 0, steps: writer.steps }];
    program
}

/// Bytes that repeat after 1 MiB: only their traffic matters.
fn noise(bytes: usize) -> Vec<u8> {
    let mut draw = Draw::new(1);
    let unit: Vec<u8> = (0..1 << 20).map(|_| draw.byte()).collect();
    unit.into_iter().cycle().take(bytes).collect()
}

impl Writer<'_> {
    fn push(&mut self, operation: impl Into<Operation>) {
        self.steps.push(Step { descriptor: Descriptor::new(operation), label: Label::default() });
    }

    fn model(&mut self, position: u64) {
        let words = 4 * self.shape.groups;
        let load = Load { base: self.map.parameters, rows: 1, row_words: self.rows * words + 64, ..Load::default() };
        self.push(load);
        for layer in 0..self.shape.layers {
            self.attention_layer(layer, position);
            self.ffn_layer();
        }
        if self.rows == 1 {
            self.norm(self.scratch(0));
            self.linear(self.code(0), self.shape.groups, self.shape.vocabulary, None);
        }
    }

    /// Scratchpad word of a buffer: residual, normed, projections, attention, feed-forward.
    fn scratch(&self, buffer: usize) -> u64 {
        let w = 4 * self.shape.groups;
        let widths = [w, w, w + 8 * self.shape.kv_heads, w, 2 * self.shape.kv_heads, 8 * self.shape.ffn_groups];
        64 + self.rows * widths[..buffer].iter().sum::<u64>()
    }

    /// Code word of a buffer: normed, queries, feed-forward.
    fn code(&self, buffer: u64) -> u64 {
        buffer * self.rows * self.shape.groups
    }

    fn norm(&mut self, residual: u64) {
        let words = 4 * self.shape.groups;
        let (rows, normed) = (self.rows, self.scratch(1));
        self.push(Mul {
            rows,
            words,
            left: Rows { base: residual, stride: words },
            right: Rows::at(0),
            to: Rows { base: normed, stride: words },
            right_half: true,
            shift: 12,
            write: true,
            amax: true,
            sum_squares: true,
            ..Mul::default()
        });
        self.quant(normed, words, 1, self.code(0), true);
    }

    fn quant(&mut self, a: u64, words: u64, segments: u64, d: u64, norm: bool) {
        self.push(Quant {
            rows: self.rows,
            segments,
            segment_words: words / segments,
            from: Rows { base: a, stride: words },
            to: Rows { base: d, stride: words / 4 },
            norm,
            factor_mantissa: 40_000,
            factor_exponent: -30,
            scales: Rows { base: 0, stride: segments },
            ..Quant::default()
        });
    }

    fn linear(&mut self, x: u64, groups: u64, outputs: u64, y: Option<u64>) {
        let blocks = outputs / 16;
        let beats = blocks * block_beats(self.overlay, groups);
        let base = self.map.weights + self.beats * self.overlay.port_bytes() as u64;
        self.beats += beats;
        self.push(Stream { base, port_stride: self.map.weight_stride, beats, ..Stream::default() });
        let (rows, shift) = (self.rows, 20);
        match y {
            None => self.push(Matvec {
                codes: Rows::at(x),
                vectors: 1,
                groups,
                blocks,
                shift,
                argmax: true,
                argmax_first: true,
                id_limit: outputs,
                register: sagen_streamed_isa::register::NEXT_TOKEN,
                ..Matvec::default()
            }),
            Some(y) if rows == 1 => {
                self.push(Matvec {
                    codes: Rows::at(x),
                    vectors: 1,
                    groups,
                    blocks,
                    to: Rows::at(y),
                    shift,
                    write: true,
                    ..Matvec::default()
                });
            }
            Some(y) => self.push(Matmul {
                codes: Rows { base: x, stride: groups },
                rows,
                groups,
                blocks,
                to: Rows { base: y, stride: blocks },
                scales: Rows::spaced(1),
                shift,
            }),
        }
    }

    fn attention_layer(&mut self, layer: u64, position: u64) {
        let (s, rows) = (self.shape, self.rows);
        let (words, kv_words) = (4 * s.groups, 4 * s.kv_heads);
        let (qkv, mixed) = (self.scratch(2), self.scratch(3));
        let stride = words + 2 * kv_words;
        self.norm(self.scratch(0));
        self.linear(self.code(0), s.groups, 16 * stride, Some(qkv));
        self.push(Rope {
            rows,
            words: words + kv_words,
            from: Rows { base: qkv, stride },
            table: Rows { base: 0, stride: 2 },
            to: Rows { base: qkv, stride },
            head_words: 4,
            amax: true,
        });
        let fixed = Quant {
            rows,
            segments: 2 * s.kv_heads,
            segment_words: 4,
            from: Rows { base: qkv + words, stride },
            to: Rows { base: self.scratch(4), stride: 2 * s.kv_heads },
            to_scratchpad: true,
            fixed: true,
            multiplier: 50_000,
            shift: 24,
            ..Quant::default()
        };
        self.push(fixed);
        self.push(Quant {
            segments: s.groups,
            from: Rows { base: qkv, ..fixed.from },
            to: Rows { base: self.code(1), stride: s.groups },
            to_scratchpad: false,
            fixed: false,
            factor_mantissa: 40_000,
            factor_exponent: -30,
            scales: Rows { base: 16, stride: s.groups },
            ..fixed
        });
        self.push(Store {
            base: self.map.kv,
            from: 64 * self.scratch(4),
            beats: 4,
            from_stride: self.overlay.port_bytes() as u64,
            inner: Loop { count: rows, ddr_stride: 64, scratch_stride: 64 },
            middle: Loop::ONCE,
            outer: Loop::ONCE,
            ..Store::default()
        });
        for row in 0..rows {
            for head in 0..s.kv_heads {
                self.head(layer, position, row, head);
            }
        }
        self.push(Mul {
            rows,
            words,
            left: Rows { base: mixed, stride: words },
            right_immediate: true,
            immediate: 1,
            amax: true,
            ..Mul::default()
        });
        self.quant(mixed, words, 1, self.code(0), false);
        self.linear(self.code(0), s.groups, 64 * s.groups, Some(self.scratch(1)));
        self.residual();
    }

    /// The query heads of one KV head, one row.
    fn head(&mut self, layer: u64, position: u64, row: u64, head: u64) {
        let s = self.shape;
        let (keys, vectors) = (position + self.rows, s.groups / s.kv_heads);
        let region = CONTEXT * 64 / self.overlay.stream_ports() as u64;
        let base = self.map.kv + (layer * s.kv_heads + head) * 2 * region;
        let (blocks, port_stride) = (keys.div_ceil(16), self.map.kv_stride);
        let beats = blocks * Block::keys(1).beats(self.overlay.beat()) as u64;
        let (x, scale) = (self.code(1) + row * s.groups + head * vectors, 16 + row * s.groups + head * vectors);
        self.push(Stream { base, port_stride, beats, ..Stream::default() });
        self.push(Score {
            codes: Rows { base: x, stride: 1 },
            vectors,
            groups: 1,
            blocks,
            scales: Rows { base: scale, stride: 1 },
            shift: 10,
            limit_register: POSITION,
            row: [row; 4],
            ..Score::default()
        });
        let y = self.scratch(3) + (row * s.groups + head * vectors) * 4;
        for slab in 0..self.overlay.beat().group_beats(WeightFormat::Int8) as u64 {
            let base = base + region;
            let lanes = slab * self.overlay.beat_bytes() as u64;
            self.push(Stream { base, port_stride, beats: keys, ..Stream::default() });
            self.push(WeightedSum {
                vectors,
                keys,
                limit_register: POSITION,
                row: [row; 4],
                to: y + lanes / 16,
                to_lane: lanes % 16,
                to_stride: 4,
                value_mantissa: 40_000,
                value_exponent: -15,
                shift: 0,
                ..WeightedSum::default()
            });
        }
    }

    fn ffn_layer(&mut self) {
        let (s, rows, words) = (self.shape, self.rows, 4 * self.shape.ffn_groups);
        let both = self.scratch(5);
        self.norm(self.scratch(0));
        self.linear(self.code(0), s.groups, 32 * words, Some(both));
        self.push(Glu {
            rows,
            words,
            gate: Rows { base: both, stride: 2 * words },
            up: Rows { base: both + words, stride: 2 * words },
            to: Rows { base: both, stride: 2 * words },
            function: GateFunction::Silu,
            shift: 12,
            amax: true,
        });
        self.push(Quant {
            rows,
            segments: 1,
            segment_words: words,
            from: Rows { base: both, stride: 2 * words },
            to: Rows { base: self.code(2), stride: s.ffn_groups },
            factor_mantissa: 40_000,
            factor_exponent: -30,
            scales: Rows::spaced(1),
            ..Quant::default()
        });
        self.linear(self.code(2), s.ffn_groups, 64 * s.groups, Some(self.scratch(1)));
        self.residual();
    }

    fn residual(&mut self) {
        let (words, residual) = (4 * self.shape.groups, self.scratch(0));
        self.push(Add {
            rows: self.rows,
            words,
            left: Rows { base: residual, stride: words },
            right: Rows { base: self.scratch(1), stride: words },
            to: Rows { base: residual, stride: words },
        });
    }
}
