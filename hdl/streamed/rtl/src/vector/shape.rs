//! What the overlay decides about the unit: how many lanes, and how many registers a word passes.

use sagen_blocks::Depth;
use sagen_lang::{Type, unsigned};
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::LANES;

/// Size and depth of the unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Elements that go through the lanes in one cycle: a part of a word.
    pub(super) lanes: usize,
    /// Registers of a word.
    pub(super) depth: Depth,
}

/// Stages behind the selection of operands, by their place: 0 multiplies.
pub(super) struct Steps {
    pub(super) add: usize,
    pub(super) shift: usize,
    pub(super) round: usize,
    pub(super) output: usize,
    pub(super) names: &'static [&'static str],
}

/// Stage in which a word of port a arrives, and the first that can select operands.
pub(super) const SELECT: usize = 2;
/// `Rope` waits for the second word of a pair.
pub(super) const ROPE_SELECT: usize = 3;

impl Shape {
    pub(super) fn new(overlay: &StreamedConfig) -> Self {
        let depth = if overlay.deep_pipeline() { Depth::Deep } else { Depth::Short };
        Self { lanes: overlay.vector_lanes(), depth }
    }

    /// Parts of a word.
    pub(super) fn parts(self) -> usize {
        LANES / self.lanes
    }

    /// Bits of a part's number; none where a word is one part.
    pub(super) fn part_bits(self) -> u32 {
        self.parts().ilog2()
    }

    /// Its type; none where a word is one part.
    pub(super) fn part(self) -> Option<Type> {
        (self.parts() > 1).then(|| unsigned(self.part_bits()))
    }

    /// Name of a module that depends on the lanes alone.
    pub(super) fn by_lanes(self, base: &str) -> String {
        match self.lanes {
            LANES => base.to_string(),
            lanes => format!("{base}_l{lanes}"),
        }
    }

    /// Name of a module that depends on the depth alone.
    pub(super) fn by_depth(self, base: &str) -> String {
        self.depth.name(base)
    }

    /// Name of a module that depends on both.
    pub(super) fn by_both(self, base: &str) -> String {
        self.by_depth(&self.by_lanes(base))
    }

    /// Stage in which the second multiplier takes the gate's factor.
    pub(super) fn gate_select(self) -> usize {
        SELECT + if self.depth.is_deep() { 4 } else { 2 }
    }

    /// Cycles from operands to product.
    pub(super) fn multiply(self) -> usize {
        if self.depth.is_deep() { 2 } else { 1 }
    }

    /// `Glu` waits for the gated value.
    pub(super) fn glu_select(self) -> usize {
        self.gate_select() + self.multiply() + 1
    }

    pub(super) fn steps(self) -> Steps {
        if self.depth.is_deep() {
            let names = &["product", "combine", "add", "shift", "round", "saturate", "write"];
            Steps { add: 2, shift: 3, round: 4, output: 5, names }
        } else {
            Steps { add: 1, shift: 1, round: 2, output: 2, names: &["product", "sum", "round", "write"] }
        }
    }
}
