//! Random loads and stores.

use super::map::{KV_BYTES, WORD_REGION_BYTES};
use super::{Action, Maker};
use sagen_streamed_isa::{Load, Store, WORD_BYTES};

const WORD: u64 = WORD_BYTES as u64;

/// Loops of a store: counts, and how far the whole reaches beyond its start.
struct Loops {
    counts: [u64; 3],
    ddr: [u64; 3],
    v: [u64; 3],
}

impl Maker {
    /// Runs of words, contiguous, strided or gathered by registers.
    pub(super) fn load(&mut self) -> Action {
        let rows = self.draw.pick(&[1, 1, 2, 3, 4]);
        let row_words = self.draw.within(1..=6) as u64;
        let gather = self.draw.one_in(3);
        let reg = if gather { self.draw.within(16..=28) as u64 } else { self.draw.pick(&[0, 2, 3]) };
        let reg_stride = WORD * self.draw.below(5);
        let ddr_stride = if gather { 0 } else { WORD * (row_words + self.draw.below(3)) };
        let base = self.draw.pick(&[self.map.parameters, self.map.tables, self.map.output, self.map.output]);
        let reach = (rows - 1) * ddr_stride + row_words * WORD + super::bounds()[reg as usize] * reg_stride;
        let start = WORD * self.draw.below((WORD_REGION_BYTES - reach) / WORD + 1);
        let v = self.scratch.rows(&mut self.draw, rows, row_words);
        let load = Load {
            base: base + start,
            reg,
            reg_stride,
            reg_step: u64::from(gather),
            rows,
            row_words,
            ddr_stride,
            v: v.base,
            v_stride: v.stride,
        };
        vec![load.into()]
    }

    /// Nested runs of pieces into the output region or the first port's keys and values.
    pub(super) fn store(&mut self) -> Action {
        let (base, bytes) = match self.draw.one_in(2) {
            true => (self.map.output, WORD_REGION_BYTES),
            false => {
                let port = self.draw.below(self.overlay.stream_ports() as u64);
                (self.map.kv + port * self.map.kv_stride, KV_BYTES)
            }
        };
        vec![self.store_into(base, bytes).into()]
    }

    /// A store somewhere in a part of DDR.
    pub(super) fn store_into(&mut self, base: u64, bytes: u64) -> Store {
        loop {
            if let Some(store) = self.try_store(base, bytes) {
                return store;
            }
        }
    }

    /// Nothing where the loops drawn reach further than there is room.
    fn try_store(&mut self, base: u64, bytes: u64) -> Option<Store> {
        let piece = self.overlay.port_bytes() as u64;
        let beats = self.draw.pick(&[1, 1, 2, 4, 5, 16]);
        let v_beat_stride = piece * self.draw.pick(&[1, 1, 1, 2, WORD / piece]);
        let l = self.loops(piece, beats * piece);
        let (reg_a, reg_b) = (self.draw.pick(&[0, 2, 4]), self.draw.pick(&[0, 5]));
        let (reg_a_stride, reg_b_stride) = (piece * self.draw.below(20), piece * self.draw.below(3));
        let steps = |strides: [u64; 3]| (0..3).map(|i| (l.counts[i] - 1) * strides[i]).sum::<u64>();
        let bounds = super::bounds();
        let reach = steps(l.ddr)
            + beats * piece
            + bounds[reg_a as usize] * reg_a_stride
            + bounds[reg_b as usize] * reg_b_stride;
        let v_reach = steps(l.v) + (beats - 1) * v_beat_stride + piece;
        let spare = (self.scratch.entries * WORD).checked_sub(v_reach)?;
        let ddr_spare = bytes.checked_sub(reach)?;
        Some(Store {
            base: base + piece * self.draw.below(ddr_spare / piece + 1),
            reg_a,
            reg_a_stride,
            reg_b,
            reg_b_stride,
            v: self.scratch.base * WORD + piece * self.draw.below(spare / piece + 1),
            beats,
            v_beat_stride,
            count1: l.counts[0],
            ddr1: l.ddr[0],
            v1: l.v[0],
            count2: l.counts[1],
            ddr2: l.ddr[1],
            v2: l.v[1],
            count3: l.counts[2],
            ddr3: l.ddr[2],
            v3: l.v[2],
        })
    }

    /// Runs do not overlap in DDR: bursts of one descriptor may complete in any order.
    fn loops(&mut self, piece: u64, run: u64) -> Loops {
        let mut l = Loops { counts: [1; 3], ddr: [0; 3], v: [0; 3] };
        let mut inner = run;
        for i in 0..3 {
            l.counts[i] = self.draw.pick(&[1, 1, 2, 3]);
            l.ddr[i] = inner + piece * self.draw.below(4);
            l.v[i] = piece * self.draw.below(1 + 3 * WORD / piece);
            inner += (l.counts[i] - 1) * l.ddr[i];
        }
        l
    }
}
