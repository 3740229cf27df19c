//! Random attention: K stream, scores, V streams, weighted sums; some counts and addresses by registers.

use super::map::KV_BYTES;
use super::{Action, Maker};
use sagen_streamed_arch::layout::Block;
use sagen_streamed_isa::{LANES, Register, Score, Stream, WeightedSum, register};

impl Maker {
    /// Scores of one K region and one or two slabs of V.
    pub(super) fn attention(&mut self) -> Action {
        let (vectors, groups) = (self.draw.within(1..=4) as u64, self.draw.within(1..=2) as u64);
        let registers = [register::ZERO, register::KV_LENGTH, register::KV_BLOCKS];
        let (register, constant) = (self.draw.pick(&registers), self.draw.within(1..=3) as u64);
        let blocks = constant + self.register(register);
        let block_beats = Block::keys(groups as usize).beats(self.overlay.beat()) as u64;
        let most = constant + super::bound(register);
        let mut action = vec![self.kv_stream(constant * block_beats, register, block_beats, most * block_beats).into()];
        let beats = blocks * block_beats;
        if beats <= self.overlay.prefetch_beats() as u64 / 2 && self.draw.one_in(2) {
            // The stream holds the old bytes: the store waits for it, not for its consumer.
            let port = self.draw.below(self.overlay.stream_ports() as u64);
            let keys = self.map.kv + port * self.map.kv_stride;
            action.push(self.store_into(keys, KV_BYTES).into());
        }
        let score = self.score(vectors, groups, constant, register);
        action.push(score.into());
        for _ in 0..self.draw.within(1..=2) {
            action.extend(self.slab(&score, 16 * blocks));
        }
        action
    }

    fn score(&mut self, vectors: u64, groups: u64, blocks: u64, register: Register) -> Score {
        let codes = self.codes.read_rows(&mut self.draw, vectors, groups);
        let scales = self.scales.read_rows(&mut self.draw, vectors, 1);
        let exponent = i64::from(self.machine.scale(scales.base as usize).exponent);
        // Keeps about 12 to 18 bits: differences of scores from far below one to beyond the table.
        let kept = self.draw.within(12..=18);
        Score {
            codes,
            vectors,
            groups,
            blocks,
            register,
            scales,
            shift: (33 - kept + exponent).clamp(-128, 127),
            limit_register: register::POSITION,
            row: std::array::from_fn(|_| self.draw.below(16)),
        }
    }

    /// V stream and weighted sum over at least every key that some vector sees.
    fn slab(&mut self, score: &Score, scored: u64) -> Action {
        let last = self.register(score.limit_register) + score.row.into_iter().max().expect("four rows");
        let least = (last + 1).min(scored);
        let keys = self.draw.pick(&[least, scored]);
        let drawn = self.draw.pick(&[register::ZERO, register::POSITION_BLOCK, register::POSITION_IN_BLOCK]);
        let added = self.register(drawn);
        let (register, constant) = if added < keys { (drawn, keys - added) } else { (register::ZERO, keys) };
        let most = constant + super::bound(register);
        let beat = self.overlay.beat_bytes() as u64;
        let y = self.scratch.rows(&mut self.draw, score.vectors, beat.div_ceil(LANES as u64));
        let v_scale = self.draw.scale(-30..=-10);
        let sum = WeightedSum {
            vectors: score.vectors,
            keys: constant,
            register,
            limit_register: score.limit_register,
            row: score.row,
            to: y.base,
            to_lane: beat * self.draw.below((LANES as u64 / beat).max(1)),
            to_stride: y.stride,
            value_mantissa: u64::from(v_scale.mantissa),
            value_exponent: i64::from(v_scale.exponent),
            shift: 21 + i64::from(v_scale.exponent) - self.draw.pick(&[2, 6, 12, 20, 30]),
        };
        vec![self.kv_stream(constant, register, 1, most).into(), sum.into()]
    }

    /// A stream of K or V bytes: any bytes are legal.
    fn kv_stream(&mut self, beats: u64, register: Register, register_beats: u64, most: u64) -> Stream {
        let port_bytes = self.overlay.port_bytes() as u64;
        let first = self.draw.below(KV_BYTES / port_bytes - most + 1);
        Stream {
            base: self.map.kv + first * port_bytes,
            port_stride: self.map.kv_stride,
            beats,
            register,
            register_beats: if register == register::ZERO { 0 } else { register_beats },
        }
    }
}
