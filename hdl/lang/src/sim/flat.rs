//! The hierarchy as one graph: names, wires, ports and casts resolved away, combinational values in order.

use super::SimError;
use crate::design::{Design, Entity, ModuleId};
use crate::node::{ModuleDef, NodeId, Op, RegDrive, Statement};
use std::sync::Arc;

/// A node of an instance, by number in the whole flat design.
pub(super) type Cell = u32;

pub(super) struct Flat {
    pub(super) instances: Vec<FlatInstance>,
    /// Instance of each cell.
    owner: Vec<u32>,
}

pub(super) struct FlatInstance {
    entity: Arc<Entity>,
    /// Empty for the top.
    pub(super) path: String,
    /// The parent, and the number of this instance in it.
    parent: Option<(usize, usize)>,
    /// By instance number of the module.
    children: Vec<usize>,
    base: Cell,
}

impl FlatInstance {
    pub(super) fn def(&self) -> &ModuleDef {
        match &*self.entity {
            Entity::Module(def) => def,
            Entity::BlackBox(_) => unreachable!("refused when flattening"),
        }
    }

    pub(super) fn cell(&self, node: NodeId) -> Cell {
        self.base + node
    }

    /// The name of something in this instance.
    pub(super) fn full_name(&self, name: &str) -> String {
        if self.path.is_empty() { name.into() } else { format!("{}.{name}", self.path) }
    }
}

impl Flat {
    pub(super) fn new(design: &Design, top: ModuleId) -> Result<Flat, SimError> {
        let mut flat = Flat { instances: Vec::new(), owner: Vec::new() };
        flat.add(design, top, String::new(), None)?;
        Ok(flat)
    }

    fn add(
        &mut self,
        design: &Design,
        id: ModuleId,
        path: String,
        parent: Option<(usize, usize)>,
    ) -> Result<usize, SimError> {
        let entity = design.entities[id.0].clone();
        let Entity::Module(def) = &*entity else {
            return Err(SimError::BlackBox { path, module: entity.name().into() });
        };
        let (number, base) = (self.instances.len(), self.owner.len() as Cell);
        self.owner.extend(std::iter::repeat_n(number as u32, def.nodes.len()));
        self.instances.push(FlatInstance { entity: entity.clone(), path, parent, children: Vec::new(), base });
        for (i, instance) in def.instances.iter().enumerate() {
            let path = self.instances[number].full_name(&instance.name);
            let child = self.add(design, instance.module, path, Some((number, i)))?;
            self.instances[number].children.push(child);
        }
        Ok(number)
    }

    pub(super) fn len(&self) -> usize {
        self.owner.len()
    }

    /// The instance of a cell, by number.
    pub(super) fn owner_number(&self, cell: Cell) -> usize {
        self.owner[cell as usize] as usize
    }

    pub(super) fn owner(&self, cell: Cell) -> &FlatInstance {
        &self.instances[self.owner[cell as usize] as usize]
    }

    pub(super) fn op(&self, cell: Cell) -> &Op {
        let instance = self.owner(cell);
        &instance.def().nodes[(cell - instance.base) as usize].op
    }

    pub(super) fn ty(&self, cell: Cell) -> crate::types::Type {
        let instance = self.owner(cell);
        instance.def().nodes[(cell - instance.base) as usize].ty
    }

    /// The cell that this one merely passes on, if it does.
    fn passes_on(&self, cell: Cell) -> Option<Cell> {
        let instance = self.owner(cell);
        match self.op(cell) {
            Op::Alias(a) | Op::Cast(a) => Some(instance.cell(*a)),
            Op::Wire(w) => instance.def().wires[*w as usize].driver.map(|d| instance.cell(d)),
            Op::Input(port) => {
                let (parent, number) = instance.parent?;
                let parent = &self.instances[parent];
                parent.def().instances[number].inputs[*port as usize].map(|n| parent.cell(n))
            }
            Op::Reset => self.reset_of(self.owner_number(cell)),
            Op::InstanceOutput { instance: number, port } => {
                let child = &self.instances[instance.children[*number as usize]];
                child.def().outputs[*port as usize].map(|n| child.cell(n))
            }
            _ => None,
        }
    }

    /// What resets an instance; none is the reset of the top.
    pub(super) fn reset_of(&self, instance: usize) -> Option<Cell> {
        let (parent, number) = self.instances[instance].parent?;
        match self.instances[parent].def().instances[number].reset {
            Some(node) => Some(self.instances[parent].cell(node)),
            None => self.reset_of(parent),
        }
    }

    /// The cell that really computes the value of this one.
    pub(super) fn source(&self, cell: Cell) -> Result<Cell, SimError> {
        let mut at = cell;
        for _ in 0..=self.len() {
            match self.passes_on(at) {
                Some(next) => at = next,
                None => return Ok(at),
            }
        }
        Err(self.loop_error(&[cell]))
    }

