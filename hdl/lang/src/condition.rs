//! Conditional assignment: `when / elsewhen / otherwise` and `switch / case / otherwise`.

use crate::bits::Bits;
use crate::builder::{self, Builder, Guard, Line};
use crate::errors::Problem;
use crate::module::Module;
use crate::node::{Binary, NodeId, Op, Statement};
use crate::signal::Signal;
use crate::types::{Value, bit};
use std::panic::Location;

/// An `if` whose further branches may follow.
pub struct When {
    serial: u32,
    /// Position of the statement in the block that holds it.
    at: usize,
    tested: Vec<NodeId>,
}

/// A selection by value whose cases may follow.
pub struct Switch {
    serial: u32,
    at: usize,
    select: NodeId,
    tested: Vec<NodeId>,
}

impl Module {
    /// Runs `then`; its assignments take effect while `condition` is 1.
    #[track_caller]
    pub fn when(&self, condition: impl Into<Signal>, then: impl FnOnce()) -> When {
        let at = builder::of(self.serial, |b| {
            b.push(Statement::If { arms: Vec::new(), otherwise: Vec::new() });
            b.blocks.last().expect("the body block is always open").len() - 1
        });
        When { serial: self.serial, at, tested: Vec::new() }.elsewhen(condition, then)
    }

    /// Starts a selection by the value of `select`.
    #[track_caller]
    pub fn switch(&self, select: impl Into<Signal>) -> Switch {
        let (line, select) = (Location::caller(), select.into());
        builder::of(self.serial, |b| {
            let select = b.resolve(line, select);
            b.push(Statement::Case { select, arms: Vec::new(), otherwise: Vec::new() });
            let at = b.blocks.last().expect("the body block is always open").len() - 1;
            Switch { serial: self.serial, at, select, tested: Vec::new() }
        })
    }
}

impl When {
    /// Takes effect while `condition` is 1 and no earlier branch applies.
    #[track_caller]
    pub fn elsewhen(mut self, condition: impl Into<Signal>, then: impl FnOnce()) -> When {
        let (line, condition) = (Location::caller(), condition.into());
        let guards = self.failed();
        let condition = builder::of(self.serial, |b| {
            let node = b.resolve(line, condition);
            if b.expect_bit(line, node, "when: the condition") { node } else { b.quiet_poison(bit()) }
        });
        let block = scope(self.serial, guards, Guard { condition, wanted: true }, then);
        self.tested.push(condition);
        builder::of(self.serial, |b| arms(b, self.at).0.push((condition, block)));
        self
    }

    /// Takes effect while no earlier branch applies.
    pub fn otherwise(self, then: impl FnOnce()) {
        let mut guards = self.failed();
        if let Some(last) = guards.pop() {
            let block = scope(self.serial, guards, last, then);
            builder::of(self.serial, |b| *arms(b, self.at).1 = block);
        }
    }

    fn failed(&self) -> Vec<Guard> {
        self.tested.iter().map(|&condition| Guard { condition, wanted: false }).collect()
    }
}

impl Switch {
    /// Takes effect while the selector equals `value`.
    #[track_caller]
    pub fn case(self, value: impl Value, then: impl FnOnce()) -> Switch {
        let line = Location::caller();
        let label = builder::of(self.serial, |b| {
            let ty = b.ty(self.select);
            b.literal(line, ty, value)
        });
        self.arm(line, label, then)
    }

    /// Takes effect while the selector equals the constant `label`.
    pub(crate) fn arm(mut self, line: Line, label: NodeId, then: impl FnOnce()) -> Switch {
        let condition = builder::of(self.serial, |b| {
            if b.is_poison(label) || b.is_poison(self.select) {
                return b.quiet_poison(bit());
            }
            if self.tested.contains(&label) {
                let value = match &b.def.nodes[label as usize].op {
                    Op::State { fsm, index } => b.def.fsms[*fsm as usize].states[*index as usize].clone(),
                    Op::Const(bits) => bits.to_i128().to_string(),
                    op => unreachable!("a case label is a constant, not {op:?}"),
                };
                b.fail(line, Problem::CaseTwice { value });
            }
            b.node(Op::Binary(Binary::Eq, self.select, label), bit())
        });
        let block = scope(self.serial, Vec::new(), Guard { condition, wanted: true }, then);
        self.tested.push(label);
        builder::of(self.serial, |b| arms(b, self.at).0.push((label, block)));
        self
    }

    /// Takes effect while no case applies.
    pub fn otherwise(self, then: impl FnOnce()) {
        let serial = self.serial;
        let mut guards: Vec<Guard> = builder::of(serial, |b| {
            let unequal = |&label: &NodeId| {
                let condition = b.node(Op::Binary(Binary::Eq, self.select, label), bit());
                Guard { condition, wanted: false }
            };
            self.tested.iter().map(unequal).collect()
        });
        let always = builder::of(serial, |b| b.constant(Bits::of(bit(), true)));
        let last = guards.pop().unwrap_or(Guard { condition: always, wanted: true });
        let block = scope(serial, guards, last, then);
        builder::of(serial, |b| *arms(b, self.at).1 = block);
    }
}

/// The branches of the `if` or `case` at this position of the open block.
fn arms(b: &mut Builder, at: usize) -> (&mut Vec<(NodeId, Vec<Statement>)>, &mut Vec<Statement>) {
    let block = b.blocks.last_mut().expect("the body block is always open");
    match &mut block[at] {
        Statement::If { arms, otherwise } | Statement::Case { arms, otherwise, .. } => (arms, otherwise),
        Statement::Set { .. } => unreachable!("the position is that of an `if` or `case`"),
    }
}

/// Runs `then` with a new open block and returns the statements it made.
fn scope(serial: u32, outer: Vec<Guard>, inner: Guard, then: impl FnOnce()) -> Vec<Statement> {
    let depth = builder::of(serial, |b| {
        let depth = b.guards.len();
        b.guards.extend(outer);
        b.guards.push(inner);
        b.blocks.push(Vec::new());
        depth
    });
    then();
    builder::of(serial, |b| {
        b.guards.truncate(depth);
        b.blocks.pop().expect("opened above")
    })
}
