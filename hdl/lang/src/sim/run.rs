//! Stepping a compiled design.

use super::SimError;
use super::clocked::{Action, Clocked, WritePort};
use super::compile::Compiled;
use super::flat::{Cell, Flat};
use super::instruction::{self, Slot};
use super::wide::Place;
use crate::bits::Bits;
use crate::design::{Design, ModuleId};
use crate::limbs;
use crate::node::Op;
use std::collections::BTreeMap;

/// A design being simulated. Registers and memories start at zero.
pub struct Sim {
    compiled: Compiled,
    clocked: Clocked,
    instances: BTreeMap<String, usize>,
    /// New register words, applied when the edge is over.
    staged: Vec<(Slot, u64)>,
    /// Some combinational value may be old.
    stale: bool,
    cycle: u64,
}

impl Sim {
    /// Prepares the design below `top`.
    pub fn new(design: &Design, top: ModuleId) -> Result<Sim, SimError> {
        design.finish()?;
        let compiled = Compiled::new(Flat::new(design, top)?)?;
        let clocked = Clocked::new(&compiled);
        let paths = compiled.flat.instances.iter().enumerate().map(|(i, instance)| (instance.path.clone(), i));
        let instances = paths.collect();
        Ok(Sim { compiled, clocked, instances, staged: Vec::new(), stale: true, cycle: 0 })
    }

    /// Sets an input, or `rst`. The value must fit in the port as a signed or unsigned number.
    ///
    /// # Panics
    /// If there is no such input, or the value does not fit.
    #[track_caller]
    pub fn set(&mut self, port: &str, value: impl Into<Bits>) {
        let value = value.into();
        if port == "rst" {
            self.compiled.values[self.compiled.reset as usize] = value.to_u64();
            self.stale = true;
            return;
        }
        let place = self.input(port);
        let fitted =
            value.fit(place.ty).unwrap_or_else(|| panic!("input `{port}` is {}; {value:?} does not fit", place.ty));
        self.compiled.values[place.at as usize..][..fitted.limbs().len()].copy_from_slice(fitted.limbs());
        self.stale = true;
    }

    /// The value of an output (or of any port or named net of the top module) with the inputs as they are now.
    ///
    /// # Panics
    /// If there is no such name.
    #[track_caller]
    pub fn get(&mut self, port: &str) -> Bits {
        self.peek(port)
    }

    /// The value of a port, register or named net by its path, like `u_x.name`.
    ///
    /// # Panics
    /// If there is no such name.
    #[track_caller]
    pub fn peek(&mut self, path: &str) -> Bits {
        let place = self.find(path).unwrap_or_else(|| panic!("there is no `{path}` in this design"));
        self.evaluate();
        let mut bits = Bits::zero(place.ty);
        bits.limbs_mut().copy_from_slice(place.limbs(&self.compiled.values));
        bits
    }

    /// One clock edge: registers and memories take their new values.
    ///
    /// # Panics
    /// If an assertion of the design is violated.
    pub fn step(&mut self) {
        self.evaluate();
        for check in &self.clocked.checks {
            let violated = self.compiled.values[check.violated as usize] != 0;
            assert!(!violated, "cycle {}: {}", self.cycle, check.message);
        }
        self.act();
        for i in 0..self.clocked.writes.len() {
            write(&mut self.compiled, &self.clocked.writes[i]);
        }
        for (slot, word) in self.staged.drain(..) {
            self.compiled.values[slot as usize] = word;
        }
        self.stale = true;
        self.cycle += 1;
    }

    /// One clock edge with `rst` high; the inputs stay.
    pub fn reset(&mut self) {
        self.set("rst", true);
        self.step();
        self.set("rst", false);
    }

    /// Number of clock edges so far.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// A word of a memory by the path of the memory.
    ///
    /// # Panics
    /// If there is no such memory or word.
    #[track_caller]
    pub fn peek_word(&self, path: &str, addr: u64) -> Bits {
        let (mem, width) = self.memory(path);
        let word = self.compiled.memories[mem].word(addr).unwrap_or_else(|| panic!("`{path}` has no word {addr}"));
        Bits::from_limbs(word, width)
    }

