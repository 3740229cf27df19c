//! The block dot product with AVX-512 VNNI. Weights become unsigned by adding 128; `Codes::bias` takes it out again.
#![allow(unsafe_code)]

use super::{Acc, Blocks, Codes};
use sagen_arith::contract::GROUP_SHIFT;
use sagen_streamed_isa::{BLOCK_ROWS, GROUP};
use std::arch::x86_64::*;

/// Proof that the processor has the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token(());

impl Token {
    pub(super) fn detect() -> Option<Self> {
        let all = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
        all.then_some(Self(()))
    }
}

/// Vectors that are multiplied in one pass over a block.
const TILE: usize = 4;

pub(super) fn dot(_: Token, blocks: &Blocks<'_>, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
    for (vectors, acc) in vectors.chunks(TILE).zip(acc.chunks_mut(TILE)) {
        // SAFETY: the token exists, so the processor has the target features of `tile`.
        unsafe {
            match blocks.beat.port_bytes {
                4 => tile_of::<1>(blocks, block, vectors, acc),
                8 => tile_of::<2>(blocks, block, vectors, acc),
                _ => tile_of::<4>(blocks, block, vectors, acc),
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512vnni")]
fn tile_of<const Q: usize>(blocks: &Blocks<'_>, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
    match vectors.len() {
        1 => tile::<Q, 1>(blocks, block, vectors, acc),
        2 => tile::<Q, 2>(blocks, block, vectors, acc),
        3 => tile::<Q, 3>(blocks, block, vectors, acc),
        _ => tile::<Q, 4>(blocks, block, vectors, acc),
    }
}

/// `V` vectors; 16 transfers of one port fill `Q` registers, each 32-bit lane 4 channels of one row.
#[target_feature(enable = "avx512f,avx512vnni")]
fn tile<const Q: usize, const V: usize>(blocks: &Blocks<'_>, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
    let zero = _mm512_setzero_si512();
    let flip = _mm512_set1_epi8(i8::MIN);
    let ports = blocks.ports.len();
    let runs_a_group = GROUP / (4 * Q * ports);
    let codes: [&[[u8; 64]]; 4] =
        std::array::from_fn(|p| if p < ports { blocks.codes(block, p).as_chunks().0 } else { &[] });
    let mut total = [[zero; Q]; V];
    for group in 0..blocks.block.groups {
        let mut part = [[zero; Q]; V];
        for c in 0..runs_a_group * ports {
            let (run, port) = (group * runs_a_group + c / ports, c % ports);
            let rows = &codes[port][run * Q..(run + 1) * Q];
            let w: [__m512i; Q] = std::array::from_fn(|q| {
                // SAFETY: the source has 64 bytes; unaligned loads are allowed.
                let w = unsafe { _mm512_loadu_si512(rows[q].as_ptr().cast()) };
                _mm512_xor_si512(w, flip)
            });
            for (vector, part) in vectors.iter().zip(&mut part) {
                let x = broadcast::<Q>(&vector.groups[group], c);
                for (part, w) in part.iter_mut().zip(w) {
                    *part = _mm512_dpbusd_epi32(*part, w, x);
                }
            }
        }
        for ((vector, part), total) in vectors.iter().zip(part).zip(&mut total) {
            let left = _mm_cvtsi32_si128(GROUP_SHIFT as i32 - i32::from(vector.shifts[group]));
            for (part, total) in part.into_iter().zip(total) {
                *total = _mm512_add_epi32(*total, _mm512_sll_epi32(part, left));
            }
        }
    }
    for ((vector, total), acc) in vectors.iter().zip(total).zip(acc) {
        *acc = reduce(total).map(|sum| sum.wrapping_sub(vector.bias));
    }
}

/// Piece `c` of `4 Q` channels of a group, repeated.
#[target_feature(enable = "avx512f")]
fn broadcast<const Q: usize>(group: &[i8; GROUP], c: usize) -> __m512i {
    let piece: &[i8] = &group[c * 4 * Q..(c + 1) * 4 * Q];
    // SAFETY: each arm reads the 4 Q bytes of `piece`; unaligned reads are allowed.
    unsafe {
        match Q {
            1 => _mm512_set1_epi32(piece.as_ptr().cast::<i32>().read_unaligned()),
            2 => _mm512_set1_epi64(piece.as_ptr().cast::<i64>().read_unaligned()),
            _ => _mm512_broadcast_i32x4(_mm_loadu_si128(piece.as_ptr().cast())),
        }
    }
}

/// Sum of the `Q` lanes of each row.
#[target_feature(enable = "avx512f")]
fn reduce<const Q: usize>(total: [__m512i; Q]) -> Acc {
    let mut lanes = [[0i32; 16]; Q];
    for (register, lanes) in total.into_iter().zip(&mut lanes) {
        // SAFETY: the destination has 64 bytes; unaligned stores are allowed.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), register) };
    }
    let lanes = lanes.as_flattened();
    let row = |n: usize| lanes[n * Q..(n + 1) * Q].iter().fold(0i32, |sum, x| sum.wrapping_add(*x));
    let acc: [i32; BLOCK_ROWS] = std::array::from_fn(row);
    acc
}
