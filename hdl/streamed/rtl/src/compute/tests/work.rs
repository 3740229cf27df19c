//! Random descriptors with the beats that they take and what they must leave behind, as the golden machine says.

use crate::testing::Random;
use sagen_arith::scale::Scale;
use sagen_streamed_arch::layout::Block;
use sagen_streamed_arch::{Device, Instruction, Label, Program, Region, RegionKind, Segment, StreamedConfig};
use sagen_streamed_golden::machine::{Machine, Write};
use sagen_streamed_isa::*;

/// Where the beats of the streams lie.
const STREAM: u64 = 0x10_0000;
/// Where the random rows lie that codes are made of.
const ROWS: u64 = 0x1000;
/// Code vectors, each of as many groups.
const VECTORS_HELD: u64 = 8;
const GROUPS_HELD: u64 = 5;
/// Blocks of 16 keys of the longest score, without the register.
const MAX_BLOCKS: u64 = 4;

impl Random {
    fn near(&mut self, middle: i64, spread: u64) -> i64 {
        middle + self.below(2 * spread + 1) as i64 - spread as i64
    }
    fn byte(&mut self) -> u8 {
        match self.below(16) {
            0 => 127,
            1 => -127i8 as u8,
            _ => self.next() as u8,
        }
    }
}

/// One compute descriptor.
pub(super) struct Work {
    pub(super) operation: Operation,
    pub(super) beats: Vec<Vec<u8>>,
    pub(super) writes: Vec<Write>,
}

/// What the engine reads, and what it has to do.
pub(super) struct Job {
    pub(super) codes: Vec<([i8; 64], u8)>,
    pub(super) scales: Vec<Scale>,
    pub(super) registers: [u32; REGISTERS],
    pub(super) work: Vec<Work>,
}

/// Draws the operations of a job.
pub(super) struct Draw<'a> {
    pub(super) random: &'a mut Random,
    pub(super) overlay: &'a StreamedConfig,
    pub(super) registers: [u32; REGISTERS],
    /// An argmax was begun.
    begun: bool,
}

impl<'a> Draw<'a> {
    pub(super) fn new(random: &'a mut Random, overlay: &'a StreamedConfig) -> Self {
        let mut registers = [0; REGISTERS];
        registers[1] = random.below(40) as u32;
        registers[2] = random.below(3) as u32;
        registers[3] = random.below(3) as u32;
        Self { random, overlay, registers, begun: false }
    }

    pub(super) fn matvec(&mut self) -> Matvec {
        let r = &mut *self.random;
        let (vectors, groups, blocks) = (1 + r.below(4), 1 + r.below(3), 1 + r.below(5));
        let y_stride = blocks + r.below(3);
        let argmax = r.below(2) == 1;
        let first = !self.begun | (r.below(2) == 1);
        self.begun |= argmax;
        let id_base = r.below(1000);
        Matvec {
            codes: Rows { base: r.below(3) * GROUPS_HELD + r.below(GROUPS_HELD - groups + 1), stride: GROUPS_HELD },
            vectors,
            groups,
            blocks,
            to: Rows { base: r.below(500), stride: y_stride },
            scales: Rows { base: r.below(4), stride: r.below(2) },
            shift: r.near(20, 6),
            write: r.below(4) > 0,
            argmax,
            argmax_first: first,
            id_base,
            // Often in the middle of the rows.
            id_limit: id_base + 1 + r.below(16 * blocks + 4),
            register: register::NEXT_TOKEN,
        }
    }

    pub(super) fn matmul(&mut self) -> Matmul {
        let r = &mut *self.random;
        let (rows, groups, blocks) = (1 + r.below(8), 1 + r.below(3), 1 + r.below(3));
        Matmul {
            codes: Rows { base: r.below(GROUPS_HELD - groups + 1), stride: GROUPS_HELD },
            rows,
            groups,
            blocks,
            to: Rows { base: r.below(500), stride: blocks + r.below(3) },
            scales: Rows { base: 0, stride: 1 },
            shift: r.near(20, 6),
        }
    }

