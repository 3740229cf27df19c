//! State machines with named states: a reset register and one named constant per state.

use crate::builder;
use crate::condition::Switch;
use crate::errors::Problem;
use crate::module::Module;
use crate::node::{FsmDef, NodeId, Op};
use crate::register::{self, Reg};
use crate::signal::{Signal, build};
use crate::types::{Type, bit, unsigned};
use std::panic::Location;

/// A state register; reset puts it in the first state.
#[derive(Clone, Debug)]
pub struct Fsm {
    reg: Reg,
    index: u32,
    name: String,
    states: Vec<String>,
}

/// A selection by state whose cases may follow.
pub struct StateSwitch<'a> {
    fsm: &'a Fsm,
    switch: Switch,
}

impl Module {
    /// A state machine with these states, in the first one after reset.
    ///
    /// The Verilog names a state by a localparam: state `idle` of machine `state` is `STATE_IDLE`.
    #[track_caller]
    pub fn fsm(&self, name: &str, states: &[&str]) -> Fsm {
        let line = Location::caller();
        let width = (states.len().max(2) - 1).ilog2() + 1;
        builder::of(self.serial, |b| {
            if states.is_empty() {
                b.fail(line, Problem::Empty { what: "state machine" });
            }
            let reg = register::declare(b, line, name, unsigned(width));
            let constants: Vec<String> = states.iter().map(|s| format!("{name}_{s}").to_uppercase()).collect();
            constants.iter().for_each(|c| b.take_name(line, c, "a state"));
            let index = b.def.fsms.len() as u32;
            let states: Vec<String> = states.iter().map(|s| s.to_string()).collect();
            b.def.fsms.push(FsmDef { states: states.clone(), constants });
            let first = b.node(Op::State { fsm: index, index: 0 }, unsigned(width));
            b.def.regs[reg.index as usize].reset = Some(first);
            b.def.resettable = true;
            Fsm { reg, index, name: name.into(), states }
        })
    }

    /// Enters a state at the clock edge, under the enclosing conditions.
    #[track_caller]
    pub fn set_state(&self, fsm: &Fsm, state: &str) {
        self.set(fsm.reg, fsm.value(state));
    }

    /// Starts a selection by the present state.
    #[track_caller]
    pub fn switch_state<'a>(&self, fsm: &'a Fsm) -> StateSwitch<'a> {
        StateSwitch { fsm, switch: self.switch(fsm.reg) }
    }
}

impl Fsm {
    /// 1 while in this state.
    #[track_caller]
    pub fn is(&self, state: &str) -> Signal {
        self.reg.q().eq(self.value(state))
    }

    /// The constant that stands for a state, to be used with `mux` and [`Module::set`].
    #[track_caller]
    pub fn value(&self, state: &str) -> Signal {
        let line = Location::caller();
        let ty = self.ty();
        build(|b| {
            let Some(index) = self.states.iter().position(|s| s == state) else {
                let known = self.states.join(", ");
                let problem = Problem::UnknownState { fsm: self.name.clone(), state: state.into(), known };
                return b.poison(line, problem, ty);
            };
            b.node(Op::State { fsm: self.index, index: index as u32 }, ty)
        })
    }

    /// The state register.
    pub fn reg(&self) -> Reg {
        self.reg
    }

    /// The state as a number: the position in the list of states.
    pub fn q(&self) -> Signal {
        self.reg.q()
    }

    fn ty(&self) -> Type {
        let width = (self.states.len().max(2) - 1).ilog2() + 1;
        Type { width, ..bit() }
    }
}

impl StateSwitch<'_> {
    /// Takes effect while in this state.
    #[track_caller]
    pub fn case(self, state: &str, then: impl FnOnce()) -> Self {
        let line = Location::caller();
        let label: NodeId = self.fsm.value(state).node;
        StateSwitch { switch: self.switch.arm(line, label, then), ..self }
    }

    /// Takes effect in every other state.
    pub fn otherwise(self, then: impl FnOnce()) {
        self.switch.otherwise(then);
    }
}
