//! Store: runs of port-wide pieces from the scratchpad to DDR, in nested loops.

use super::Machine;
use super::fault::{Fault, aligned, within};
use sagen_streamed_arch::hazard::runs;
use sagen_streamed_isa::WORD_BYTES;

impl Machine {
    pub(super) fn store(&mut self, o: &sagen_streamed_isa::Store) -> Result<(), Fault> {
        within("beats", o.beats, 1, u64::MAX)?;
        within("inner_count", o.inner.count, 1, u64::MAX)?;
        within("middle_count", o.middle.count, 1, u64::MAX)?;
        within("outer_count", o.outer.count, 1, u64::MAX)?;
        let first = self.value(o.register_1) * o.register_1_stride;
        let base = o.base + first + self.value(o.register_2) * o.register_2_stride;
        for (ddr, scratch) in runs(o) {
            self.store_run(o, base + ddr, o.from + scratch)?;
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
            let first = from + i as u64 * o.from_stride;
            aligned("from + strides", first, piece)?;
            let end = first + piece;
            if end > size {
                let words = WORD_BYTES as u64;
                let (first, end, size) = (first / words, end.div_ceil(words), size / words);
                return Err(Fault::Space { field: "from + strides", space: "scratchpad words", first, end, size });
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
