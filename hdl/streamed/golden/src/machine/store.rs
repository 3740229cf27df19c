//! Store: runs of port-wide pieces from the scratchpad to DDR, in nested loops.

use super::Machine;
use super::fault::{Fault, aligned, within};
use sagen_streamed_arch::hazard::loops;
use sagen_streamed_isa::WORD_BYTES;

impl Machine {
    pub(super) fn store(&mut self, o: &sagen_streamed_isa::Store) -> Result<(), Fault> {
        within("beats", o.beats, 1, u64::MAX)?;
        within("count1", o.count1, 1, u64::MAX)?;
        within("count2", o.count2, 1, u64::MAX)?;
        within("count3", o.count3, 1, u64::MAX)?;
        let base = o.base + self.value(o.reg_a) * o.reg_a_stride + self.value(o.reg_b) * o.reg_b_stride;
        for (i3, i2, i1) in loops(o) {
            let to = base + i3 * o.ddr3 + i2 * o.ddr2 + i1 * o.ddr1;
            let from = o.v + i3 * o.v3 + i2 * o.v2 + i1 * o.v1;
            self.store_run(o, to, from)?;
        }
        Ok(())
    }

    fn store_run(&mut self, o: &sagen_streamed_isa::Store, to: u64, from: u64) -> Result<(), Fault> {
        let piece = self.overlay.port_bytes() as u64;
        let bytes = o.beats * piece;
        aligned("base + strides", to, piece)?;
        self.queue.keep(&self.ddr, to..to + bytes)?;
        let run = self.ddr.write(to, bytes)?;
        let size = (self.scratch.len() * 4) as u64;
        for (i, piece_bytes) in run.chunks_exact_mut(piece as usize).enumerate() {
            let first = from + i as u64 * o.v_beat_stride;
            aligned("v + strides", first, piece)?;
            let end = first + piece;
            if end > size {
                let words = WORD_BYTES as u64;
                let (first, end, size) = (first / words, end.div_ceil(words), size / words);
                return Err(Fault::Space { field: "v + strides", space: "scratchpad words", first, end, size });
            }
            let lanes = &self.scratch[first as usize / 4..end as usize / 4];
            for (bytes, lane) in piece_bytes.as_chunks_mut::<4>().0.iter_mut().zip(lanes) {
                *bytes = lane.to_le_bytes();
            }
        }
        self.touched.ddr(to, bytes);
        Ok(())
    }
}
