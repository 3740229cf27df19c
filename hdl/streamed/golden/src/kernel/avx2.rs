//! The block dot product with AVX2: 16 channels are widened to 16 bits and multiplied in pairs.
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
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }
}

pub(super) fn dot(_: Token, blocks: &Blocks<'_>, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
    for (vector, acc) in vectors.iter().zip(acc) {
        // SAFETY: the token exists, so the processor has the target feature of `tile`.
        *acc = unsafe {
            match blocks.beat.port_bytes {
                4 => tile::<4>(blocks, block, vector),
                8 => tile::<8>(blocks, block, vector),
                _ => tile::<16>(blocks, block, vector),
            }
        };
    }
}

/// Transfers of `BYTES`: 16 of them fill as many half registers, each 32-bit lane two channels of one row.
#[target_feature(enable = "avx2")]
fn tile<const BYTES: usize>(blocks: &Blocks<'_>, block: usize, vector: &Codes<'_>) -> Acc {
    let ports = blocks.ports.len();
    let runs_a_group = GROUP / (BYTES * ports);
    let mut total = [_mm256_setzero_si256(); BYTES];
    let codes: [&[[u8; 16]]; 4] =
        std::array::from_fn(|p| if p < ports { blocks.codes(block, p).as_chunks().0 } else { &[] });
    for group in 0..blocks.block.groups {
        let left = _mm_cvtsi32_si128(GROUP_SHIFT as i32 - i32::from(vector.shifts[group]));
        for c in 0..runs_a_group * ports {
            let (run, port) = (group * runs_a_group + c / ports, c % ports);
            let x = _mm256_sll_epi16(broadcast::<BYTES>(&vector.groups[group], c), left);
            for (total, w) in total.iter_mut().zip(&codes[port][run * BYTES..(run + 1) * BYTES]) {
                // SAFETY: the source has 16 bytes; unaligned loads are allowed.
                let w = unsafe { _mm_loadu_si128(w.as_ptr().cast()) };
                *total = _mm256_add_epi32(*total, _mm256_madd_epi16(_mm256_cvtepi8_epi16(w), x));
            }
        }
    }
    reduce(total)
}

/// Piece `c` of `BYTES` channels of a group, repeated to 16 channels, in 16 bits.
#[target_feature(enable = "avx2")]
fn broadcast<const BYTES: usize>(group: &[i8; GROUP], c: usize) -> __m256i {
    let piece: [i8; BYTES] = group.as_chunks().0[c];
    let lanes: [i8; 16] = std::array::from_fn(|i| piece[i % BYTES]);
    // SAFETY: the source has 16 bytes; unaligned loads are allowed.
    _mm256_cvtepi8_epi16(unsafe { _mm_loadu_si128(lanes.as_ptr().cast()) })
}

/// Sum of the `BYTES / 2` lanes of each row.
#[target_feature(enable = "avx2")]
fn reduce<const BYTES: usize>(total: [__m256i; BYTES]) -> Acc {
    let mut lanes = [[0i32; 8]; BYTES];
    for (register, lanes) in total.into_iter().zip(&mut lanes) {
        // SAFETY: the destination has 32 bytes; unaligned stores are allowed.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), register) };
    }
    let lanes = lanes.as_flattened();
    let row = |n: usize| lanes[n * BYTES / 2..(n + 1) * BYTES / 2].iter().sum();
    let acc: [i32; BLOCK_ROWS] = std::array::from_fn(row);
    acc
}
