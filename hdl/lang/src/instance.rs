//! Instances of finished modules and black boxes; clock and reset connect by themselves.

use crate::builder::{self, Builder, Line};
use crate::design::{Direction, Entity, ModuleId, Port};
use crate::errors::Problem;
use crate::interface::InterfaceEntry;
use crate::module::Module;
use crate::node::{InstanceDef, Op};
use crate::signal::Signal;
use crate::types::{Type, bit};
use std::panic::Location;
use std::sync::Arc;

/// An instance in the module under construction.
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    serial: u32,
    index: u32,
}

impl Module {
    /// Places a module that was built before.
    #[track_caller]
    pub fn instance(&self, name: &str, module: ModuleId) -> Instance {
        let line = Location::caller();
        builder::of(self.serial, |b| {
            b.take_name(line, name, "an instance");
            let entity = b.known.get(module.0).cloned();
            let ports = match &entity {
                Some(entity) => entity.ports().len(),
                None => {
                    b.fail(line, Problem::UnknownModule { number: module.0 });
                    0
                }
            };
            if let Some(entity) = entity {
                b.def.clocked |= entity.clocked();
                b.def.resettable |= entity.resettable();
            }
            let none = vec![None; ports];
            b.def.instances.push(InstanceDef {
                name: name.into(),
                module,
                reset: None,
                inputs: none.clone(),
                outputs: none,
            });
            Instance { serial: self.serial, index: b.def.instances.len() as u32 - 1 }
        })
    }
}

impl Instance {
    /// Resets it by a signal instead of the reset of the module around it.
    #[track_caller]
    #[must_use]
    pub fn reset_by(self, signal: impl Into<Signal>) -> Instance {
        let (line, signal) = (Location::caller(), signal.into());
        builder::of(self.serial, |b| {
            let value = b.resolve(line, signal);
            let instance = b.def.instances[self.index as usize].name.clone();
            b.expect_bit(line, value, &format!("the reset of instance `{instance}`"));
            if b.def.instances[self.index as usize].reset.replace(value).is_some() {
                b.fail(line, Problem::Twice { kind: "instance", name: instance, verb: "reset" });
            }
        });
        self
    }

    /// Connects an input port.
    #[track_caller]
    pub fn input(self, port: &str, signal: impl Into<Signal>) {
        self.input_at(Location::caller(), port, signal.into());
    }

    pub(crate) fn input_at(self, line: Line, port: &str, signal: Signal) {
        builder::of(self.serial, |b| {
            let value = b.resolve(line, signal);
            let Some((number, entity)) = self.find(b, line, port, Direction::Input) else {
                return;
            };
            let instance = b.def.instances[self.index as usize].name.clone();
            let what = format!("input `{port}` of instance `{instance}`");
            b.expect_type(line, value, &what, entity.ports()[number].ty);
            let connection = &mut b.def.instances[self.index as usize].inputs[number];
            if connection.replace(value).is_some() {
                b.fail(line, Problem::Twice { kind: "port", name: format!("{instance}.{port}"), verb: "connected" });
            }
        });
    }

    /// The value of an output port.
    #[track_caller]
    pub fn output(self, port: &str) -> Signal {
        self.output_at(Location::caller(), port)
    }

    pub(crate) fn output_at(self, line: Line, port: &str) -> Signal {
        builder::of(self.serial, |b| {
            let Some((number, entity)) = self.find(b, line, port, Direction::Output) else {
                let node = b.quiet_poison(bit());
                return b.signal(node);
            };
            let op = Op::InstanceOutput { instance: self.index, port: number as u32 };
            let node = b.node(op, entity.ports()[number].ty);
            b.def.instances[self.index as usize].outputs[number] = Some(node);
            b.signal(node)
        })
    }

    /// The interfaces of its module.
    pub(crate) fn interfaces(self) -> Vec<InterfaceEntry> {
        builder::of(self.serial, |b| match b.known.get(self.module(b).0).map(|e| &**e) {
            Some(Entity::Module(def)) => def.interfaces.clone(),
            Some(Entity::BlackBox(_)) | None => Vec::new(),
        })
    }

    /// The ports of its module.
    pub(crate) fn ports(self) -> Vec<Port> {
        builder::of(self.serial, |b| b.known.get(self.module(b).0).map(|e| e.ports().to_vec()).unwrap_or_default())
    }

    /// Direction and type of a port that is known to be there.
    pub(crate) fn port(self, name: &str) -> (Direction, Type) {
        builder::of(self.serial, |b| {
            let port = b.known[self.module(b).0].ports().iter().find(|p| p.name == name);
            port.map(|p| (p.direction, p.ty)).expect("an interface names ports of its module")
        })
    }

    /// Records an error about this instance, unless its module has one.
    pub(crate) fn fail(self, line: Line, problem: impl FnOnce(String, String) -> Problem) {
        builder::of(self.serial, |b| {
            let (id, name) = (self.module(b), b.def.instances[self.index as usize].name.clone());
            if let Some(entity) = b.known.get(id.0).filter(|e| !e.failed()).cloned() {
                b.fail(line, problem(name, entity.name().into()));
            }
        });
    }

    fn module(self, b: &Builder) -> ModuleId {
        b.def.instances[self.index as usize].module
    }

    /// The number of a port; a port that is not there is an error, unless its module already has one.
    fn find(self, b: &mut Builder, line: Line, port: &str, direction: Direction) -> Option<(usize, Arc<Entity>)> {
        let instance = &b.def.instances[self.index as usize];
        let entity = b.known.get(instance.module.0)?.clone();
        let matching = |p: &&crate::design::Port| p.direction == direction;
        if let Some(number) = entity.ports().iter().position(|p| p.name == port && p.direction == direction) {
            return Some((number, entity));
        }
        let known: Vec<&str> = entity.ports().iter().filter(matching).map(|p| p.name.as_str()).collect();
        let problem = Problem::UnknownPort {
            instance: instance.name.clone(),
            module: entity.name().into(),
            direction: direction.word(),
            port: port.into(),
            known: if known.is_empty() { "none".into() } else { known.join(", ") },
        };
        if !entity.failed() {
            b.fail(line, problem);
        }
        None
    }
}

/// Every input of every instance must be connected.
pub(crate) fn check_connected(b: &mut Builder, line: Line) {
    let problem = b.def.instances.iter().find_map(|instance| {
        let entity = b.known.get(instance.module.0)?;
        let mut ports = entity.ports().iter().zip(&instance.inputs);
        let (port, _) = ports.find(|(p, c)| p.direction == Direction::Input && c.is_none())?;
        Some(Problem::Unconnected {
            instance: instance.name.clone(),
            module: entity.name().into(),
            port: port.name.clone(),
        })
    });
    if let Some(problem) = problem {
        b.fail(line, problem);
    }
}
