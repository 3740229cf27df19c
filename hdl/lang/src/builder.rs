//! Modules under construction: a thread-local stack, so that signals can be plain indices.

use crate::bits::Bits;
use crate::design::Entity;
use crate::errors::{BuildError, Problem};
use crate::fold;
use crate::names::Names;
use crate::node::{ModuleDef, Node, NodeId, Op, Statement};
use crate::signal::Signal;
use crate::types::{MAX_WIDTH, Type, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::Location;
use std::sync::Arc;

/// A line of a generator.
pub(crate) type Line = &'static Location<'static>;

thread_local! {
    static STACK: RefCell<Vec<Builder>> = const { RefCell::new(Vec::new()) };
    static SERIAL: Cell<u32> = const { Cell::new(1) };
}

/// Whether the enclosing condition must be true or false.
#[derive(Clone, Copy)]
pub(crate) struct Guard {
    pub(crate) condition: NodeId,
    pub(crate) wanted: bool,
}

pub(crate) struct Builder {
    pub(crate) serial: u32,
    pub(crate) def: ModuleDef,
    pub(crate) names: Names,
    /// Statement blocks that are open; the first is the body.
    pub(crate) blocks: Vec<Vec<Statement>>,
    /// Conditions of the open blocks, outermost first.
    pub(crate) guards: Vec<Guard>,
    pub(crate) known: Vec<Arc<Entity>>,
    pub(crate) error: Option<BuildError>,
    interned: HashMap<(Op, Type), NodeId>,
}

/// Starts a module; [`finish`] takes it off again.
pub(crate) fn start(name: &str, known: Vec<Arc<Entity>>) -> u32 {
    let serial = SERIAL.replace(SERIAL.get() + 1);
    let def = ModuleDef { name: name.into(), ..ModuleDef::default() };
    STACK.with_borrow_mut(|stack| {
        stack.push(Builder {
            serial,
            def,
            names: Names::new(),
            blocks: vec![Vec::new()],
            guards: Vec::new(),
            known,
            error: None,
            interned: HashMap::new(),
        });
    });
    serial
}

/// Takes the innermost module off the stack.
pub(crate) fn finish() -> Option<Builder> {
    STACK.with_borrow_mut(Vec::pop)
}

/// Runs `f` on the innermost module, if one is under construction.
pub(crate) fn innermost<R>(f: impl FnOnce(&mut Builder) -> R) -> Option<R> {
    STACK.with_borrow_mut(|stack| stack.last_mut().map(f))
}

/// Runs `f` on the module with this serial number.
///
/// # Panics
/// If that module is finished: handles cannot outlive the closure that builds it.
pub(crate) fn of<R>(serial: u32, f: impl FnOnce(&mut Builder) -> R) -> R {
    STACK.with_borrow_mut(|stack| {
        let builder = stack.iter_mut().rev().find(|b| b.serial == serial);
        f(builder.expect("a module handle is used only while its module is built"))
    })
}

impl Builder {
    /// Records an error if it is the first one, and returns a stand-in of type `ty`.
    pub(crate) fn poison(&mut self, line: Line, problem: Problem, ty: Type) -> NodeId {
        self.fail(line, problem);
        self.quiet_poison(ty)
    }

    /// A stand-in for a value whose error is already known.
    pub(crate) fn quiet_poison(&mut self, ty: Type) -> NodeId {
        let width = ty.width.clamp(1, MAX_WIDTH);
        self.node(Op::Poison, Type { width, ..ty })
    }

    pub(crate) fn fail(&mut self, line: Line, problem: Problem) {
        let module = self.def.name.clone();
        self.error.get_or_insert(BuildError { module, location: line, problem });
    }

    /// The node of a signal; a signal of another module is an error.
    pub(crate) fn resolve(&mut self, line: Line, signal: Signal) -> NodeId {
        if signal.serial == self.serial {
            return signal.node;
        }
        self.poison(line, Problem::Foreign, Type { width: 1, signed: false })
    }

    pub(crate) fn signal(&self, node: NodeId) -> Signal {
        Signal { serial: self.serial, node }
    }

    pub(crate) fn ty(&self, node: NodeId) -> Type {
        self.def.nodes[node as usize].ty
    }

    pub(crate) fn is_poison(&self, node: NodeId) -> bool {
        self.def.nodes[node as usize].op == Op::Poison
    }

    /// The node that computes `op`: simplified, and shared with an equal one.
    pub(crate) fn node(&mut self, op: Op, ty: Type) -> NodeId {
        match fold::simplify(&self.def.nodes, op, ty) {
            fold::Simplified::Node(node) => node,
            fold::Simplified::Op(op) => self.intern(op, ty),
        }
    }

    fn intern(&mut self, op: Op, ty: Type) -> NodeId {
        if let Some(&node) = self.interned.get(&(op.clone(), ty)) {
            return node;
        }
        let node = self.fresh(op.clone(), ty);
        self.interned.insert((op, ty), node);
        node
    }

    /// A node that is never shared.
    pub(crate) fn fresh(&mut self, op: Op, ty: Type) -> NodeId {
        self.def.nodes.push(Node { op, ty, name: None });
        self.def.nodes.len() as NodeId - 1
    }

    pub(crate) fn constant(&mut self, bits: Bits) -> NodeId {
        let ty = bits.ty();
        self.node(Op::Const(bits), ty)
    }

    /// A constant that must fit in `ty`.
    pub(crate) fn literal(&mut self, line: Line, ty: Type, value: impl Value) -> NodeId {
        let value = value.value();
        if !self.width_ok(line, "literal", u64::from(ty.width)) {
            return self.quiet_poison(ty);
        }
        if !ty.holds(value) {
            return self.poison(line, Problem::Literal { value, ty }, ty);
        }
        self.constant(Bits::of(ty, value))
    }

    /// Checks that a width is one a signal may have.
    pub(crate) fn width_ok(&mut self, line: Line, what: &str, width: u64) -> bool {
        let ok = (1..=u64::from(MAX_WIDTH)).contains(&width);
        if !ok {
            self.fail(line, Problem::Width { what: what.into(), width, max: MAX_WIDTH });
        }
        ok
    }

    /// Takes a name; a refused one is an error.
    pub(crate) fn take_name(&mut self, line: Line, name: &str, kind: &'static str) {
        if let Err(problem) = self.names.take(name, kind) {
            self.fail(line, problem);
        }
    }

    /// Checks a control signal.
    pub(crate) fn expect_bit(&mut self, line: Line, node: NodeId, what: &str) -> bool {
        let found = self.ty(node);
        let ok = self.is_poison(node) || found == crate::types::bit();
        if !ok {
            self.fail(line, Problem::NotABit { what: what.into(), found });
        }
        ok && !self.is_poison(node)
    }

    /// Checks the type of a value; poison fits everywhere.
    pub(crate) fn expect_type(&mut self, line: Line, node: NodeId, what: &str, expected: Type) -> bool {
        let found = self.ty(node);
        let ok = self.is_poison(node) || found == expected;
        if !ok {
            self.fail(line, Problem::WrongType { what: what.into(), found, expected });
        }
        ok
    }

    /// Refuses what cannot depend on a condition.
    pub(crate) fn expect_unconditional(&mut self, line: Line, what: &'static str) {
        if self.blocks.len() > 1 {
            self.fail(line, Problem::Conditional { what });
        }
    }

    pub(crate) fn push(&mut self, statement: Statement) {
        self.blocks.last_mut().expect("the body block is always open").push(statement);
    }
}