    /// Cells that compute values, each after those it reads; registers and inputs are not among them.
    pub(super) fn order(&self, roots: &[Cell]) -> Result<Vec<Cell>, SimError> {
        let mut state = vec![State::New; self.len()];
        let mut order = Vec::new();
        // Cells being visited, each with its sources that are still to be visited.
        let mut stack: Vec<(Cell, Vec<Cell>)> = Vec::new();
        for &root in roots {
            let root = self.source(root)?;
            if state[root as usize] == State::New {
                stack.push((root, self.sources(root)?));
                state[root as usize] = State::Open;
            }
            while let Some((cell, waiting)) = stack.last_mut() {
                let Some(next) = waiting.pop() else {
                    state[*cell as usize] = State::Done;
                    order.push(*cell);
                    stack.pop();
                    continue;
                };
                match state[next as usize] {
                    State::Done => {}
                    State::Open => {
                        let cells: Vec<Cell> = stack.iter().map(|(c, _)| *c).collect();
                        let start = cells.iter().position(|&c| c == next).expect("open cells are on the stack");
                        return Err(self.loop_error(&cells[start..]));
                    }
                    State::New => {
                        state[next as usize] = State::Open;
                        stack.push((next, self.sources(next)?));
                    }
                }
            }
        }
        Ok(order)
    }

    fn sources(&self, cell: Cell) -> Result<Vec<Cell>, SimError> {
        let mut cells = Vec::new();
        self.op(cell).operands(|a| cells.push(self.owner(cell).cell(a)));
        cells.iter().map(|&c| self.source(c)).collect()
    }

    /// Names the way round: what lies between each cell and the one it reads.
    fn loop_error(&self, cells: &[Cell]) -> SimError {
        let mut names: Vec<String> = Vec::new();
        for (i, &reader) in cells.iter().enumerate() {
            let read = cells[(i + 1) % cells.len()];
            self.op(reader).operands(|a| {
                let start = self.owner(reader).cell(a);
                if self.source(start).is_ok_and(|s| s == read) {
                    self.names_between(start, &mut names);
                }
            });
            if cells.len() == 1 && self.passes_on(reader).is_some() {
                self.names_between(reader, &mut names);
            }
        }
        names.dedup();
        names.extend(names.first().cloned());
        SimError::Loop { path: names.join(" <- ") }
    }

    fn names_between(&self, start: Cell, names: &mut Vec<String>) {
        let mut at = start;
        for _ in 0..=self.len() {
            let instance = self.owner(at);
            let node = &instance.def().nodes[(at - instance.base) as usize];
            names.extend(node.name.as_ref().map(|n| instance.full_name(n)));
            match self.passes_on(at) {
                Some(next) if next != start => at = next,
                _ => return,
            }
        }
    }

    /// Everything that must be computed: what ports, registers, memories and assertions read, and named nets.
    pub(super) fn roots(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        for instance in &self.instances {
            reads(instance.def(), |node| cells.push(instance.cell(node)));
        }
        cells
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

fn reads(def: &ModuleDef, mut read: impl FnMut(NodeId)) {
    def.outputs.iter().flatten().for_each(|&n| read(n));
    for (i, node) in def.nodes.iter().enumerate() {
        if node.name.is_some() {
            read(i as NodeId);
        }
    }
    for reg in &def.regs {
        reg.reset.into_iter().chain(reg.initial).for_each(&mut read);
        if let RegDrive::Delay { enable, value } = reg.drive {
            enable.into_iter().chain([value]).for_each(&mut read);
        }
    }
    statements(&def.body, &mut read);
    for mem in &def.mems {
        for write in &mem.writes {
            [write.enable, write.addr, write.data].into_iter().chain(write.mask).for_each(&mut read);
        }
        mem.reads.iter().for_each(|r| [r.enable, r.addr].into_iter().for_each(&mut read));
    }
    def.instances.iter().flat_map(|i| i.reset.iter().chain(i.inputs.iter().flatten())).for_each(|&n| read(n));
    def.asserts.iter().for_each(|a| read(a.violated));
}

fn statements(block: &[Statement], read: &mut impl FnMut(NodeId)) {
    for statement in block {
        match statement {
            Statement::Set { value, .. } => read(*value),
            Statement::If { arms, otherwise } => {
                for (condition, block) in arms {
                    read(*condition);
                    statements(block, read);
                }
                statements(otherwise, read);
            }
            Statement::Case { select, arms, otherwise } => {
                read(*select);
                for (label, block) in arms {
                    read(*label);
                    statements(block, read);
                }
                statements(otherwise, read);
            }
        }
    }
}
