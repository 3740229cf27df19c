//! A module under construction: ports, named nets, wires, constants, assertions.

use crate::builder::{self, Builder, Line};
use crate::design::{Direction, Port};
use crate::errors::Problem;
use crate::interface::InterfaceEntry;
use crate::node::{AssertDef, Binary, NodeId, Op, Unary, WireDef};
use crate::signal::Signal;
use crate::types::{Type, Value, bit};
use std::panic::Location;

/// A handle on the module that [`crate::Design::module`] builds. Clock and reset are implicit.
pub struct Module {
    pub(crate) serial: u32,
}

/// A net that is declared before it is driven.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    pub(crate) q: Signal,
    index: u32,
}

/// An output port to be driven later, exactly once.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    serial: u32,
    port: u32,
}

impl Module {
    /// Adds lines to the comment above the module.
    pub fn doc(&self, text: &str) {
        builder::of(self.serial, |b| b.def.doc.extend(text.lines().map(|l| l.trim_end().to_string())));
    }

    /// An input port.
    #[track_caller]
    pub fn input(&self, name: &str, ty: Type) -> Signal {
        self.input_at(Location::caller(), name, ty)
    }

    pub(crate) fn input_at(&self, line: Line, name: &str, ty: Type) -> Signal {
        builder::of(self.serial, |b| {
            b.take_name(line, name, "an input");
            b.width_ok(line, &format!("input `{name}`"), ty.width.into());
            let ty = Type { width: ty.width.max(1), ..ty };
            let number = add_port(b, name, Direction::Input, ty, None);
            let node = b.fresh(Op::Input(number), ty);
            b.def.nodes[node as usize].name = Some(name.into());
            b.signal(node)
        })
    }

    /// An output port of the type of `signal`.
    #[track_caller]
    pub fn output(&self, name: &str, signal: impl Into<Signal>) {
        self.output_at(Location::caller(), name, signal.into());
    }

    pub(crate) fn output_at(&self, line: Line, name: &str, signal: Signal) {
        builder::of(self.serial, |b| {
            b.take_name(line, name, "an output");
            let node = b.resolve(line, signal);
            add_port(b, name, Direction::Output, b.ty(node), Some(node));
        });
    }

    /// An output port that is declared before it is driven.
    pub(crate) fn undriven(&self, line: Line, name: &str, ty: Type) -> Output {
        builder::of(self.serial, |b| {
            b.take_name(line, name, "an output");
            b.width_ok(line, &format!("output `{name}`"), ty.width.into());
            let ty = Type { width: ty.width.max(1), ..ty };
            Output { serial: self.serial, port: add_port(b, name, Direction::Output, ty, None) }
        })
    }

    /// Records an interface; its ports get what `docs` says of their fields.
    pub(crate) fn record(&self, entry: InterfaceEntry, docs: &[(&str, &str)]) {
        builder::of(self.serial, |b| {
            for (field, name) in &entry.ports {
                let doc = docs.iter().find(|(f, _)| f == field).map(|(_, doc)| doc.trim());
                let port = b.def.ports.iter_mut().find(|p| p.name == *name);
                port.into_iter().for_each(|port| port.doc = doc.unwrap_or_default().into());
            }
            b.def.interfaces.push(entry);
        });
    }

    /// Gives a value a name in the Verilog, the traces and the interpreter.
    #[track_caller]
    pub fn net(&self, name: &str, signal: impl Into<Signal>) -> Signal {
        let (line, signal) = (Location::caller(), signal.into());
        builder::of(self.serial, |b| {
            b.take_name(line, name, "a net");
            let node = b.resolve(line, signal);
            let node = if nameable(b, node) { node } else { b.fresh(Op::Alias(node), b.ty(node)) };
            b.def.nodes[node as usize].name = Some(name.into());
            b.signal(node)
        })
    }

    /// A net to be driven later, exactly once.
    #[track_caller]
    pub fn wire(&self, name: &str, ty: Type) -> Wire {
        let line = Location::caller();
        builder::of(self.serial, |b| {
            b.take_name(line, name, "a wire");
            b.width_ok(line, &format!("wire `{name}`"), ty.width.into());
            let index = b.def.wires.len() as u32;
            let node = b.fresh(Op::Wire(index), Type { width: ty.width.max(1), ..ty });
            b.def.nodes[node as usize].name = Some(name.into());
            b.def.wires.push(WireDef { name: name.into(), node, driver: None });
            Wire { q: b.signal(node), index }
        })
    }

