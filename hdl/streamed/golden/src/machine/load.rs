//! Load: runs of words from DDR to the scratchpad.

use super::Machine;
use super::fault::{Fault, aligned, within};
use sagen_streamed_isa::{LANES, REGISTERS, WORD_BYTES};

impl Machine {
    pub(super) fn load(&mut self, o: &sagen_streamed_isa::Load) -> Result<(), Fault> {
        within("rows", o.rows, 1, u64::MAX)?;
        within("row_words", o.row_words, 1, u64::MAX)?;
        if o.reg_step == 1 {
            within("reg + rows - 1", o.reg + o.rows - 1, 0, REGISTERS as u64 - 1)?;
        }
        let v = self.scratch_rows("v", o.v, o.v_stride, o.rows, o.row_words)?.distinct("v_stride")?;
        let bytes = o.row_words * WORD_BYTES as u64;
        for row in 0..o.rows {
            let register = self.value(o.reg + row * o.reg_step);
            let address = o.base + row * o.ddr_stride + register * o.reg_stride;
            aligned("base + strides", address, WORD_BYTES as u64)?;
            let source = self.ddr.read(address, bytes)?;
            let lanes = &mut self.scratch[v.start(row as usize) * LANES..];
            for (lane, bytes) in lanes.iter_mut().zip(source.as_chunks::<4>().0) {
                *lane = i32::from_le_bytes(*bytes);
            }
        }
        self.touched.scratch(v);
        Ok(())
    }
}
