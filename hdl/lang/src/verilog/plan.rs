//! Who reads what: decides which values become nets, and which bits of a net nobody reads.

use crate::node::{Binary, ModuleDef, NodeId, Op, RegDrive, Statement, Unary};

/// How demanding a reader is; a later one includes the earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Need {
    /// The whole right side of an assignment: any expression of exact width.
    Value,
    /// Part of an expression in which neither sign nor context width matters.
    Expression,
    /// A net, a literal or a slice of a net.
    Primary,
    /// A net or literal of exact width and sign.
    Exact,
}

/// The readers of one node.
#[derive(Clone, Debug)]
pub(super) struct Readers {
    pub(super) count: u32,
    pub(super) need: Need,
    /// Some reader slices it, so it must be a net, of either sign.
    pub(super) sliced: bool,
    /// Read other than by slices.
    whole: bool,
    slices: Vec<(u32, u32)>,
}

#[derive(Debug)]
pub(super) struct Plan {
    pub(super) readers: Vec<Readers>,
    /// Read outside assertions.
    pub(super) live: Vec<bool>,
    /// Read by assertions only.
    pub(super) asserted: Vec<bool>,
    /// Some bit is read by nobody (outside assertions, for a node that exists outside them).
    pub(super) dropped: Vec<bool>,
}

impl Plan {
    pub(super) fn new(def: &ModuleDef) -> Plan {
        let unread = Readers { count: 0, need: Need::Value, sliced: false, whole: false, slices: Vec::new() };
        let none = vec![false; def.nodes.len()];
        let mut plan = Plan {
            readers: vec![unread; def.nodes.len()],
            live: none.clone(),
            asserted: none.clone(),
            dropped: none.clone(),
        };
        roots(def, &mut |node, need| plan.read(node, need));
        for write in def.mems.iter().flat_map(|m| &m.writes) {
            let sliced = write.mask.map_or(vec![], |mask| vec![mask, write.data]);
            sliced.into_iter().for_each(|n| plan.readers[n as usize].sliced = true);
        }
        let declared = def.nodes.iter().map(|n| n.name.is_some() || matches!(n.op, Op::InstanceOutput { .. }));
        let start = declared.zip(&plan.readers).map(|(declared, r)| declared || r.count > 0).collect();
        plan.live = plan.spread(def, start, &none);
        let all = 0..def.nodes.len();
        plan.dropped = all.clone().map(|n| plan.partly_unread(def, n)).collect();
        let mut start = none;
        for assertion in &def.asserts {
            plan.read(assertion.violated, Need::Expression);
            start[assertion.violated as usize] = true;
        }
        let live = plan.live.clone();
        plan.asserted = plan.spread(def, start, &live);
        all.filter(|&n| !live[n]).for_each(|n| plan.dropped[n] = plan.partly_unread(def, n));
        plan
    }

    /// Whether some bit of the node is read by nobody.
    fn partly_unread(&self, def: &ModuleDef, node: usize) -> bool {
        let readers = &self.readers[node];
        let mut covered = 0;
        let mut slices = readers.slices.clone();
        slices.sort_unstable();
        for (lo, hi) in slices {
            if lo <= covered {
                covered = covered.max(hi);
            }
        }
        !readers.whole && covered < def.nodes[node].ty.width
    }

    fn read(&mut self, node: NodeId, need: Need) {
        let readers = &mut self.readers[node as usize];
        readers.count += 1;
        readers.need = readers.need.max(need);
        readers.whole = true;
    }

    /// Extends a set of nodes by all they read, `done` ones aside. A wire is named and so is its own root.
    fn spread(&mut self, def: &ModuleDef, mut set: Vec<bool>, done: &[bool]) -> Vec<bool> {
        for (i, node) in def.nodes.iter().enumerate().rev() {
            set[i] &= !done[i];
            if set[i] {
                node.op.operands(|a| set[a as usize] = true);
                self.read_operands(&node.op, node.ty.width, node.ty.signed);
            }
        }
        set
    }

    fn read_operands(&mut self, op: &Op, width: u32, signed: bool) {
        match op {
            Op::Slice { from, lo } => {
                let readers = &mut self.readers[*from as usize];
                readers.count += 1;
                readers.sliced = true;
                readers.slices.push((*lo, lo + width));
            }
            Op::Select { index, items } => {
                self.read(*index, Need::Value);
                self.readers[*index as usize].sliced = true;
                items.iter().for_each(|&item| self.read(item, Need::Primary));
            }
            Op::Extend(a) => {
                self.read(*a, Need::Expression);
                self.readers[*a as usize].sliced |= signed;
            }
            op => {
                let need = operand_need(op);
                op.operands(|a| self.read(a, need));
            }
        }
    }
}

fn operand_need(op: &Op) -> Need {
    match op {
        Op::Unary(Unary::Neg, _) | Op::Shift { .. } => Need::Exact,
        Op::Binary(Binary::And | Binary::Or | Binary::Xor, ..) => Need::Expression,
        Op::Binary(Binary::Eq | Binary::Ne, ..) => Need::Primary,
        Op::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Lt | Binary::Le, ..) => Need::Exact,
        // A signed index would be negative.
        Op::AsyncRead { .. } => Need::Exact,
        _ => Need::Expression,
    }
}

/// What ports, registers, memories, wires and instances read.
fn roots(def: &ModuleDef, read: &mut impl FnMut(NodeId, Need)) {
    def.outputs.iter().flatten().for_each(|&n| read(n, Need::Value));
    def.wires.iter().filter_map(|w| w.driver).for_each(|n| read(n, Need::Value));
    for reg in &def.regs {
        if let RegDrive::Delay { enable, value } = reg.drive {
            read(value, Need::Value);
            // Registers of one enable share one `if`: the text of the enable is printed once.
            enable.into_iter().for_each(|e| read(e, Need::Primary));
        }
        reg.reset.into_iter().chain(reg.initial).for_each(|n| read(n, Need::Value));
    }
    statements(&def.body, read);
    for mem in &def.mems {
        for write in &mem.writes {
            read(write.enable, Need::Expression);
            read(write.addr, Need::Exact);
            read(write.data, Need::Value);
            write.mask.into_iter().for_each(|m| read(m, Need::Value));
        }
        for port in &mem.reads {
            read(port.enable, Need::Expression);
            read(port.addr, Need::Exact);
        }
    }
    for instance in &def.instances {
        instance.reset.iter().chain(instance.inputs.iter().flatten()).for_each(|&n| read(n, Need::Primary));
    }
}

fn statements(block: &[Statement], read: &mut impl FnMut(NodeId, Need)) {
    for statement in block {
        match statement {
            Statement::Set { value, .. } => read(*value, Need::Value),
            Statement::If { arms, otherwise } => {
                for (condition, block) in arms {
                    read(*condition, Need::Expression);
                    statements(block, read);
                }
                statements(otherwise, read);
            }
            Statement::Case { select, arms, otherwise } => {
                read(*select, Need::Primary);
                for (label, block) in arms {
                    read(*label, Need::Primary);
                    statements(block, read);
                }
                statements(otherwise, read);
            }
        }
    }
}
