//! What happens at a clock edge: assignments with their conditions, memory ports, assertions.

use super::compile::Compiled;
use super::instruction::Slot;
use super::wide::Place;
use crate::limbs;
use crate::memory::MemDef;
use crate::node::{RegDrive, Statement};

/// One step of the clocked program; jumps go forward to a step number.
pub(super) enum Action {
    /// Register `to` becomes `limbs` words from `from`.
    Set {
        to: Slot,
        from: Slot,
        limbs: u32,
    },
    UnlessSet {
        condition: Slot,
        jump: usize,
    },
    UnlessEqual {
        select: Place,
        label: Place,
        jump: usize,
    },
    Jump(usize),
    /// Read register `to` becomes the word at `addr`.
    Read {
        to: Slot,
        mem: u32,
        addr: Slot,
    },
}

/// A write port of a memory.
pub(super) struct WritePort {
    pub(super) mem: u32,
    /// The enable of a read-write port.
    pub(super) port: Option<Slot>,
    pub(super) enable: Slot,
    pub(super) addr: Slot,
    pub(super) data: Place,
    /// Lane width and mask.
    pub(super) mask: Option<(u32, Place)>,
}

/// An assertion: its slot is 1 where it is violated.
pub(super) struct Check {
    pub(super) violated: Slot,
    pub(super) message: String,
}

#[derive(Default)]
pub(super) struct Clocked {
    pub(super) actions: Vec<Action>,
    pub(super) writes: Vec<WritePort>,
    pub(super) checks: Vec<Check>,
}

impl Clocked {
    pub(super) fn new(compiled: &Compiled) -> Clocked {
        let mut clocked = Clocked::default();
        for number in 0..compiled.flat.instances.len() {
            clocked.instance(compiled, number);
        }
        clocked
    }

    fn instance(&mut self, compiled: &Compiled, number: usize) {
        let instance = &compiled.flat.instances[number];
        let def = instance.def();
        let at = |node| compiled.place(instance.cell(node));
        for reg in &def.regs {
            if let RegDrive::Delay { enable, value } = reg.drive {
                let jump = enable.map(|e| self.hole(|jump| Action::UnlessSet { condition: at(e).at, jump }));
                self.set(at(reg.node), at(value));
                jump.into_iter().for_each(|hole| self.land(hole));
            }
        }
        self.statements(compiled, number, &def.body);
        let resets: Vec<(Place, Place)> = def.regs.iter().filter_map(|r| Some((at(r.node), at(r.reset?)))).collect();
        if !resets.is_empty() {
            let condition = compiled.reset_of(number);
            let hole = self.hole(|jump| Action::UnlessSet { condition, jump });
            resets.into_iter().for_each(|(reg, value)| self.set(reg, value));
            self.land(hole);
        }
        for (m, mem) in def.mems.iter().enumerate() {
            self.memory(compiled, number, m as u32, mem);
        }
        self.checks.extend(def.asserts.iter().map(|assertion| Check {
            violated: at(assertion.violated).at,
            message: instance.full_name(&format!("assertion failed: {}", assertion.message)),
        }));
    }

    fn statements(&mut self, compiled: &Compiled, number: usize, block: &[Statement]) {
        let instance = &compiled.flat.instances[number];
        let at = |node| compiled.place(instance.cell(node));
        for statement in block {
            let (arms, otherwise, select) = match statement {
                Statement::Set { reg, value } => {
                    self.set(at(instance.def().regs[*reg as usize].node), at(*value));
                    continue;
                }
                Statement::If { arms, otherwise } => (arms, otherwise, None),
                Statement::Case { select, arms, otherwise } => (arms, otherwise, Some(at(*select))),
            };
            let mut ends = Vec::new();
            for (test, block) in arms {
                let test = at(*test);
                let next = self.hole(|jump| match select {
                    None => Action::UnlessSet { condition: test.at, jump },
                    Some(select) => Action::UnlessEqual { select, label: test, jump },
                });
                self.statements(compiled, number, block);
                ends.push(self.hole(Action::Jump));
                self.land(next);
            }
            self.statements(compiled, number, otherwise);
            ends.into_iter().for_each(|end| self.land(end));
        }
    }

    fn memory(&mut self, compiled: &Compiled, number: usize, m: u32, def: &MemDef) {
        let instance = &compiled.flat.instances[number];
        let at = |node| compiled.place(instance.cell(node));
        let mem = compiled.memory(number, m);
        for read in &def.reads {
            let hole = self.hole(|jump| Action::UnlessSet { condition: at(read.enable).at, jump });
            self.actions.push(Action::Read { to: at(read.node).at, mem, addr: at(read.addr).at });
            self.land(hole);
        }
        self.writes.extend(def.writes.iter().map(|write| WritePort {
            mem,
            port: write.port.map(|read| at(def.reads[read].enable).at),
            enable: at(write.enable).at,
            addr: at(write.addr).at,
            data: at(write.data),
            mask: def.lane.zip(write.mask.map(at)),
        }));
    }

    fn set(&mut self, reg: Place, value: Place) {
        let limbs = limbs::count(reg.ty.width) as u32;
        self.actions.push(Action::Set { to: reg.at, from: value.at, limbs });
    }

    /// Adds a jump whose target is not known yet.
    fn hole(&mut self, action: impl FnOnce(usize) -> Action) -> usize {
        self.actions.push(action(usize::MAX));
        self.actions.len() - 1
    }

    /// The jump goes to whatever comes next.
    fn land(&mut self, hole: usize) {
        let next = self.actions.len();
        match &mut self.actions[hole] {
            Action::UnlessSet { jump, .. } | Action::UnlessEqual { jump, .. } | Action::Jump(jump) => *jump = next,
            Action::Set { .. } | Action::Read { .. } => unreachable!("a hole is a jump"),
        }
    }
}
