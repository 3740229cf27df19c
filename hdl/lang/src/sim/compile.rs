//! From the flat graph to slots and instructions.

use super::SimError;
use super::flat::{Cell, Flat};
use super::instruction::{Instruction, Memory, Slot};
use super::small;
use super::wide::{Place, Wide, WideOp};
use crate::limbs;
use crate::node::{NodeId, Op};
use crate::types::Type;

const NOWHERE: Slot = Slot::MAX;

/// Where every value lies, and how to compute them all.
pub(super) struct Compiled {
    pub(super) flat: Flat,
    /// By source cell.
    slots: Vec<Slot>,
    pub(super) reset: Slot,
    pub(super) program: Vec<Instruction>,
    pub(super) values: Vec<u64>,
    pub(super) memories: Vec<Memory>,
    /// Number of the first memory of each instance.
    pub(super) first_memory: Vec<u32>,
}

impl Compiled {
    pub(super) fn new(flat: Flat) -> Result<Compiled, SimError> {
        let order = flat.order(&flat.roots())?;
        let slots = vec![NOWHERE; flat.len()];
        let mut compiled = Compiled {
            flat,
            slots,
            reset: 0,
            program: Vec::new(),
            values: vec![0],
            memories: Vec::new(),
            first_memory: Vec::new(),
        };
        compiled.add_memories();
        // Constants, registers and inputs first, so that results lie above their operands.
        let (sources, computed): (Vec<Cell>, Vec<Cell>) = order.into_iter().partition(|&c| compiled.is_source(c));
        sources.into_iter().for_each(|c| compiled.add_source(c));
        computed.into_iter().for_each(|c| compiled.add_computed(c));
        compiled.initialise();
        Ok(compiled)
    }

    /// Where the value of a cell lies. Only values that something needs have a place.
    pub(super) fn place(&self, cell: Cell) -> Place {
        let source = self.flat.source(cell).expect("loops were found when ordering");
        let at = match self.flat.op(source) {
            Op::Reset => self.reset,
            _ => self.slots[source as usize],
        };
        debug_assert_ne!(at, NOWHERE, "a value is read that is not among the roots");
        Place { at, ty: self.flat.ty(cell) }
    }

    /// Where the reset of an instance lies.
    pub(super) fn reset_of(&self, instance: usize) -> Slot {
        self.flat.reset_of(instance).map_or(self.reset, |cell| self.place(cell).at)
    }

    /// Registers get what they hold at power-up.
    fn initialise(&mut self) {
        let regs = self.flat.instances.iter().flat_map(|instance| {
            let at = |node| self.place(instance.cell(node));
            let given = instance.def().regs.iter().filter_map(|r| Some((r.node, r.initial?)));
            given.map(move |(reg, value)| (at(reg), at(value))).collect::<Vec<_>>()
        });
        for (reg, value) in regs.collect::<Vec<_>>() {
            let value = value.at as usize;
            self.values.copy_within(value..value + limbs::count(reg.ty.width), reg.at as usize);
        }
    }

    fn is_source(&self, cell: Cell) -> bool {
        matches!(
            self.flat.op(cell),
            Op::Poison | Op::Input(_) | Op::Reset | Op::Const(_) | Op::State { .. } | Op::Reg(_) | Op::SyncRead { .. }
        )
    }

    fn add_memories(&mut self) {
        for instance in &self.flat.instances {
            self.first_memory.push(self.memories.len() as u32);
            for mem in &instance.def().mems {
                let limbs = limbs::count(mem.width);
                let mut words = vec![0; limbs * mem.depth as usize];
                for (i, value) in mem.contents.iter().flatten().enumerate() {
                    words[i * limbs..][..limbs].copy_from_slice(value.limbs());
                }
                self.memories.push(Memory { words, limbs, depth: mem.depth.into() });
            }
        }
    }

    fn allocate(&mut self, cell: Cell) -> Place {
        let at = self.values.len() as Slot;
        let ty = self.flat.ty(cell);
        self.values.resize(self.values.len() + limbs::count(ty.width), 0);
        self.slots[cell as usize] = at;
        Place { at, ty }
    }

    fn add_source(&mut self, cell: Cell) {
        let place = self.allocate(cell);
        let at = place.at as usize;
        match self.flat.op(cell) {
            Op::Const(bits) => self.values[at..][..bits.limbs().len()].copy_from_slice(bits.limbs()),
            Op::State { index, .. } => self.values[at] = u64::from(*index),
            _ => {}
        }
    }

    fn add_computed(&mut self, cell: Cell) {
        if let Some(same) = self.zero_extended(cell) {
            self.slots[cell as usize] = same;
            return;
        }
        let op = self.operation(cell);
        let d = self.allocate(cell);
        let instruction = small::form(d, &op).unwrap_or_else(|| Instruction::Wide(Box::new(Wide { d, op })));
        self.program.push(instruction);
    }

    /// A zero-extension within one limb changes nothing.
    fn zero_extended(&self, cell: Cell) -> Option<Slot> {
        let (Op::Extend(a), Type { width: ..=64, signed: false }) = (self.flat.op(cell), self.flat.ty(cell)) else {
            return None;
        };
        Some(self.operand(cell, *a).at)
    }

    fn operand(&self, cell: Cell, node: NodeId) -> Place {
        self.place(self.flat.owner(cell).cell(node))
    }

    fn operation(&self, cell: Cell) -> WideOp {
        let at = |node: &NodeId| self.operand(cell, *node);
        let all = |nodes: &[NodeId]| nodes.iter().map(at).collect();
        match self.flat.op(cell) {
            Op::Extend(a) => WideOp::Extend(at(a)),
            Op::Slice { from, lo } => WideOp::Slice { from: at(from), lo: *lo },
            Op::Cat(items) => WideOp::Cat(all(items)),
            Op::Repeat(a) => {
                let times = self.flat.ty(cell).width / at(a).ty.width;
                WideOp::Cat(vec![at(a); times as usize].into())
            }
            Op::Unary(op, a) => WideOp::Unary(*op, at(a)),
            Op::Binary(op, a, b) => WideOp::Binary(*op, at(a), at(b)),
            Op::Shift { right, value, amount } => WideOp::Shift { right: *right, value: at(value), amount: at(amount) },
            Op::Mux { select, high, low } => WideOp::Mux { select: at(select).at, high: at(high), low: at(low) },
            Op::Select { index, items } => WideOp::Select { index: at(index), items: all(items) },
            Op::AsyncRead { mem, addr } => {
                WideOp::Read { mem: self.memory(self.flat.owner_number(cell), *mem), addr: at(addr).at }
            }
            op => unreachable!("{op:?} is a source or passes another value on"),
        }
    }

    /// The number of a memory in the flat design.
    pub(super) fn memory(&self, instance: usize, mem: u32) -> u32 {
        self.first_memory[instance] + mem
    }
}
