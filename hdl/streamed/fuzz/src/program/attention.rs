//! Random attention: K stream, scores, V streams, weighted sums; some counts and addresses by registers.

use super::map::KV_BYTES;
use super::{Action, Maker};
use sagen_streamed_isa::{LANES, Score, Stream, WeightedSum};

impl Maker {
    /// Scores of one K region and one or two slabs of V.
    pub(super) fn attention(&mut self) -> Action {
        let (vectors, groups) = (self.draw.within(1..=4) as u64, self.draw.within(1..=2) as u64);
        let (reg, constant) = (self.draw.pick(&[0, 2, 3]), self.draw.within(1..=3) as u64);
        let blocks = constant + self.register(reg);
        let block_beats = groups * 16 * self.overlay.group_beats() as u64;
        let most = constant + super::bounds()[reg as usize];
        let mut action = vec![self.kv_stream(constant * block_beats, reg, block_beats, most * block_beats).into()];
        let beats = blocks * block_beats;
        if beats <= self.overlay.prefetch_beats() as u64 / 2 && self.draw.one_in(2) {
            // The stream holds the old bytes: the store waits for it, not for its consumer.
            let port = self.draw.below(self.overlay.stream_ports() as u64);
            let keys = self.map.kv + port * self.map.kv_stride;
            action.push(self.store_into(keys, KV_BYTES).into());
        }
        let score = self.score(vectors, groups, constant, reg);
        action.push(score.into());
        for _ in 0..self.draw.within(1..=2) {
            action.extend(self.slab(&score, 16 * blocks));
        }
        action
    }

    fn score(&mut self, vectors: u64, groups: u64, blocks: u64, reg: u64) -> Score {
        let x = self.codes.read_rows(&mut self.draw, vectors, groups);
        let scale = self.scales.read_rows(&mut self.draw, vectors, 1);
        let exponent = i64::from(self.machine.scale(scale.base as usize).exponent);
        // Keeps about 12 to 18 bits: differences of scores from far below one to beyond the table.
        let kept = self.draw.within(12..=18);
        let mut row = || self.draw.below(16);
        Score {
            x: x.base,
            x_stride: x.stride,
            vectors,
            groups,
            blocks,
            reg,
            scale: scale.base,
            scale_stride: scale.stride,
            shift: (33 - kept + exponent).clamp(-128, 127),
            limit_reg: 1,
            row0: row(),
            row1: row(),
            row2: row(),
            row3: row(),
        }
    }

    /// V stream and weighted sum over at least every key that some vector sees.
    fn slab(&mut self, score: &Score, scored: u64) -> Action {
        let rows = [score.row0, score.row1, score.row2, score.row3];
        let last = self.register(score.limit_reg) + rows.into_iter().max().expect("four rows");
        let least = (last + 1).min(scored);
        let keys = self.draw.pick(&[least, scored]);
        let reg = self.draw.pick(&[0, 4, 5]);
        let from_register = self.register(reg);
        let (reg, constant) = if from_register < keys { (reg, keys - from_register) } else { (0, keys) };
        let most = constant + super::bounds()[reg as usize];
        let beat = self.overlay.beat_bytes() as u64;
        let y = self.scratch.rows(&mut self.draw, score.vectors, beat.div_ceil(LANES as u64));
        let v_scale = self.draw.scale(-30..=-10);
        let sum = WeightedSum {
            vectors: score.vectors,
            keys: constant,
            reg,
            limit_reg: score.limit_reg,
            row0: score.row0,
            row1: score.row1,
            row2: score.row2,
            row3: score.row3,
            y: y.base,
            y_lane: beat * self.draw.below((LANES as u64 / beat).max(1)),
            y_stride: y.stride,
            v_mantissa: u64::from(v_scale.mantissa),
            v_exponent: i64::from(v_scale.exponent),
            shift: 21 + i64::from(v_scale.exponent) - self.draw.pick(&[2, 6, 12, 20, 30]),
        };
        vec![self.kv_stream(constant, reg, 1, most).into(), sum.into()]
    }

    /// A stream of K or V bytes: any bytes are legal.
    fn kv_stream(&mut self, beats: u64, reg: u64, reg_beats: u64, most: u64) -> Stream {
        let port_bytes = self.overlay.port_bytes() as u64;
        let first = self.draw.below(KV_BYTES / port_bytes - most + 1);
        Stream {
            base: self.map.kv + first * port_bytes,
            port_stride: self.map.kv_stride,
            beats,
            reg,
            reg_beats: if reg == 0 { 0 } else { reg_beats },
        }
    }
}
