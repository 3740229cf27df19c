//! Random loads and stores.

use super::map::{KV_BYTES, WORD_REGION_BYTES};
use super::{Action, Maker};
use sagen_streamed_isa::{Load, Loop, Store, WORD_BYTES, register};

const WORD: u64 = WORD_BYTES as u64;

impl Maker {
    /// Runs of words, contiguous, strided or gathered by registers.
    pub(super) fn load(&mut self) -> Action {
        let rows = self.draw.pick(&[1, 1, 2, 3, 4]);
        let row_words = self.draw.within(1..=6) as u64;
        let gather = self.draw.one_in(3);
        let register = match gather {
            true => register::TOKEN.after(self.draw.within(0..=12) as usize).expect("rows have registers behind it"),
            false => self.draw.pick(&[register::ZERO, register::KV_LENGTH, register::KV_BLOCKS]),
        };
        let register_stride = WORD * self.draw.below(5);
        let ddr_stride = if gather { 0 } else { WORD * (row_words + self.draw.below(3)) };
        let base = self.draw.pick(&[self.map.parameters, self.map.tables, self.map.output, self.map.output]);
        let reach = (rows - 1) * ddr_stride + row_words * WORD + super::bound(register) * register_stride;
        let start = WORD * self.draw.below((WORD_REGION_BYTES - reach) / WORD + 1);
        let to = self.scratch.rows(&mut self.draw, rows, row_words);
        let load = Load { base: base + start, register, register_stride, gather, rows, row_words, ddr_stride, to };
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
        let from_stride = piece * self.draw.pick(&[1, 1, 1, 2, WORD / piece]);
        let loops @ [inner, middle, outer] = self.loops(piece, beats * piece);
        let register_1 = self.draw.pick(&[register::ZERO, register::KV_LENGTH, register::POSITION_BLOCK]);
        let register_2 = self.draw.pick(&[register::ZERO, register::POSITION_IN_BLOCK]);
        let (register_1_stride, register_2_stride) = (piece * self.draw.below(20), piece * self.draw.below(3));
        let steps = |stride: fn(&Loop) -> u64| loops.iter().map(|l| (l.count - 1) * stride(l)).sum::<u64>();
        let reach = steps(|l| l.ddr_stride)
            + beats * piece
            + super::bound(register_1) * register_1_stride
            + super::bound(register_2) * register_2_stride;
        let v_reach = steps(|l| l.scratch_stride) + (beats - 1) * from_stride + piece;
        let spare = (self.scratch.entries * WORD).checked_sub(v_reach)?;
        let ddr_spare = bytes.checked_sub(reach)?;
        Some(Store {
            base: base + piece * self.draw.below(ddr_spare / piece + 1),
            register_1,
            register_1_stride,
            register_2,
            register_2_stride,
            from: self.scratch.base * WORD + piece * self.draw.below(spare / piece + 1),
            beats,
            from_stride,
            inner,
            middle,
            outer,
        })
    }

    /// Runs do not overlap in DDR: bursts of one descriptor may complete in any order.
    fn loops(&mut self, piece: u64, run: u64) -> [Loop; 3] {
        let mut inner = run;
        [(); 3].map(|()| {
            let count = self.draw.pick(&[1, 1, 2, 3]);
            let ddr_stride = inner + piece * self.draw.below(4);
            let scratch_stride = piece * self.draw.below(1 + 3 * WORD / piece);
            inner += (count - 1) * ddr_stride;
            Loop { count, ddr_stride, scratch_stride }
        })
    }
}
