//! The body of a finished module: nodes of exact type in topological order (except through wires), and clocked parts.

use crate::bits::Bits;
use crate::design::{ModuleId, Port};
use crate::interface::InterfaceEntry;
use crate::memory::MemDef;
use crate::types::Type;

/// Index into `ModuleDef::nodes`.
pub(crate) type NodeId = u32;

/// How a node gets its value. Operand types are checked before a node is made.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Op {
    /// Stands in for a value that could not be built; its module has an error.
    Poison,
    Input(u32),
    Reset,
    Const(Bits),
    /// A named state of a state machine.
    State {
        fsm: u32,
        index: u32,
    },
    Reg(u32),
    Wire(u32),
    /// Registered read port `port` of a memory.
    SyncRead {
        mem: u32,
        port: u32,
    },
    AsyncRead {
        mem: u32,
        addr: NodeId,
    },
    InstanceOutput {
        instance: u32,
        port: u32,
    },
    /// A second name for a value that already has one.
    Alias(NodeId),
    /// The same bits with the other sign.
    Cast(NodeId),
    Extend(NodeId),
    Slice {
        from: NodeId,
        lo: u32,
    },
    /// Lowest item first.
    Cat(Box<[NodeId]>),
    Repeat(NodeId),
    Unary(Unary, NodeId),
    Binary(Binary, NodeId, NodeId),
    Shift {
        right: bool,
        value: NodeId,
        amount: NodeId,
    },
    Mux {
        select: NodeId,
        high: NodeId,
        low: NodeId,
    },
    /// An index above the last item selects the last item.
    Select {
        index: NodeId,
        items: Box<[NodeId]>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Not,
    Neg,
    ReduceAnd,
    ReduceOr,
    ReduceXor,
}

/// Operands have equal types. `Mul` wraps too: its operands are extended to the width of the exact product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
}

impl Op {
    /// Calls `f` on each node this one combinationally reads inside its module, wires and instances aside.
    pub(crate) fn operands(&self, mut f: impl FnMut(NodeId)) {
        match self {
            Op::Poison | Op::Input(_) | Op::Reset | Op::Const(_) | Op::State { .. } | Op::Reg(_) => {}
            Op::Wire(_) | Op::SyncRead { .. } | Op::InstanceOutput { .. } => {}
            Op::Alias(a) | Op::Cast(a) | Op::Extend(a) | Op::Repeat(a) | Op::Unary(_, a) => f(*a),
            Op::Slice { from: a, .. } | Op::AsyncRead { addr: a, .. } => f(*a),
            Op::Binary(_, a, b) | Op::Shift { value: a, amount: b, .. } => [*a, *b].into_iter().for_each(f),
            Op::Mux { select, high, low } => [*select, *high, *low].into_iter().for_each(f),
            Op::Cat(items) => items.iter().copied().for_each(f),
            Op::Select { index, items } => std::iter::once(*index).chain(items.iter().copied()).for_each(f),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) op: Op,
    pub(crate) ty: Type,
    /// Given by the user, or the net of an instance output.
    pub(crate) name: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RegDef {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) node: NodeId,
    pub(crate) reset: Option<NodeId>,
    /// Its value before the first clock edge.
    pub(crate) initial: Option<NodeId>,
    pub(crate) use_dsp: bool,
    pub(crate) drive: RegDrive,
}

/// Where a register gets its next value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RegDrive {
    /// Not yet known.
    None,
    /// From `ModuleDef::body`.
    Statements,
    /// From one value, with an optional enable.
    Delay { enable: Option<NodeId>, value: NodeId },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WireDef {
    pub(crate) name: String,
    pub(crate) node: NodeId,
    pub(crate) driver: Option<NodeId>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Statement {
    Set {
        reg: u32,
        value: NodeId,
    },
    If {
        arms: Vec<(NodeId, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
    /// Case labels are constants of the type of `select`.
    Case {
        select: NodeId,
        arms: Vec<(NodeId, Vec<Statement>)>,
        otherwise: Vec<Statement>,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FsmDef {
    pub(crate) states: Vec<String>,
    /// Names of the localparams, one per state.
    pub(crate) constants: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct InstanceDef {
    pub(crate) name: String,
    pub(crate) module: ModuleId,
    /// What resets it instead of the reset of the module around it.
    pub(crate) reset: Option<NodeId>,
    /// By port number of the module: the value of an input.
    pub(crate) inputs: Vec<Option<NodeId>>,
    /// By port number of the module: the node of an output that is used.
    pub(crate) outputs: Vec<Option<NodeId>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssertDef {
    /// Never true in a correct design.
    pub(crate) violated: NodeId,
    pub(crate) message: String,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ModuleDef {
    pub(crate) name: String,
    pub(crate) doc: Vec<String>,
    /// Without clock and reset.
    pub(crate) ports: Vec<Port>,
    pub(crate) interfaces: Vec<InterfaceEntry>,
    /// By port number: what drives an output.
    pub(crate) outputs: Vec<Option<NodeId>>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) regs: Vec<RegDef>,
    pub(crate) wires: Vec<WireDef>,
    pub(crate) body: Vec<Statement>,
    pub(crate) mems: Vec<MemDef>,
    pub(crate) instances: Vec<InstanceDef>,
    pub(crate) fsms: Vec<FsmDef>,
    pub(crate) asserts: Vec<AssertDef>,
    pub(crate) clocked: bool,
    pub(crate) resettable: bool,
    /// An error was recorded; the body is incomplete.
    pub(crate) failed: bool,
}