    /// A constant of this type; the value must fit.
    #[track_caller]
    pub fn lit(&self, ty: Type, value: impl Value) -> Signal {
        let line = Location::caller();
        builder::of(self.serial, |b| {
            let node = b.literal(line, ty, value);
            b.signal(node)
        })
    }

    /// The module's reset, as a signal.
    pub fn rst(&self) -> Signal {
        builder::of(self.serial, |b| {
            b.def.resettable = true;
            let node = b.node(Op::Reset, bit());
            b.signal(node)
        })
    }

    /// States that `condition` is 1 at every clock edge outside reset, where the enclosing conditions hold.
    #[track_caller]
    pub fn assert(&self, condition: impl Into<Signal>, message: &str) {
        let (line, condition) = (Location::caller(), condition.into());
        builder::of(self.serial, |b| {
            let condition = b.resolve(line, condition);
            if b.expect_bit(line, condition, "assert: the condition") {
                let violated = violation(b, condition);
                b.def.clocked = true;
                b.def.resettable = true;
                b.def.asserts.push(AssertDef { violated, message: message.into() });
            }
        });
    }
}

impl Wire {
    /// Gives the wire its value.
    #[track_caller]
    pub fn drive(self, signal: impl Into<Signal>) {
        let (line, signal) = (Location::caller(), signal.into());
        builder::of(self.q.serial, |b| {
            b.expect_unconditional(line, "driving a wire");
            let value = b.resolve(line, signal);
            let (name, ty) = (b.def.wires[self.index as usize].name.clone(), b.ty(self.q.node));
            b.expect_type(line, value, &format!("the value of wire `{name}`"), ty);
            if b.def.wires[self.index as usize].driver.replace(value).is_some() {
                b.fail(line, Problem::Twice { kind: "wire", name, verb: "driven" });
            }
        });
    }
}

impl Output {
    /// Gives the port its value.
    #[track_caller]
    pub fn drive(self, signal: impl Into<Signal>) {
        self.drive_at(Location::caller(), signal.into());
    }

    pub(crate) fn drive_at(self, line: Line, signal: Signal) {
        builder::of(self.serial, |b| {
            let value = b.resolve(line, signal);
            let Port { name, ty, .. } = b.def.ports[self.port as usize].clone();
            b.expect_type(line, value, &format!("the value of output `{name}`"), ty);
            if b.def.outputs[self.port as usize].replace(value).is_some() {
                b.fail(line, Problem::Twice { kind: "output", name, verb: "driven" });
            }
        });
    }
}

fn add_port(b: &mut Builder, name: &str, direction: Direction, ty: Type, driver: Option<NodeId>) -> u32 {
    b.def.ports.push(Port { name: name.into(), direction, ty, doc: String::new() });
    b.def.outputs.push(driver);
    b.def.ports.len() as u32 - 1
}

/// Whether a node can carry the user's name itself, instead of a second net.
fn nameable(b: &Builder, node: NodeId) -> bool {
    let node = &b.def.nodes[node as usize];
    let fixed = matches!(node.op, Op::Poison | Op::Const(_) | Op::State { .. } | Op::Reset);
    !fixed && node.name.is_none()
}

/// Not in reset, all enclosing conditions met, and `condition` is 0.
fn violation(b: &mut Builder, condition: NodeId) -> NodeId {
    let reset = b.node(Op::Reset, bit());
    let mut all = b.node(Op::Unary(Unary::Not, reset), bit());
    for guard in b.guards.clone() {
        let met = match guard.wanted {
            true => guard.condition,
            false => b.node(Op::Unary(Unary::Not, guard.condition), bit()),
        };
        all = b.node(Op::Binary(Binary::And, all, met), bit());
    }
    let wrong = b.node(Op::Unary(Unary::Not, condition), bit());
    b.node(Op::Binary(Binary::And, all, wrong), bit())
}

/// The checks that need the whole module.
pub(crate) fn check_complete(b: &mut Builder, line: Line) {
    let undriven = b.def.wires.iter().find(|w| w.driver.is_none()).map(|w| ("wire", w.name.clone(), "driven"));
    let unset = b.def.regs.iter().find(|r| r.drive == crate::node::RegDrive::None);
    let unset = unset.map(|r| ("register", r.name.clone(), "assigned"));
    let open = b.def.ports.iter().zip(&b.def.outputs).find(|(p, o)| p.direction == Direction::Output && o.is_none());
    let open = open.map(|(p, _)| ("output", p.name.clone(), "driven"));
    if let Some((kind, name, verb)) = undriven.or(unset).or(open) {
        b.fail(line, Problem::Missing { kind, name, verb });
    }
}
