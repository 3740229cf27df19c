//! The golden machine against matrices, softmax and argmax written down independently; and its error messages.

mod rig;

use rig::{machine, overlays};
use sagen_arith::draw::Draw;
use sagen_arith::scale::Scale;
use sagen_streamed_arch::step::Slot;
use sagen_streamed_arch::{
    Device, Instruction, Label, Program, Region, RegionKind, Routine, RoutineKind, Segment, StreamedConfig,
};
use sagen_streamed_golden::{Machine, Write};
use sagen_streamed_isa::{
    Add, Descriptor, Load, Loop, Matmul, Matvec, Mul, Operation, Quant, Rows, Score, Store, Stream, WeightedSum,
    register,
};

const WEIGHTS: u64 = 0x1_0000;
const PORT_STRIDE: u64 = 0x1_0000;
const KV: u64 = 0x10_0000;
const WORDS: u64 = 0x20_0000;

/// A program over weights and K or V bytes given beat by beat, and scratchpad words given as lanes.
fn program(overlay: &StreamedConfig, weights: &[u8], kv: &[u8], lanes: &[i32]) -> Program {
    let mut program = Program::of(overlay);
    let ports = overlay.stream_ports();
    for (name, kind, base, bytes) in
        [("weights", RegionKind::Weights, WEIGHTS, weights), ("kv", RegionKind::KvCache, KV, kv)]
    {
        for port in 0..ports {
            let base = base + port as u64 * PORT_STRIDE;
            program.regions.push(Region { name: name.to_string(), kind, base, bytes: PORT_STRIDE });
            let pieces = bytes.chunks(overlay.port_bytes()).skip(port).step_by(ports);
            program.image.push(Segment { base, bytes: pieces.flatten().copied().collect() });
        }
    }
    let kind = RegionKind::Parameters;
    program.regions.push(Region { name: "words".to_string(), kind, base: WORDS, bytes: 0x1_0000 });
    let bytes = lanes.iter().flat_map(|x| x.to_le_bytes()).collect();
    program.image.push(Segment { base: WORDS, bytes });
    program
}

fn step(operation: impl Into<Operation>) -> Instruction {
    let label = Label { layer: Some(3), tensor: "test".to_string() };
    Instruction { descriptor: Descriptor::new(operation), label }
}

fn routine(steps: Vec<Instruction>) -> Routine {
    Routine { kind: RoutineKind::Test, slot: Slot::default(), address: 0, steps }
}

fn stream(base: u64, beats: u64) -> Instruction {
    step(Stream { base, port_stride: PORT_STRIDE, beats, ..Stream::default() })
}

fn load(words: u64) -> Instruction {
    step(Load { base: WORDS, rows: 1, row_words: words, ..Load::default() })
}

/// Codes of one row: those of a constant multiplier of one, at full shift.
fn codes(rows: u64, groups: u64) -> Instruction {
    step(Quant {
        rows,
        segments: groups,
        segment_words: 4,
        from: Rows::spaced(4 * groups),
        to: Rows::spaced(groups),
        fixed: true,
        multiplier: 1,
        ..Quant::default()
    })
}

/// Scale 1 in the first entries: 2^15 * 2^-15.
fn unit_scales(rows: u64) -> [Instruction; 2] {
    let amax =
        Mul { rows, words: 4, left_immediate: true, right_immediate: true, immediate: 1, amax: true, ..Mul::default() };
    let scale = Quant {
        rows,
        segments: 1,
        segment_words: 4,
        to: Rows { base: 100, stride: 1 },
        factor_mantissa: 32768,
        factor_exponent: -15,
        scales: Rows::spaced(1),
        ..Quant::default()
    };
    [step(amax), step(scale)]
}

/// Beats of a matrix, row-major, as the block layout says; row scales of 2^-shift where given.
fn pack(overlay: &StreamedConfig, matrix: &[Vec<i8>], row_exponent: Option<i8>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for block in matrix.chunks(16) {
        if let Some(exponent) = row_exponent {
            let word = 0x8000u32 | u32::from((exponent - 15) as u8) << 16;
            (0..16).for_each(|_| bytes.extend(word.to_le_bytes()));
        }
        for first in (0..block[0].len()).step_by(overlay.beat_bytes()) {
            for row in block {
                bytes.extend(row[first..first + overlay.beat_bytes()].iter().map(|w| *w as u8));
            }
        }
    }
    bytes
}

fn random_matrix(draw: &mut Draw, rows: usize, columns: usize) -> Vec<Vec<i8>> {
    (0..rows).map(|_| (0..columns).map(|_| draw.code()).collect()).collect()
}

fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// Rows of lanes, as the loads of a test want them.
fn as_lanes(rows: &[Vec<i8>]) -> Vec<i32> {
    rows.iter().flatten().map(|x| i32::from(*x)).collect()
}

#[test]
fn matvec_and_matmul_are_matrix_products() {
    let mut draw = Draw::new(1);
    for overlay in overlays() {
        let (w, x) = (random_matrix(&mut draw, 48, 192), random_matrix(&mut draw, 4, 192));
        let program = program(&overlay, &pack(&overlay, &w, Some(0)), &[], &as_lanes(&x));
        let beats = (3 * (64 + 16 * 192) / overlay.beat_bytes()) as u64;
        let common = Matvec {
            codes: Rows::spaced(3),
            vectors: 4,
            groups: 3,
            blocks: 3,
            to: Rows { base: 200, stride: 3 },
            scales: Rows::spaced(1),
            // 14 bits of the first rounding, less 3 of group shifts: the result is the dot product itself.
            shift: -11,
            write: true,
            ..Matvec::default()
        };
        let product: [Operation; 2] = [
            common.into(),
            Matmul {
                codes: common.codes,
                rows: 4,
                groups: 3,
                blocks: 3,
                to: Rows { base: 200, stride: 3 },
                scales: Rows { base: 0, stride: 1 },
                shift: -11,
            }
            .into(),
        ];
        for operation in product {
            let mut steps = vec![load(48), codes(4, 3)];
            steps.extend(unit_scales(4));
            steps.extend([stream(WEIGHTS, beats), step(operation)]);
            let mut machine = machine(&overlay, &program, &[]);
            let stats = machine.run(&routine(steps)).unwrap();
            assert_eq!(stats.stream_bytes, beats * overlay.beat_bytes() as u64);
            for (v, x) in x.iter().enumerate() {
                let found: Vec<i32> = (0..3).flat_map(|b| machine.scratch_word(200 + 3 * v + b).to_vec()).collect();
                let expected: Vec<i32> = w.iter().map(|w| dot(w, x)).collect();
                assert_eq!(found, expected, "{} vector {v}", overlay.name());
            }
        }
    }
}

#[test]
fn attention_is_a_softmax_over_the_keys_that_each_row_sees() {
    let mut draw = Draw::new(2);
    let (position, rows) = (20u64, [0u64, 3, 5, 15]);
    for overlay in overlays() {
        let (k, v, q) =
            (random_matrix(&mut draw, 32, 64), random_matrix(&mut draw, 32, 64), random_matrix(&mut draw, 4, 64));
        let slabs = 64 / overlay.beat_bytes();
        let mut kv = pack(&overlay, &k, None);
        for slab in 0..slabs {
            let lanes = slab * overlay.beat_bytes()..(slab + 1) * overlay.beat_bytes();
            kv.extend(v.iter().flat_map(|row| row[lanes.clone()].iter().map(|x| *x as u8)));
        }
        let program = program(&overlay, &[], &kv, &as_lanes(&q));
        let score = Score {
            codes: Rows::spaced(1),
            vectors: 4,
            groups: 1,
            blocks: 1,
            register: register::KV_BLOCKS,
            scales: Rows::spaced(1),
            // z = 4 * dot, Q12.
            shift: 1,
            limit_register: register::POSITION,
            row: rows,
        };
        let mut steps = vec![load(16), codes(4, 1)];
        steps.extend(unit_scales(4));
        steps.extend([stream(KV, 32 * slabs as u64), step(score)]);
        for slab in 0..slabs as u64 {
            let beats_before = (slab + slabs as u64) * 32;
            let lane = slab * overlay.beat_bytes() as u64;
            let sum = WeightedSum {
                vectors: 4,
                keys: 31,
                register: register::KV_BLOCKS,
                limit_register: register::POSITION,
                row: rows,
                to: 300 + lane / 16,
                to_lane: lane % 16,
                to_stride: 4,
                value_mantissa: 32768,
                value_exponent: -15,
                shift: -12,
            };
            steps.extend([stream(KV + beats_before * overlay.port_bytes() as u64, 32), step(sum)]);
        }
        let mut machine =
            machine(&overlay, &program, &[(register::POSITION, position as u32), (register::KV_BLOCKS, 1)]);
        machine.run(&routine(steps)).unwrap();
        for (n, q) in q.iter().enumerate() {
            let seen = (position + rows[n] + 1).min(32) as usize;
            let z: Vec<f64> = k[..seen].iter().map(|k| f64::from(4 * dot(k, q)) / 4096.0).collect();
            let max = z.iter().copied().fold(f64::MIN, f64::max);
            let p: Vec<f64> = z.iter().map(|z| (255.0 * (z - max).exp2()).round()).collect();
            let den: f64 = p.iter().sum();
            let found = (0..4).flat_map(|w| machine.scratch_word(300 + 4 * n + w).to_vec());
            for (channel, found) in found.enumerate() {
                let real = p.iter().zip(&v).map(|(p, v)| p * f64::from(v[channel])).sum::<f64>() / den;
                // One weight may round the other way.
                let error = f64::from(found) / 4096.0 - real;
                assert!(error.abs() <= 0.6, "{} vector {n} channel {channel}: {error}", overlay.name());
            }
        }
    }
}

