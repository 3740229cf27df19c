//! Matmul: the same product as Matvec for up to 16 rows. The systolic array gives the same bits.

use super::Machine;
use super::fault::{Fault, within};
use super::matvec::Linear;
use sagen_streamed_isa::CHUNK_ROWS;

impl Machine {
    pub(super) fn matmul(&mut self, o: &sagen_streamed_isa::Matmul) -> Result<(), Fault> {
        within("rows", o.rows, 1, CHUNK_ROWS as u64)?;
        let linear = Linear {
            x: self.code_rows("x", o.x, o.x_stride, o.rows, o.groups)?,
            scale: self.scale_rows("scale", o.scale, o.scale_stride, o.rows, 1)?,
            groups: o.groups as usize,
            blocks: o.blocks as usize,
            shift: o.shift as i32,
        };
        let y = self.scratch_rows("y", o.y, o.y_stride, o.rows, o.blocks)?.distinct("y_stride")?;
        let results = self.linear(&linear)?;
        self.write_results(y, &results);
        Ok(())
    }
}
