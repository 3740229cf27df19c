//! Load: runs of words from DDR to the scratchpad.

use super::Machine;
use super::fault::{Fault, aligned, within};
use sagen_streamed_isa::{LANES, REGISTERS, WORD_BYTES};

impl Machine {
    pub(super) fn load(&mut self, o: &sagen_streamed_isa::Load) -> Result<(), Fault> {
        within("rows", o.rows, 1, u64::MAX)?;
        within("row_words", o.row_words, 1, u64::MAX)?;
        if o.gather {
            within("register + rows - 1", o.register.index() as u64 + o.rows - 1, 0, REGISTERS as u64 - 1)?;
        }
        let to = self.scratch_rows("to", o.to, o.rows, o.row_words)?.distinct("to_stride")?;
        let bytes = o.row_words * WORD_BYTES as u64;
        for row in 0..o.rows {
            let register = match o.gather {
                true => o.register.after(row as usize).expect("checked above"),
                false => o.register,
            };
            let address = o.base + row * o.ddr_stride + self.value(register) * o.register_stride;
            aligned("base + strides", address, WORD_BYTES as u64)?;
            let source = self.ddr.read(address, bytes)?;
            let lanes = &mut self.scratch[to.start(row as usize) * LANES..];
            for (lane, bytes) in lanes.iter_mut().zip(source.as_chunks::<4>().0) {
                *lane = i32::from_le_bytes(*bytes);
            }
        }
        self.touched.scratch(to);
        Ok(())
    }
}
