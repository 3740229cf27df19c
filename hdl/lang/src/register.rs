//! Registers: clocked by the module's clock, reset and initialised only if asked, assigned by `set` or built as delays.

use crate::builder::{self, Builder, Line};
use crate::errors::Problem;
use crate::module::Module;
use crate::node::{Op, RegDef, RegDrive, Statement};
use crate::signal::Signal;
use crate::types::{Type, Value};
use std::panic::Location;

/// A register. Usable wherever a signal is; its value is the one before the clock edge.
#[derive(Clone, Copy, Debug)]
pub struct Reg {
    pub(crate) q: Signal,
    pub(crate) index: u32,
}

impl Reg {
    /// Makes it a control register: synchronous reset to `value`, which wins over any assignment.
    #[track_caller]
    #[must_use]
    pub fn reset(self, value: impl Value) -> Reg {
        let line = Location::caller();
        builder::of(self.q.serial, |b| {
            let ty = b.ty(self.q.node);
            let value = b.literal(line, ty, value);
            let reg = &mut b.def.regs[self.index as usize];
            if reg.reset.replace(value).is_some() {
                let name = reg.name.clone();
                b.fail(line, Problem::Twice { kind: "register", name, verb: "reset" });
            }
            b.def.clocked = true;
            b.def.resettable = true;
        });
        self
    }

    /// Gives it a value at power-up, which a reset does not change: for state that must outlive a reset.
    #[track_caller]
    #[must_use]
    pub fn initial(self, value: impl Value) -> Reg {
        let line = Location::caller();
        builder::of(self.q.serial, |b| {
            let ty = b.ty(self.q.node);
            let value = b.literal(line, ty, value);
            let reg = &mut b.def.regs[self.index as usize];
            if reg.initial.replace(value).is_some() {
                let name = reg.name.clone();
                b.fail(line, Problem::Twice { kind: "register", name, verb: "initialised" });
            }
        });
        self
    }

    /// Asks the synthesiser to compute its value in a DSP block.
    #[must_use]
    pub fn use_dsp(self) -> Reg {
        builder::of(self.q.serial, |b| b.def.regs[self.index as usize].use_dsp = true);
        self
    }
}

/// Declares a register that still needs a value.
pub(crate) fn declare(b: &mut Builder, line: Line, name: &str, ty: Type) -> Reg {
    b.take_name(line, name, "a register");
    b.width_ok(line, &format!("register `{name}`"), ty.width.into());
    b.def.clocked = true;
    let index = b.def.regs.len() as u32;
    let node = b.fresh(Op::Reg(index), Type { width: ty.width.max(1), ..ty });
    b.def.nodes[node as usize].name = Some(name.into());
    b.def.regs.push(RegDef {
        name: name.into(),
        ty,
        node,
        reset: None,
        initial: None,
        use_dsp: false,
        drive: RegDrive::None,
    });
    Reg { q: b.signal(node), index }
}

impl Module {
    /// A register named `name`, to be assigned by [`Module::set`].
    #[track_caller]
    pub fn reg(&self, name: &str, ty: Type) -> Reg {
        let line = Location::caller();
        builder::of(self.serial, |b| declare(b, line, name, ty))
    }

    /// Assigns a register at the clock edge, under the enclosing conditions. The last assignment wins.
    #[track_caller]
    pub fn set(&self, reg: Reg, value: impl Into<Signal>) {
        let (line, value) = (Location::caller(), value.into());
        builder::of(self.serial, |b| {
            if b.resolve(line, reg.q) != reg.q.node {
                return;
            }
            let value = b.resolve(line, value);
            let RegDef { name, ty, drive, .. } = &b.def.regs[reg.index as usize];
            let (name, ty) = (name.clone(), *ty);
            if matches!(drive, RegDrive::Delay { .. }) {
                return b.fail(line, Problem::Twice { kind: "register", name, verb: "driven" });
            }
            if b.expect_type(line, value, &format!("the value of register `{name}`"), ty) {
                b.def.regs[reg.index as usize].drive = RegDrive::Statements;
                b.push(Statement::Set { reg: reg.index, value });
            }
        });
    }

    /// The value of `signal` one cycle ago.
    #[track_caller]
    pub fn reg_next(&self, name: &str, signal: impl Into<Signal>) -> Reg {
        self.delayed(Location::caller(), name, None, signal.into())
    }

    /// The value `signal` had when `enable` was last 1 at a clock edge.
    #[track_caller]
    pub fn reg_en(&self, name: &str, enable: impl Into<Signal>, signal: impl Into<Signal>) -> Reg {
        self.delayed(Location::caller(), name, Some(enable.into()), signal.into())
    }

    /// A pipeline of `n` stages, named `name1` ... `nameN`; no stage at all returns `signal`.
    #[track_caller]
    pub fn delay(&self, name: &str, signal: impl Into<Signal>, n: u32) -> Signal {
        let line = Location::caller();
        (1..=n).fold(signal.into(), |s, i| self.delayed(line, &format!("{name}{i}"), None, s).q())
    }

    /// A pipeline of `n` stages that all advance when `enable` is 1.
    #[track_caller]
    pub fn delay_en(&self, name: &str, enable: impl Into<Signal>, signal: impl Into<Signal>, n: u32) -> Signal {
        let (line, enable) = (Location::caller(), enable.into());
        (1..=n).fold(signal.into(), |s, i| self.delayed(line, &format!("{name}{i}"), Some(enable), s).q())
    }

    fn delayed(&self, line: Line, name: &str, enable: Option<Signal>, signal: Signal) -> Reg {
        builder::of(self.serial, |b| {
            b.expect_unconditional(line, "a delay register");
            let value = b.resolve(line, signal);
            let enable = enable.map(|e| b.resolve(line, e));
            let reg = declare(b, line, name, b.ty(value));
            if enable.is_none_or(|e| b.expect_bit(line, e, &format!("the enable of register `{name}`"))) {
                b.def.regs[reg.index as usize].drive = RegDrive::Delay { enable, value };
            }
            reg
        })
    }
}