    /// A score and weighted sums of it.
    pub(super) fn attention(&mut self) -> Vec<Operation> {
        let overlay_lanes = self.overlay.beat_bytes() as u64;
        let r = &mut *self.random;
        let (vectors, groups, blocks) = (1 + r.below(4), 1 + r.below(2), 1 + r.below(MAX_BLOCKS));
        let register = [register::KV_LENGTH, register::KV_BLOCKS][r.below(2) as usize];
        let rows = [0; 4].map(|_| r.below(16));
        // A sum over fewer keys than are seen may miss the greatest score; then scores must lie close together.
        let short = r.below(3) == 0;
        let score = Score {
            codes: Rows { base: r.below(3) * GROUPS_HELD + r.below(GROUPS_HELD - groups + 1), stride: GROUPS_HELD },
            vectors,
            groups,
            blocks,
            register,
            scales: Rows { base: r.below(4), stride: 1 },
            shift: if short { r.near(24, 1) } else { r.near(20, 3) },
            limit_register: register::POSITION,
            row: rows,
        };
        let scored = 16 * (blocks + u64::from(self.registers[register.index()]));
        let mut all = vec![Operation::from(score)];
        let seen = (u64::from(self.registers[1]) + 16).min(scored);
        let least = if short { 1 } else { seen };
        for slab in 0..r.below(3) {
            let more = [register::KV_LENGTH, register::KV_BLOCKS][r.below(2) as usize];
            let extra = u64::from(self.registers[more.index()]);
            let v_exponent = r.near(0, 4);
            let half = if overlay_lanes < LANES as u64 { 8 * (slab & 1) } else { 0 };
            let sum = WeightedSum {
                vectors: 1 + r.below(vectors),
                keys: least + r.below(scored - least + 1) - if least > extra { extra } else { 0 },
                register: if least > extra { more } else { register::ZERO },
                limit_register: register::POSITION,
                row: rows,
                to: r.below(500),
                to_lane: half,
                to_stride: overlay_lanes.div_ceil(LANES as u64) + r.below(3),
                value_mantissa: 0x8000 | r.below(0x8000),
                value_exponent: v_exponent,
                shift: v_exponent + r.near(6, 5),
            };
            all.push(sum.into());
        }
        all
    }

    pub(super) fn mixed(&mut self, length: usize) -> Vec<Operation> {
        let mut all = Vec::new();
        while all.len() < length {
            match self.random.below(3) {
                0 => all.extend(self.attention()),
                _ => all.push(self.matvec().into()),
            }
        }
        all
    }

    /// As `mixed`, on both engines.
    pub(super) fn both_engines(&mut self, length: usize) -> Vec<Operation> {
        let mut all = Vec::new();
        while all.len() < length {
            match self.random.below(3) {
                0 => all.push(self.matmul().into()),
                _ => all.extend(self.mixed(1)),
            }
        }
        all
    }

    /// Runs the operations on the golden machine, over random beats.
    pub(super) fn job(mut self, operations: &[Operation]) -> Job {
        let machine = Machine::new(self.overlay);
        let beats: Vec<Vec<Vec<u8>>> = operations.iter().map(|o| self.beats(&machine, o)).collect();
        let mut machine = self.machine(&beats);
        let mut base = STREAM;
        let stride = self.port_stride(&beats);
        let mut work = Vec::new();
        for (operation, beats) in operations.iter().zip(beats) {
            let stream = Stream { base, port_stride: stride, beats: beats.len() as u64, ..Stream::default() };
            base += beats.len() as u64 * self.overlay.port_bytes() as u64;
            run(&mut machine, stream);
            let writes = machine.step_logged(0, &step(*operation)).unwrap_or_else(|e| panic!("{e}: {operation:?}"));
            work.push(Work { operation: *operation, beats, writes });
        }
        let codes = (0..self.overlay.code_words()).map(|i| machine.code_word(i)).map(|(c, s)| (*c, s)).collect();
        let scales = (0..SCALES).map(|i| machine.scale(i)).collect();
        Job { codes, scales, registers: self.registers, work }
    }

    fn beats(&mut self, machine: &Machine, operation: &Operation) -> Vec<Vec<u8>> {
        let bytes = self.overlay.beat_bytes();
        let more = |register: Register| u64::from(self.registers[register.index()]);
        let (count, scaled) = match operation {
            Operation::Score(o) => {
                ((o.blocks + more(o.register)) * Block::from(o).beats(self.overlay.beat()) as u64, 0)
            }
            Operation::WeightedSum(o) => (o.keys + more(o.register), 0),
            Operation::Matvec(o) => (machine.beats_taken(operation), machine.beats_taken(operation) / o.blocks),
            Operation::Matmul(o) => (machine.beats_taken(operation), machine.beats_taken(operation) / o.blocks),
            _ => (0, 0),
        };
        let scale_beats = (WORD_BYTES / self.overlay.beat_bytes()) as u64;
        (0..count)
            .map(|i| match scaled {
                n if n > 0 && i % n < scale_beats => self.row_scales(bytes),
                _ => (0..bytes).map(|_| self.random.byte()).collect(),
            })
            .collect()
    }

