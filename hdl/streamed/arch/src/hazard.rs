//! Ordering. Descriptors are written as if executed one after another; this module finds, for each, which
//! earlier descriptors of *other* units it must wait for. Descriptors of one unit behave as if executed in
//! order by themselves, and streamed beats are ordered by the FIFO, so neither needs a wait.

use crate::overlay::StreamedConfig;
use sagen_streamed_isa::{
    Descriptor, GROUP, LANES, Loop, Mul, Operation, Quant, REGISTERS, Register, Rows, Store, UNITS, WORD_BYTES,
};
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
    let top = |register: Register| max[register.index()];
    let strided = |base, stride| Rows { base, stride };
    match operation {
        Operation::Stream(o) => {
            let bytes = (o.beats + top(o.register) * o.register_beats) * overlay.port_bytes() as u64;
            f.rows(Space::Ddr, false, strided(o.base, o.port_stride), overlay.stream_ports() as u64, bytes);
        }
        Operation::Matvec(o) => {
            f.rows(Space::Code, false, o.codes, o.vectors, o.groups);
            f.rows(Space::Scale, false, o.scales, o.vectors, 1);
            if o.write {
                f.rows(Space::Scratch, true, o.to, o.vectors, o.blocks);
            }
        }
        Operation::Score(o) => {
            f.rows(Space::Code, false, o.codes, o.vectors, o.groups);
            f.rows(Space::Scale, false, o.scales, o.vectors, 1);
        }
        Operation::WeightedSum(o) => {
            let words = overlay.beat_bytes().div_ceil(LANES) as u64;
            f.rows(Space::Scratch, true, strided(o.to, o.to_stride), o.vectors, words);
        }
        Operation::Matmul(o) => {
            f.rows(Space::Code, false, o.codes, o.rows, o.groups);
            f.rows(Space::Scale, false, o.scales, o.rows, 1);
            f.rows(Space::Scratch, true, o.to, o.rows, o.blocks);
        }
        Operation::Mul(o) => f.mul(o, top(o.left_register)),
        Operation::Add(o) => f.elementwise([o.left, o.right], o.to, o.rows, o.words),
        Operation::Rope(o) => {
            f.rows(Space::Scratch, false, o.from, o.rows, o.words);
            f.rows(Space::Scratch, false, o.table, o.rows, o.head_words / 2);
            f.rows(Space::Scratch, true, o.to, o.rows, o.words);
        }
        Operation::Glu(o) => f.elementwise([o.gate, o.up], o.to, o.rows, o.words),
        Operation::Quant(o) => f.quant(o),
        Operation::Load(o) => {
            let bytes = o.row_words * WORD_BYTES as u64;
            let registers = if o.gather { o.rows as usize } else { 1 };
            let reach = (0..registers).filter_map(|row| o.register.after(row)).map(top).max().unwrap_or(0);
            let reach = reach * o.register_stride;
            f.rows(Space::Ddr, false, strided(o.base, o.ddr_stride), o.rows, bytes + reach);
            f.rows(Space::Scratch, true, o.to, o.rows, o.row_words);
        }
        Operation::Store(o) => {
            let reach = top(o.register_1) * o.register_1_stride + top(o.register_2) * o.register_2_stride;
            f.store(o, overlay, reach);
        }
    }
    f.accesses
}

struct Footprint {
    accesses: Vec<Access>,
}

impl Footprint {
    fn rows(&mut self, space: Space, write: bool, at: Rows, rows: u64, length: u64) {
        if length == 0 {
            return;
        }
        for row in 0..rows {
            let start = at.row(row);
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

    fn mul(&mut self, o: &Mul, skipped: u64) {
        if !o.left_immediate {
            self.rows(Space::Scratch, false, o.left, o.rows + skipped, o.words);
        }
        if !o.right_immediate {
            let words = if o.right_half { o.words.div_ceil(2) } else { o.words };
            self.rows(Space::Scratch, false, o.right, o.rows, words);
        }
        if o.write {
            self.rows(Space::Scratch, true, o.to, o.rows, o.words);
        }
    }

    fn elementwise(&mut self, operands: [Rows; 2], to: Rows, rows: u64, words: u64) {
        for operand in operands {
            self.rows(Space::Scratch, false, operand, rows, words);
        }
        self.rows(Space::Scratch, true, to, rows, words);
    }

    fn quant(&mut self, o: &Quant) {
        let words = o.segments * o.segment_words;
        self.rows(Space::Scratch, false, o.from, o.rows, words);
        let space = if o.to_scratchpad { Space::Scratch } else { Space::Code };
        self.rows(space, true, o.to, o.rows, words.div_ceil((GROUP / LANES) as u64));
        if !o.fixed {
            self.rows(Space::Scale, true, o.scales, o.rows, o.segments);
        }
    }

    fn store(&mut self, o: &Store, overlay: &StreamedConfig, reach: u64) {
        let piece = overlay.port_bytes() as u64;
        let word = WORD_BYTES as u64;
        let one = |base| Rows { base, stride: 0 };
        for (ddr, scratch) in runs(o) {
            self.rows(Space::Ddr, true, one(o.base + ddr), 1, o.beats * piece + reach);
            for beat in 0..o.beats {
                let at = (o.from + scratch + beat * o.from_stride) / word;
                self.rows(Space::Scratch, false, one(at), 1, 1);
            }
        }
    }
}

/// The runs of a store in their order: bytes beyond the first in DDR, and in the scratchpad.
pub fn runs(o: &Store) -> impl Iterator<Item = (u64, u64)> + use<> {
    let turns = |l: Loop| (0..l.count).map(move |i| (i * l.ddr_stride, i * l.scratch_stride));
    let (inner, middle, outer) = (o.inner, o.middle, o.outer);
    let more = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
    turns(outer).flat_map(move |o| turns(middle).flat_map(move |m| turns(inner).map(move |i| more(o, more(m, i)))))
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
