//! What the compute unit does: products of resident codes and streamed blocks, and the softmax over streamed values.

use super::Machine;
use super::fault::Fault;
use sagen_streamed_arch::layout::Block;
use sagen_streamed_isa::ComputeOperation;

impl Machine {
    pub(super) fn compute(&mut self, operation: ComputeOperation) -> Result<(), Fault> {
        match operation {
            ComputeOperation::Matvec(o) => self.matvec(&o),
            ComputeOperation::Score(o) => self.score(&o),
            ComputeOperation::WeightedSum(o) => self.weighted_sum(&o),
            ComputeOperation::Matmul(o) => self.matmul(&o),
        }
    }

    /// Beats that an operation takes from the stream, given the registers.
    pub(super) fn beats_of(&self, operation: ComputeOperation) -> u64 {
        let beats = |block: Block, blocks: u64| blocks * block.beats(self.overlay.beat()) as u64;
        match operation {
            ComputeOperation::Matvec(o) => beats(Block::from(&o), o.blocks),
            ComputeOperation::Matmul(o) => beats(Block::from(&o), o.blocks),
            ComputeOperation::Score(o) => beats(Block::from(&o), o.blocks + self.value(o.register)),
            ComputeOperation::WeightedSum(o) => o.keys + self.value(o.register),
        }
    }
}
