//! Matmul: the same product as Matvec for up to 16 rows. The systolic array gives the same bits.

use super::Machine;
use super::fault::{Fault, within};
use super::matvec::Linear;
use sagen_streamed_isa::CHUNK_ROWS;

impl Machine {
    pub(super) fn matmul(&mut self, o: &sagen_streamed_isa::Matmul) -> Result<(), Fault> {
        within("rows", o.rows, 1, CHUNK_ROWS as u64)?;
        let linear = Linear {
            codes: self.code_rows("codes", o.codes, o.rows, o.groups)?,
            scales: self.scale_rows("scales", o.scales, o.rows, 1)?,
            block: o.into(),
            blocks: o.blocks as usize,
            shift: o.shift as i32,
        };
        let to = self.scratch_rows("to", o.to, o.rows, o.blocks)?.distinct("to_stride")?;
        let results = self.linear(&linear)?;
        self.write_results(to, &results);
        Ok(())
    }
}
