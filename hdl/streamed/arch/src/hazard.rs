//! Ordering. Descriptors are written as if executed one after another; this module finds, for each, which
//! earlier descriptors of *other* units it must wait for. Descriptors of one unit behave as if executed in
//! order by themselves, and streamed beats are ordered by the FIFO, so neither needs a wait.

use crate::overlay::StreamedConfig;
use sagen_streamed_isa::{Descriptor, GROUP, LANES, Operation, REGISTERS, UNITS, WORD_BYTES};
use std::ops::Range;

/// Something that descriptors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// DDR, by byte.
    Ddr,
    /// Scratchpad, by word.
    Scratch,
    /// Code memory, by word.
    Code,
    /// Scale register file, by entry.
    Scale,
}

/// One access of a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// What is touched.
    pub space: Space,
    /// Where, in units of the space.
    pub range: Range<u64>,
    /// Written, not only read.
    pub write: bool,
}

/// Greatest value that each step register can have in any run of the program.
pub type RegisterMax = [u64; REGISTERS];

/// Everything that a descriptor may touch, whatever the registers hold within their bounds.
pub fn footprint(operation: &Operation, overlay: &StreamedConfig, max: &RegisterMax) -> Vec<Access> {
    let mut f = Footprint { accesses: Vec::new() };
    let top = |reg: u64| max[reg as usize];
    match operation {
        Operation::Stream(o) => {
            let bytes = (o.beats + top(o.reg) * o.reg_beats) * overlay.port_bytes() as u64;
            f.rows(Space::Ddr, false, o.base, o.port_stride, overlay.stream_ports() as u64, bytes);
        }
        Operation::Matvec(o) => {
            f.rows(Space::Code, false, o.x, o.x_stride, o.vectors, o.groups);
            f.rows(Space::Scale, false, o.scale, o.scale_stride, o.vectors, 1);
            if o.write == 1 {
                f.rows(Space::Scratch, true, o.y, o.y_stride, o.vectors, o.blocks);
            }
        }
        Operation::Score(o) => {
            f.rows(Space::Code, false, o.x, o.x_stride, o.vectors, o.groups);
            f.rows(Space::Scale, false, o.scale, o.scale_stride, o.vectors, 1);
        }
        Operation::WeightedSum(o) => {
            let words = overlay.beat_bytes().div_ceil(LANES) as u64;
            f.rows(Space::Scratch, true, o.y, o.y_stride, o.vectors, words);
        }
        Operation::Matmul(o) => {
            f.rows(Space::Code, false, o.x, o.x_stride, o.rows, o.groups);
            f.rows(Space::Scale, false, o.scale, o.scale_stride, o.rows, 1);
            f.rows(Space::Scratch, true, o.y, o.y_stride, o.rows, o.blocks);
        }
        Operation::Mul(o) => {
            if o.a_immediate == 0 {
                let rows = o.rows + top(o.a_reg);
                f.rows(Space::Scratch, false, o.a, o.a_stride, rows, o.words);
            }
            if o.b_immediate == 0 {
                let words = if o.b_half == 1 { o.words.div_ceil(2) } else { o.words };
                f.rows(Space::Scratch, false, o.b, o.b_stride, o.rows, words);
            }
            if o.write == 1 {
                f.rows(Space::Scratch, true, o.d, o.d_stride, o.rows, o.words);
            }
        }
        Operation::Add(o) => {
            f.rows(Space::Scratch, false, o.a, o.a_stride, o.rows, o.words);
            f.rows(Space::Scratch, false, o.b, o.b_stride, o.rows, o.words);
            f.rows(Space::Scratch, true, o.d, o.d_stride, o.rows, o.words);
        }
        Operation::Rope(o) => {
            f.rows(Space::Scratch, false, o.a, o.a_stride, o.rows, o.words);
            f.rows(Space::Scratch, false, o.b, o.b_stride, o.rows, o.head_words / 2);
            f.rows(Space::Scratch, true, o.d, o.d_stride, o.rows, o.words);
        }
        Operation::Glu(o) => {
            f.rows(Space::Scratch, false, o.a, o.a_stride, o.rows, o.words);
            f.rows(Space::Scratch, false, o.b, o.b_stride, o.rows, o.words);
            f.rows(Space::Scratch, true, o.d, o.d_stride, o.rows, o.words);
        }
        Operation::Quant(o) => {
            let words = o.segments * o.segment_words;
            f.rows(Space::Scratch, false, o.a, o.a_stride, o.rows, words);
            let space = if o.to_scratchpad == 1 { Space::Scratch } else { Space::Code };
            let codes = words.div_ceil((GROUP / LANES) as u64);
            f.rows(space, true, o.d, o.d_stride, o.rows, codes);
            if o.fixed == 0 {
                f.rows(Space::Scale, true, o.scale, o.scale_stride, o.rows, o.segments);
            }
        }
        Operation::Load(o) => {
            let bytes = o.row_words * WORD_BYTES as u64;
            let registers = if o.reg_step == 1 { o.reg..o.reg + o.rows } else { o.reg..o.reg + 1 };
            let reach = registers.map(|r| top(r % REGISTERS as u64)).max().unwrap_or(0) * o.reg_stride;
            f.rows(Space::Ddr, false, o.base, o.ddr_stride, o.rows, bytes + reach);
            f.rows(Space::Scratch, true, o.v, o.v_stride, o.rows, o.row_words);
        }
        Operation::Store(o) => f.store(o, overlay, top(o.reg_a) * o.reg_a_stride + top(o.reg_b) * o.reg_b_stride),
    }
    f.accesses
}

