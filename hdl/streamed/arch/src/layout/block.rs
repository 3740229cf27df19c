//! Weight blocks: 16 rows of codes, of weights behind the rows' 16 scales, of keys without.
//!
//! A block is `64 / B` scale beats (16 little-endian words: mantissa in bits 0..16, exponent in bits 16..24), then for
//! each run of as many channels as a beat holds 16 beats, one a row.

use sagen_arith::scale::Scale;
use sagen_streamed_isa::{BLOCK_ROWS, GROUP, Matmul, Matvec, Score, WORD_BYTES};

use super::Beat;

/// How codes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WeightFormat {
    /// A signed byte a channel.
    Int8,
}

impl WeightFormat {
    /// Bits of a code.
    #[must_use]
    pub const fn bits(self) -> usize {
        match self {
            Self::Int8 => 8,
        }
    }
}

/// Format of the weights that descriptors multiply. They have no field for it, so it is that of all of them.
pub const WEIGHTS: WeightFormat = WeightFormat::Int8;

/// The shape of a block; its size follows from the beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Of the codes.
    pub format: WeightFormat,
    /// Channels / 64.
    pub groups: usize,
    /// Scales come before the codes.
    pub scaled: bool,
}

/// What a descriptor multiplies.
impl From<&Matvec> for Block {
    fn from(o: &Matvec) -> Self {
        Self::weights(WEIGHTS, o.groups as usize)
    }
}

/// What a descriptor multiplies.
impl From<&Matmul> for Block {
    fn from(o: &Matmul) -> Self {
        Self::weights(WEIGHTS, o.groups as usize)
    }
}

/// What a descriptor multiplies.
impl From<&Score> for Block {
    fn from(o: &Score) -> Self {
        Self::keys(o.groups as usize)
    }
}

impl Block {
    /// 16 rows of weights and their scales.
    #[must_use]
    pub const fn weights(format: WeightFormat, groups: usize) -> Self {
        Self { format, groups, scaled: true }
    }

    /// 16 keys of a head.
    #[must_use]
    pub const fn keys(groups: usize) -> Self {
        Self { format: super::kv::FORMAT, groups, scaled: false }
    }

    /// The scale words of the 16 rows, in beats.
    #[must_use]
    pub const fn scale_beats(self, beat: Beat) -> usize {
        if self.scaled { WORD_BYTES / beat.bytes() } else { 0 }
    }

    /// Beats of codes: runs of channels, of 16 beats each.
    #[must_use]
    pub const fn code_beats(self, beat: Beat) -> usize {
        (self.groups * GROUP).div_ceil(beat.channels(self.format)) * BLOCK_ROWS
    }

    /// Beats in all.
    #[must_use]
    pub const fn beats(self, beat: Beat) -> usize {
        self.scale_beats(beat) + self.code_beats(beat)
    }

    /// Bytes in each port's region.
    #[must_use]
    pub const fn bytes(self, beat: Beat) -> usize {
        self.beats(beat) * beat.port_bytes
    }

    /// Lays out one block: `codes` holds 16 rows, `ports` the block's bytes in each port's region.
    pub fn pack(self, beat: Beat, codes: &[i8], scales: &[Scale; BLOCK_ROWS], ports: &mut [&mut [u8]]) {
        let columns = codes.len() / BLOCK_ROWS;
        debug_assert!(columns == self.groups * GROUP && ports.len() == beat.ports);
        let scales = scale_bytes(scales);
        for (port, out) in ports.iter_mut().enumerate() {
            let of_port = |beat_bytes: usize| beat_bytes * beat.bytes() + port * beat.port_bytes;
            let (head, body) = out.split_at_mut(self.scale_beats(beat) * beat.port_bytes);
            for (i, piece) in head.chunks_exact_mut(beat.port_bytes).enumerate() {
                piece.copy_from_slice(&scales[of_port(i)..][..beat.port_bytes]);
            }
            for (i, piece) in body.chunks_exact_mut(beat.port_bytes).enumerate() {
                let (run, row) = (i / BLOCK_ROWS, i % BLOCK_ROWS);
                match self.format {
                    WeightFormat::Int8 => {
                        let from = &codes[row * columns + of_port(run)..][..beat.port_bytes];
                        for (to, code) in piece.iter_mut().zip(from) {
                            *to = code.cast_unsigned();
                        }
                    }
                }
            }
        }
    }

    /// The scales of one of several blocks, whose bytes in each port's region are given.
    #[must_use]
    pub fn scales(self, beat: Beat, ports: &[&[u8]], index: usize) -> [Scale; BLOCK_ROWS] {
        debug_assert!(self.scaled, "only blocks of weights have scales");
        std::array::from_fn(|row| {
            let (piece, at) = (4 * row / beat.bytes(), 4 * row % beat.bytes());
            let (port, byte) = (at / beat.port_bytes, at % beat.port_bytes);
            let first = index * self.bytes(beat) + piece * beat.port_bytes + byte;
            let bytes = &ports[port][first..first + 4];
            Scale::from_word(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
        })
    }

    /// The codes of one of several blocks that one port carries: runs of 16 transfers, one a row.
    #[must_use]
    pub fn codes(self, beat: Beat, port: &[u8], index: usize) -> &[u8] {
        let block = &port[index * self.bytes(beat)..(index + 1) * self.bytes(beat)];
        &block[self.scale_beats(beat) * beat.port_bytes..]
    }
}

fn scale_bytes(scales: &[Scale; BLOCK_ROWS]) -> [u8; WORD_BYTES] {
    let mut bytes = [0; WORD_BYTES];
    for (word, scale) in bytes.chunks_exact_mut(4).zip(scales) {
        word.copy_from_slice(&scale.to_word().to_le_bytes());
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
            let block = Block::weights(WeightFormat::Int8, groups);
            let mut ports = vec![vec![0; block.bytes(beat)]; beat.ports];
            let mut slices: Vec<&mut [u8]> = ports.iter_mut().map(Vec::as_mut_slice).collect();
            block.pack(beat, &codes, &scales, &mut slices);
            let slices: Vec<&[u8]> = ports.iter().map(Vec::as_slice).collect();
            assert_eq!(block.scales(beat, &slices, 0), scales);
            assert_eq!(block.codes(beat, slices[0], 0)[0], codes[0].cast_unsigned());

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
