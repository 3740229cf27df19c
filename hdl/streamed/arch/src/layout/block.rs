//! Weight blocks: 16 rows of codes behind their 16 scales.
//!
//! A block is `64 / B` scale beats (16 little-endian words: mantissa in bits 0..16, exponent in bits 16..24), then for
//! each run of B channels 16 beats, one a row.

use sagen_arith::scale::Scale;
use sagen_streamed_isa::{BLOCK_ROWS, GROUP, WORD_BYTES};

use super::Beat;

/// Bytes that a block takes in each port's region.
pub fn block_bytes(beat: Beat, groups: usize) -> usize {
    (beat.scale_beats() + groups * beat.group_beats() * BLOCK_ROWS) * beat.port_bytes
}

/// Lays out one block: `codes` holds 16 rows, `ports` the block's bytes in each port's region.
pub fn pack_block(beat: Beat, codes: &[i8], scales: &[Scale; BLOCK_ROWS], ports: &mut [&mut [u8]]) {
    let columns = codes.len() / BLOCK_ROWS;
    debug_assert!(columns.is_multiple_of(GROUP) && ports.len() == beat.ports);
    let scales = scale_bytes(scales);
    for (port, out) in ports.iter_mut().enumerate() {
        let of_port = |beat_bytes: usize| beat_bytes * beat.bytes() + port * beat.port_bytes;
        let (head, body) = out.split_at_mut(beat.scale_beats() * beat.port_bytes);
        for (i, piece) in head.chunks_exact_mut(beat.port_bytes).enumerate() {
            piece.copy_from_slice(&scales[of_port(i)..][..beat.port_bytes]);
        }
        for (i, piece) in body.chunks_exact_mut(beat.port_bytes).enumerate() {
            let (run, row) = (i / BLOCK_ROWS, i % BLOCK_ROWS);
            let from = &codes[row * columns + of_port(run)..][..beat.port_bytes];
            for (to, code) in piece.iter_mut().zip(from) {
                *to = code.cast_unsigned();
            }
        }
    }
}

fn scale_bytes(scales: &[Scale; BLOCK_ROWS]) -> [u8; WORD_BYTES] {
    let mut bytes = [0; WORD_BYTES];
    for (word, scale) in bytes.chunks_exact_mut(4).zip(scales) {
        let [low, high] = scale.mantissa.to_le_bytes();
        let exponent = i8::try_from(scale.exponent).expect("row scales are made to fit 8 bits");
        word.copy_from_slice(&[low, high, exponent.cast_unsigned(), 0]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The beats that a stream would deliver, in order.
    fn beats(beat: Beat, ports: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let count = ports[0].len() / beat.port_bytes;
        (0..count)
            .map(|i| {
                let transfer = |p: &Vec<u8>| p[i * beat.port_bytes..][..beat.port_bytes].to_vec();
                ports.iter().flat_map(transfer).collect()
            })
            .collect()
    }

    #[test]
    fn streamed_beats_are_scales_then_rows_channel_run_by_channel_run() {
        for beat in
            [Beat { port_bytes: 16, ports: 4 }, Beat { port_bytes: 8, ports: 1 }, Beat { port_bytes: 4, ports: 2 }]
        {
            let (groups, columns) = (2, 128);
            let code = |row: usize, column: usize| (row * 31 + column * 7 + column / 64) as i8;
            let codes: Vec<i8> = (0..BLOCK_ROWS * columns).map(|i| code(i / columns, i % columns)).collect();
            let scales = std::array::from_fn(|i| Scale { mantissa: 0x8000 + i as u16, exponent: i as i16 - 20 });
            let mut ports = vec![vec![0; block_bytes(beat, groups)]; beat.ports];
            let mut slices: Vec<&mut [u8]> = ports.iter_mut().map(Vec::as_mut_slice).collect();
            pack_block(beat, &codes, &scales, &mut slices);

            let beats = beats(beat, &ports);
            let (head, body) = beats.split_at(WORD_BYTES / beat.bytes());
            let words: Vec<u8> = head.concat();
            assert_eq!(&words[4 * 3..][..4], &[3, 0x80, (-17i8) as u8, 0]);
            assert_eq!(body.len(), columns / beat.bytes() * BLOCK_ROWS);
            for (i, found) in body.iter().enumerate() {
                let (run, row) = (i / 16, i % 16);
                let first = run * beat.bytes();
                let expected: Vec<u8> = (first..first + beat.bytes()).map(|column| code(row, column) as u8).collect();
                assert_eq!(found, &expected, "beat {i} of {beat:?}");
            }
        }
    }
}
