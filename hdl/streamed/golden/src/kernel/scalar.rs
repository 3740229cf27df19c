//! The block dot product, plainly: the definition that the other kernels must equal.

use super::{Acc, Blocks, Codes};
use sagen_arith::contract::GROUP_SHIFT;
use sagen_streamed_isa::{BLOCK_ROWS, GROUP};

pub(super) fn dot(blocks: &Blocks<'_>, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
    match blocks.beat.port_bytes {
        4 => tile::<4>(blocks, block, vectors, acc),
        8 => tile::<8>(blocks, block, vectors, acc),
        _ => tile::<16>(blocks, block, vectors, acc),
    }
}

/// A width known to the compiler lets it vectorise.
fn tile<const BYTES: usize>(blocks: &Blocks<'_>, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
    acc.fill(Acc::default());
    for port in 0..blocks.ports.len() {
        let pieces = blocks.codes(block, port).as_chunks::<BYTES>().0;
        for (run, rows) in pieces.chunks_exact(BLOCK_ROWS).enumerate() {
            let channel = (run * blocks.ports.len() + port) * BYTES;
            let group = channel / GROUP;
            for (vector, acc) in vectors.iter().zip(acc.iter_mut()) {
                let x = &vector.groups[group].as_chunks::<BYTES>().0[channel % GROUP / BYTES];
                for (row, acc) in rows.iter().zip(acc.iter_mut()) {
                    let products = row.iter().zip(x).map(|(w, x)| i32::from(*w as i8) * i32::from(*x));
                    *acc += products.sum::<i32>() << (GROUP_SHIFT - u32::from(vector.shifts[group]));
                }
            }
        }
    }
}