    /// Replaces a word of a memory.
    ///
    /// # Panics
    /// If there is no such memory or word, or the value does not fit.
    #[track_caller]
    pub fn poke_word(&mut self, path: &str, addr: u64, value: impl Into<Bits>) {
        let ((mem, width), value) = (self.memory(path), value.into());
        let fitted = value.fit(crate::unsigned(width)).unwrap_or_else(|| panic!("`{path}`: {value:?} does not fit"));
        let memory = &mut self.compiled.memories[mem];
        assert!(addr < memory.depth, "`{path}` has no word {addr}");
        let at = addr as usize * memory.limbs;
        memory.words[at..at + memory.limbs].copy_from_slice(fitted.limbs());
        self.stale = true;
    }

    fn evaluate(&mut self) {
        if std::mem::take(&mut self.stale) {
            let Compiled { program, values, memories, .. } = &mut self.compiled;
            instruction::execute(program, values, memories);
        }
    }

    /// Runs the clocked program; its results are staged.
    fn act(&mut self) {
        let (values, actions) = (&self.compiled.values, &self.clocked.actions);
        let mut pc = 0;
        while let Some(action) = actions.get(pc) {
            pc += 1;
            match action {
                Action::Set { to, from, limbs } => {
                    self.staged.extend((0..*limbs).map(|i| (to + i, values[(from + i) as usize])));
                }
                Action::UnlessSet { condition, jump } if values[*condition as usize] == 0 => pc = *jump,
                Action::UnlessEqual { select, label, jump } if select.limbs(values) != label.limbs(values) => {
                    pc = *jump
                }
                Action::UnlessSet { .. } | Action::UnlessEqual { .. } => {}
                Action::Jump(to) => pc = *to,
                Action::Read { to, mem, addr } => {
                    let memory = &self.compiled.memories[*mem as usize];
                    let word = memory.word(values[*addr as usize]);
                    let read = |i| word.map_or(0, |w| w[i]);
                    self.staged.extend((0..memory.limbs).map(|i| (to + i as Slot, read(i))));
                }
            }
        }
    }

    fn split<'a>(&self, path: &'a str) -> Option<(usize, &'a str)> {
        let (instance, name) = path.rsplit_once('.').unwrap_or(("", path));
        Some((*self.instances.get(instance)?, name))
    }

    fn find(&self, path: &str) -> Option<Place> {
        let (number, name) = self.split(path)?;
        let instance = &self.compiled.flat.instances[number];
        let def = instance.def();
        let node = def.nodes.iter().position(|n| n.name.as_deref() == Some(name)).map(|n| n as u32);
        let port = || def.ports.iter().position(|p| p.name == name).and_then(|p| def.outputs[p]);
        Some(self.compiled.place(instance.cell(node.or_else(port)?)))
    }

    #[track_caller]
    fn input(&self, port: &str) -> Place {
        let top = &self.compiled.flat.instances[0];
        let is_input = |op: &Op| matches!(op, Op::Input(p) if top.def().ports[*p as usize].name == port);
        match top.def().nodes.iter().position(|n| is_input(&n.op)) {
            Some(node) => self.compiled.place(top.cell(node as Cell)),
            None => panic!("there is no input `{port}`"),
        }
    }

    #[track_caller]
    fn memory(&self, path: &str) -> (usize, u32) {
        let found = self.split(path).and_then(|(number, name)| {
            let mems = &self.compiled.flat.instances[number].def().mems;
            let mem = mems.iter().position(|m| m.name == name)?;
            Some((self.compiled.memory(number, mem as u32) as usize, mems[mem].width))
        });
        found.unwrap_or_else(|| panic!("there is no memory `{path}` in this design"))
    }
}

fn write(compiled: &mut Compiled, port: &WritePort) {
    let Compiled { values, memories, .. } = compiled;
    let (memory, addr) = (&mut memories[port.mem as usize], values[port.addr as usize]);
    let idle = port.port.is_some_and(|enable| values[enable as usize] == 0);
    if idle || values[port.enable as usize] == 0 || addr >= memory.depth {
        return;
    }
    let word = &mut memory.words[addr as usize * memory.limbs..][..memory.limbs];
    let data = port.data.limbs(values);
    let Some((lane, mask)) = port.mask else {
        word.copy_from_slice(data);
        return;
    };
    for i in (0..mask.ty.width).filter(|&i| limbs::bit(mask.limbs(values), i)) {
        limbs::copy(word, i * lane, data, i * lane, lane);
    }
}