struct Footprint {
    accesses: Vec<Access>,
}

impl Footprint {
    fn rows(&mut self, space: Space, write: bool, base: u64, stride: u64, rows: u64, length: u64) {
        if length == 0 {
            return;
        }
        for row in 0..rows {
            let start = base + row * stride;
            match self.accesses.last_mut() {
                Some(last)
                    if last.space == space
                        && last.write == write
                        && last.range.end >= start
                        && last.range.start <= start =>
                {
                    last.range.end = last.range.end.max(start + length);
                }
                _ => self.accesses.push(Access { space, range: start..start + length, write }),
            }
        }
    }

    fn store(&mut self, o: &sagen_streamed_isa::Store, overlay: &StreamedConfig, reach: u64) {
        let piece = overlay.port_bytes() as u64;
        let word = WORD_BYTES as u64;
        for (i3, i2, i1) in loops(o) {
            let ddr = o.base + i3 * o.ddr3 + i2 * o.ddr2 + i1 * o.ddr1;
            self.rows(Space::Ddr, true, ddr, 0, 1, o.beats * piece + reach);
            let v = o.v + i3 * o.v3 + i2 * o.v2 + i1 * o.v1;
            for i0 in 0..o.beats {
                let at = (v + i0 * o.v_beat_stride) / word;
                self.rows(Space::Scratch, false, at, 0, 1, 1);
            }
        }
    }
}

/// The outer iterations of a store, outermost first.
pub fn loops(o: &sagen_streamed_isa::Store) -> impl Iterator<Item = (u64, u64, u64)> + use<> {
    let (c1, c2, c3) = (o.count1, o.count2, o.count3);
    (0..c3).flat_map(move |i3| (0..c2).flat_map(move |i2| (0..c1).map(move |i1| (i3, i2, i1))))
}

struct Past {
    access: Access,
    unit: usize,
    count: u16,
}

/// Fill in the waits of a routine written in program order.
pub fn order<'a>(
    descriptors: impl IntoIterator<Item = &'a mut Descriptor>,
    overlay: &StreamedConfig,
    max: &RegisterMax,
) {
    let mut issued = [0u16; UNITS.len()];
    let mut past: Vec<Past> = Vec::new();
    for descriptor in descriptors {
        let unit = descriptor.unit().index();
        let accesses = footprint(&descriptor.operation, overlay, max);
        let mut waits = [0u16; UNITS.len()];
        for access in &accesses {
            for p in past.iter().filter(|p| p.unit != unit && conflict(&p.access, access)) {
                waits[p.unit] = waits[p.unit].max(p.count);
            }
        }
        descriptor.waits = waits;
        issued[unit] += 1;
        // A write orders everything that it covers, so later descriptors need only look at the write.
        for access in accesses.iter().filter(|a| a.write) {
            past.retain(|p| !covers(access, &p.access));
        }
        let count = issued[unit];
        past.extend(accesses.into_iter().map(|access| Past { access, unit, count }));
    }
}

fn conflict(a: &Access, b: &Access) -> bool {
    (a.write || b.write) && a.space == b.space && a.range.start < b.range.end && b.range.start < a.range.end
}

fn covers(a: &Access, b: &Access) -> bool {
    a.space == b.space && a.range.start <= b.range.start && b.range.end <= a.range.end
}