    fn row_scales(&mut self, bytes: usize) -> Vec<u8> {
        let word = |r: &mut Random| {
            let mantissa = if r.below(20) == 0 { 0 } else { 0x8000 | r.below(0x8000) as u32 };
            mantissa | u32::from(r.near(0, 5) as u8) << 16
        };
        (0..bytes / 4).flat_map(|_| word(self.random).to_le_bytes()).collect()
    }

    fn port_stride(&self, beats: &[Vec<Vec<u8>>]) -> u64 {
        let count: usize = beats.iter().map(Vec::len).sum();
        (count * self.overlay.port_bytes()).next_multiple_of(64) as u64
    }

    /// A machine with these beats in DDR, codes and scales in place.
    fn machine(&mut self, beats: &[Vec<Vec<u8>>]) -> Machine {
        let (ports, width) = (self.overlay.stream_ports(), self.overlay.port_bytes());
        let stride = self.port_stride(beats) as usize;
        let mut stream = vec![0; stride * ports];
        for (i, beat) in beats.iter().flatten().enumerate() {
            for (port, bytes) in beat.chunks(width).enumerate() {
                stream[port * stride + i * width..][..width].copy_from_slice(bytes);
            }
        }
        let elements = VECTORS_HELD * GROUPS_HELD * GROUP as u64;
        let rows: Vec<u8> = (0..elements).flat_map(|_| self.element().to_le_bytes()).collect();
        let region =
            |name: &str, kind, base, bytes: &[u8]| Region { name: name.into(), kind, base, bytes: bytes.len() as u64 };
        let program = Program {
            regions: vec![
                region("rows", RegionKind::Tables, ROWS, &rows),
                region("stream", RegionKind::Weights, STREAM, &stream),
            ],
            image: vec![Segment { base: ROWS, bytes: rows }, Segment { base: STREAM, bytes: stream }],
            routines: Vec::new(),
            ..Program::of(self.overlay)
        };
        let mut machine = Machine::new(self.overlay);
        machine.load(&program).unwrap();
        for register in Register::all().filter(|r| *r != register::ZERO) {
            machine.set_register(register, self.registers[register.index()]).unwrap();
        }
        machine.begin();
        quantise(&mut machine);
        machine
    }

    /// Groups of different magnitude, so that they get different shifts.
    fn element(&mut self) -> i32 {
        let x = self.random.below(1 << 21) as i32 - (1 << 20);
        x >> self.random.below(3)
    }
}

fn step(operation: impl Into<Operation>) -> Instruction {
    Instruction { descriptor: Descriptor::new(operation), label: Label::default() }
}

fn run(machine: &mut Machine, operation: impl Into<Operation>) {
    machine.step(0, &step(operation)).unwrap();
}

/// Rows to codes; each row's first group is halved again and again so that shifts differ.
fn quantise(machine: &mut Machine) {
    let words = GROUPS_HELD * (GROUP / LANES) as u64;
    run(
        machine,
        Load {
            base: ROWS,
            rows: VECTORS_HELD,
            row_words: words,
            ddr_stride: words * WORD_BYTES as u64,
            to: Rows { base: 0, stride: words },
            ..Load::default()
        },
    );
    for group in 0..GROUPS_HELD {
        let at = group * (GROUP / LANES) as u64;
        run(
            machine,
            Mul {
                rows: VECTORS_HELD,
                words: (GROUP / LANES) as u64,
                left: Rows { base: at, stride: words },
                to: Rows { base: at, stride: words },
                right_immediate: true,
                immediate: 1,
                shift: group.min(4),
                write: true,
                ..Mul::default()
            },
        );
    }
    run(
        machine,
        Mul {
            rows: VECTORS_HELD,
            words,
            left: Rows::spaced(words),
            to: Rows::spaced(words),
            right_immediate: true,
            immediate: 1,
            write: true,
            amax: true,
            ..Mul::default()
        },
    );
    run(
        machine,
        Quant {
            rows: VECTORS_HELD,
            segments: 1,
            segment_words: words,
            from: Rows { base: 0, stride: words },
            to: Rows { base: 0, stride: GROUPS_HELD },
            factor_mantissa: 0xabcd,
            factor_exponent: -20,
            scales: Rows { base: 0, stride: 1 },
            ..Quant::default()
        },
    );
}