/// A matvec over 32 rows that keeps the greatest result.
fn argmax(first: bool, base: u64, limit: u64) -> Instruction {
    step(Matvec {
        vectors: 1,
        groups: 1,
        blocks: 2,
        shift: -11,
        argmax: true,
        argmax_first: first,
        id_base: base,
        id_limit: limit,
        register: register::NEXT_TOKEN,
        ..Matvec::default()
    })
}

#[test]
fn argmax_takes_the_lowest_of_equal_ids_and_leaves_padding_out() {
    let overlay = &overlays()[0];
    let mut w = vec![vec![0i8; 64]; 32];
    (w[5][0], w[9][0], w[21][0], w[31][0]) = (50, 60, 60, 100);
    let program = program(overlay, &pack(overlay, &w, Some(0)), &[], &[1]);
    let beats = 2 * 17;
    let id = |steps: Vec<Instruction>| {
        let mut all = vec![load(1), codes(1, 1)];
        all.extend(unit_scales(1));
        all.extend(steps);
        let mut machine = machine(overlay, &program, &[]);
        machine.run(&routine(all)).unwrap();
        machine.register(register::NEXT_TOKEN).unwrap()
    };
    let one = |base, limit| vec![stream(WEIGHTS, beats), argmax(true, base, limit)];
    assert_eq!(id(one(0, 32)), 31);
    assert_eq!(id(one(1000, 1031)), 1009);
    let continued = |first: bool| [one(0, 31), vec![stream(WEIGHTS, beats), argmax(first, 32, 63)]].concat();
    assert_eq!((id(continued(false)), id(continued(true))), (9, 41));
}

#[test]
fn a_stream_holds_the_bytes_that_a_later_store_replaces() {
    for overlay in overlays() {
        let w = vec![vec![3i8; 64]; 16];
        let bytes = pack(&overlay, &w, Some(0));
        let beats = (bytes.len() / overlay.beat_bytes()) as u64;
        let program = program(&overlay, &[], &bytes, &[1; 64]);
        let product = Matvec {
            vectors: 1,
            groups: 1,
            blocks: 1,
            to: Rows::at(500),
            shift: -11,
            write: true,
            ..Matvec::default()
        };
        let clear = Store {
            base: KV,
            from: 64 * 900,
            beats: 16,
            inner: Loop::ONCE,
            middle: Loop::ONCE,
            outer: Loop::ONCE,
            ..Store::default()
        };
        let mut steps = vec![load(4), codes(1, 1)];
        steps.extend(unit_scales(1));
        steps.extend([
            stream(KV, beats),
            step(clear),
            step(product),
            stream(KV, beats),
            step(Matvec { to: Rows { base: 501, ..product.to }, ..product }),
        ]);
        let mut machine = machine(&overlay, &program, &[]);
        machine.run(&routine(steps)).unwrap();
        assert_eq!(machine.scratch_word(500), [192; 16], "{}", overlay.name());
        assert!(machine.scratch_word(501) != [192; 16], "{}", overlay.name());
    }
}

#[test]
fn an_in_place_result_and_a_partial_group_are_recorded() {
    let overlay = &overlays()[0];
    let lanes: Vec<i32> = (0..80).map(|i| i - 200).collect();
    let program = program(overlay, &[], &[], &lanes);
    let double = Mul {
        rows: 1,
        words: 5,
        right_immediate: true,
        immediate: 2,
        write: true,
        amax: true,
        sum_squares: true,
        ..Mul::default()
    };
    let quant = Quant {
        rows: 1,
        segments: 1,
        segment_words: 4,
        factor_mantissa: 32768,
        factor_exponent: -15,
        scales: Rows::at(9),
        ..Quant::default()
    };
    let mut machine = machine(overlay, &program, &[]);
    machine.run(&routine(vec![load(5), step(double), step(quant)])).unwrap();
    assert_eq!(machine.scratch_word(4)[15], -242);
    assert_eq!(machine.scale(9), Scale { mantissa: 400 << 7, exponent: -7 });
    assert_eq!((machine.code_word(0).0[0], machine.code_word(0).1), (-127, 0));
}

