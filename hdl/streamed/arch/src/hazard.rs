//! Ordering. Descriptors are written as if executed one after another; this module finds, for each, which
//! earlier descriptors of *other* units it must wait for. Descriptors of one unit behave as if executed in
//! order by themselves, and streamed beats are ordered by the FIFO, so neither needs a wait.

use crate::overlay::StreamedConfig;
use sagen_streamed_isa::{
    ComputeOperation, Descriptor, GROUP, LANES, Load, LoadOperation, Loop, Mul, Operation, Quant, REGISTERS, Register,
    Rows, Store, StoreOperation, Stream, StreamOperation, UNITS, UnitOperation, VectorOperation, WORD_BYTES,
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
    let mut f = Footprint { overlay, max, accesses: Vec::new() };
    match operation.by_unit() {
        UnitOperation::Stream(StreamOperation::Stream(o)) => f.stream(&o),
        UnitOperation::Compute(o) => f.compute(o),
        UnitOperation::Vector(o) => f.vector(o),
        UnitOperation::Load(LoadOperation::Load(o)) => f.load(&o),
        UnitOperation::Store(StoreOperation::Store(o)) => f.store(&o),
    }
    f.accesses
}

struct Footprint<'a> {
    overlay: &'a StreamedConfig,
    max: &'a RegisterMax,
    accesses: Vec<Access>,
}

impl Footprint<'_> {
    fn compute(&mut self, operation: ComputeOperation) {
        match operation {
            ComputeOperation::Matvec(o) => {
                self.resident(o.codes, o.scales, o.vectors, o.groups);
                if o.write {
                    self.rows(Space::Scratch, true, o.to, o.vectors, o.blocks);
                }
            }
            ComputeOperation::Score(o) => self.resident(o.codes, o.scales, o.vectors, o.groups),
            ComputeOperation::WeightedSum(o) => {
                let words = self.overlay.beat_bytes().div_ceil(LANES) as u64;
                self.rows(Space::Scratch, true, strided(o.to, o.to_stride), o.vectors, words);
            }
            ComputeOperation::Matmul(o) => {
                self.resident(o.codes, o.scales, o.rows, o.groups);
                self.rows(Space::Scratch, true, o.to, o.rows, o.blocks);
            }
        }
    }

    fn vector(&mut self, operation: VectorOperation) {
        match operation {
            VectorOperation::Mul(o) => self.mul(&o),
            VectorOperation::Add(o) => self.elementwise([o.left, o.right], o.to, o.rows, o.words),
            VectorOperation::Rope(o) => {
                self.rows(Space::Scratch, false, o.from, o.rows, o.words);
                self.rows(Space::Scratch, false, o.table, o.rows, o.head_words / 2);
                self.rows(Space::Scratch, true, o.to, o.rows, o.words);
            }
            VectorOperation::Glu(o) => self.elementwise([o.gate, o.up], o.to, o.rows, o.words),
            VectorOperation::Quant(o) => self.quant(&o),
        }
    }

    fn top(&self, register: Register) -> u64 {
        self.max[register.index()]
    }

    /// Codes of some rows, one scale each.
    fn resident(&mut self, codes: Rows, scales: Rows, rows: u64, groups: u64) {
        self.rows(Space::Code, false, codes, rows, groups);
        self.rows(Space::Scale, false, scales, rows, 1);
    }

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

    fn stream(&mut self, o: &Stream) {
        let bytes = (o.beats + self.top(o.register) * o.register_beats) * self.overlay.port_bytes() as u64;
        let ports = self.overlay.stream_ports() as u64;
        self.rows(Space::Ddr, false, strided(o.base, o.port_stride), ports, bytes);
    }

    fn load(&mut self, o: &Load) {
        let registers = if o.gather { o.rows as usize } else { 1 };
        let tops = (0..registers).filter_map(|row| o.register.after(row)).map(|register| self.top(register));
        let reach = tops.max().unwrap_or(0) * o.register_stride;
        let bytes = o.row_words * WORD_BYTES as u64;
        self.rows(Space::Ddr, false, strided(o.base, o.ddr_stride), o.rows, bytes + reach);
        self.rows(Space::Scratch, true, o.to, o.rows, o.row_words);
    }

    fn mul(&mut self, o: &Mul) {
        if !o.left_immediate {
            let skipped = self.top(o.left_register);
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

    fn store(&mut self, o: &Store) {
        let reach = self.top(o.register_1) * o.register_1_stride + self.top(o.register_2) * o.register_2_stride;
        let piece = self.overlay.port_bytes() as u64;
        let word = WORD_BYTES as u64;
        let one = |base| strided(base, 0);
        for (ddr, scratch) in runs(o) {
            self.rows(Space::Ddr, true, one(o.base + ddr), 1, o.beats * piece + reach);
            for beat in 0..o.beats {
                let at = (o.from + scratch + beat * o.from_stride) / word;
                self.rows(Space::Scratch, false, one(at), 1, 1);
            }
        }
    }
}

fn strided(base: u64, stride: u64) -> Rows {
    Rows { base, stride }
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
