//! The block dot product, plainly.

use super::{Acc, Blocks, Codes};
use sagen_isa::GROUP;

pub(super) fn dot(blocks: &Blocks<'_>, block: usize, vectors: &[Codes<'_>], acc: &mut [Acc]) {
    let (ports, bytes) = (blocks.ports.len(), blocks.port_bytes);
    acc.fill(Acc::default());
    for port in 0..ports {
        for (run, rows) in blocks.codes(block, port).chunks_exact(16 * bytes).enumerate() {
            let channel = (run * ports + port) * bytes;
            for (vector, acc) in vectors.iter().zip(acc.iter_mut()) {
                let group = channel / GROUP;
                let x = &vector.groups[group][channel % GROUP..][..bytes];
                for (row, acc) in rows.chunks_exact(bytes).zip(acc.iter_mut()) {
                    let dot: i32 = row.iter().zip(x).map(|(w, x)| i32::from(*w as i8) * i32::from(*x)).sum();
                    *acc += dot << (3 - vector.shifts[group]);
                }
            }
        }
    }
}