#[test]
fn writes_are_reported_word_by_word() {
    let overlay = &overlays()[0];
    let program = program(overlay, &[], &[], &[7; 32]);
    let mut machine = machine(overlay, &program, &[]);
    machine.begin();
    let writes = machine.step_logged(0, &load(2)).unwrap();
    let bytes = std::array::from_fn(|i| if i % 4 == 0 { 7 } else { 0 });
    let word = |word| Write::Scratch { word, mask: u64::MAX, bytes };
    assert_eq!(writes, [word(0), word(1)]);
    assert_eq!(machine.step_logged(1, &stream(WEIGHTS, 1)).unwrap(), []);
}

/// The message of the first step that fails.
fn refusal(overlay: &StreamedConfig, program: &Program, steps: Vec<Instruction>) -> String {
    Machine::run(&mut machine(overlay, program, &[]), &routine(steps)).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_executed_is_refused_by_name() {
    let overlay = &overlays()[0];
    let program = program(overlay, &[], &[], &[]);
    let add = Add {
        rows: 1,
        words: 4,
        left: Rows::spaced(4),
        right: Rows { base: 8, stride: 4 },
        to: Rows { base: 16, stride: 4 },
    };
    let one =
        Store { base: KV, beats: 1, inner: Loop::ONCE, middle: Loop::ONCE, outer: Loop::ONCE, ..Store::default() };
    let cases: Vec<(Instruction, &str)> = vec![
        (step(Add { rows: 17, ..add }), "Add: rows = 17 is outside 1..=16"),
        (
            step(Add { right: Rows { base: 8190, ..add.right }, ..add }),
            "Add: right reaches scratchpad words 8190..8194, only 0..8192 exist",
        ),
        (
            step(Add { to: Rows { base: 9, ..add.to }, ..add }),
            "Add: results at 9 overwrite operand right at 8 before it is read",
        ),
        (
            step(Add { rows: 2, to: Rows { stride: 3, ..add.to }, ..add }),
            "Add: to_stride = 3 makes rows of 4 words overlap",
        ),
        (
            step(Quant { rows: 1, segments: 1, segment_words: 6, ..Quant::default() }),
            "Quant: words = 6 is not a multiple of 4, the words of one group",
        ),
        (step(Store { base: WORDS, ..one }), "Store: DDR 0x200000..+16 lies in region words, which is read-only"),
        (step(Store { base: KV + 8, ..one }), "Store: base + strides makes address 0x100008, not a multiple of 16"),
        (
            step(Load { base: 64, rows: 1, row_words: 1, ..Load::default() }),
            "Load: DDR 0x40..+64 is outside every region",
        ),
        (stream(WEIGHTS + 0xfff0, 2), "Stream: DDR 0x1fff0..+32 is outside every region"),
        (
            step(Matvec { vectors: 1, groups: 1, blocks: 1, ..Matvec::default() }),
            "Matvec: takes 17 beats, but only 0 were streamed",
        ),
        (
            step(WeightedSum { vectors: 1, keys: 1, ..WeightedSum::default() }),
            "WeightedSum: key 0 of vector 0 is attended to, only 0..0 were scored",
        ),
        (
            step(Score { vectors: 1, groups: 1, blocks: 129, ..Score::default() }),
            "Score: blocks + register = 129 is outside 1..=128",
        ),
    ];
    for (step, reason) in cases {
        let expected = format!("descriptor 0 (layer 3 test): {reason}");
        assert_eq!(refusal(overlay, &program, vec![step]), expected);
    }
    assert_eq!(refusal(overlay, &program, vec![stream(WEIGHTS, 3)]), "3 streamed beats were never consumed");
}

#[test]
fn a_program_for_another_overlay_is_refused() {
    let [main, other, ..] = &overlays()[..] else { panic!("two overlays") };
    let program = program(main, &[], &[], &[]);
    let error = Machine::new(other).load(&program).unwrap_err().to_string();
    let (of, on) = (main.id().short(), other.id().short());
    let told = format!("the program is for overlay d16_100mhz_w128_p6 ({of}), this is d8_100mhz ({on})");
    assert_eq!(error, told);
}

#[test]
fn a_program_for_an_overlay_of_the_same_name_with_other_memories_is_refused() {
    let main = &overlays()[0];
    let mut file = main.file().clone();
    file.scratchpad.vector_words *= 2;
    let other = StreamedConfig::new(file, main.board().clone()).unwrap();
    assert_eq!(other.name(), main.name());
    let error = Machine::new(&other).load(&program(main, &[], &[], &[])).unwrap_err().to_string();
    assert!(error.starts_with("the program is for overlay d16_100mhz_w128_p6 ("), "{error}");
}
