//! A counter over a power of two of states that vanishes where there is only one state.

use sagen_lang::{Module, Reg, Signal, high, unsigned};

/// Counts 0 .. length and wraps.
#[derive(Clone, Copy)]
pub(super) struct Cycle {
    reg: Option<Reg>,
    length: u32,
}

impl Cycle {
    /// Starts at 0 after reset.
    pub(super) fn new(m: &Module, name: &str, length: u32) -> Self {
        assert!(length.is_power_of_two(), "{name} has {length} states, not a power of two");
        let reg = (length > 1).then(|| m.reg(name, unsigned(length.ilog2())).reset(0));
        Self { reg, length }
    }
    /// The state, if there is more than one.
    pub(super) fn index(self) -> Option<Signal> {
        self.reg.map(Reg::q)
    }
    /// High in state 0.
    pub(super) fn first(self) -> Signal {
        self.reg.map_or_else(high, |r| r.is_zero())
    }
    /// High in the last state.
    pub(super) fn last(self) -> Signal {
        self.reg.map_or_else(high, |r| r.eq_lit(self.length - 1))
    }
    /// Goes to the next state at the clock edge, under the enclosing conditions.
    pub(super) fn advance(self, m: &Module) {
        if let Some(reg) = self.reg {
            m.set(reg, reg.add_lit(1));
        }
    }
}

/// Steps nested cycles, innermost first, while `step` is high.
pub(super) fn advance(m: &Module, step: Signal, cycles: &[Cycle]) {
    let Some((inner, outer)) = cycles.split_first() else { return };
    m.when(step, || inner.advance(m));
    advance(m, step & inner.last(), outer);
}

/// Bits of several indices in one number, most significant first; `None` where all vanish.
pub(super) fn join(indices: &[Option<Signal>]) -> Option<Signal> {
    let present: Vec<Signal> = indices.iter().flatten().copied().collect();
    (!present.is_empty()).then(|| sagen_lang::cat(&present))
}

/// The item at `index`, or the only one.
pub(super) fn pick(index: Option<Signal>, items: &[Signal]) -> Signal {
    index.map_or_else(|| items[0], |i| i.select(items))
}
