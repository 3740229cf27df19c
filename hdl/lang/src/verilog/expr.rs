//! Expression text. Each node is a name, or text that its one reader takes in.

use super::plan::{Need, Plan};
use crate::bits::Bits;
use crate::node::{Binary, ModuleDef, Node, NodeId, Op, Unary};
use crate::types::Type;

/// Longer expressions get their own net.
const MAX_INLINE: usize = 90;

/// How a node appears where it is read.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) text: String,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// A net, register or port.
    Name,
    Literal,
    /// A slice of a net, or a net of the other sign.
    Part,
    /// A chain of one associative operator.
    Chain(Binary),
    /// Self-contained brackets.
    Closed,
    Open,
}

/// Forms of the nodes so far, by number; later nodes have none yet.
pub(super) struct Forms<'a> {
    def: &'a ModuleDef,
    plan: &'a Plan,
    forms: Vec<Option<Form>>,
}

impl<'a> Forms<'a> {
    pub(super) fn new(def: &'a ModuleDef, plan: &'a Plan) -> Forms<'a> {
        Forms { def, plan, forms: vec![None; def.nodes.len()] }
    }

    /// Makes a node appear as a declared name.
    pub(super) fn name(&mut self, node: NodeId, name: &str) {
        self.forms[node as usize] = Some(Form { text: name.into(), shape: Shape::Name });
    }

    pub(super) fn inline(&mut self, node: NodeId, form: Form) {
        self.forms[node as usize] = Some(form);
    }

    /// The text of a node that was given a form.
    pub(super) fn text(&self, node: NodeId) -> &str {
        &self.form(node).text
    }

    fn form(&self, node: NodeId) -> &Form {
        self.forms[node as usize].as_ref().expect("operands come before their readers")
    }

    /// The text as an operand of another operator.
    fn operand(&self, node: NodeId) -> String {
        let form = self.form(node);
        match form.shape {
            Shape::Chain(_) | Shape::Open => format!("({})", form.text),
            Shape::Name | Shape::Literal | Shape::Part | Shape::Closed => form.text.clone(),
        }
    }

    /// Whether the text may stand where `node` is read; if not, it needs a net.
    pub(super) fn fits(&self, node: NodeId, form: &Form) -> bool {
        let readers = &self.plan.readers[node as usize];
        let shape = match readers.need {
            Need::Exact => form.shape == Shape::Literal,
            Need::Primary => matches!(form.shape, Shape::Literal | Shape::Part),
            Need::Expression => !self.is_arithmetic(node),
            Need::Value => true,
        };
        let cheap = matches!(form.shape, Shape::Literal | Shape::Part);
        (!readers.sliced || self.is_recast(node))
            && shape
            && (readers.count <= 1 || cheap)
            && form.text.len() <= MAX_INLINE
    }

    /// A cast of a net is that net to a reader that does not look at the sign.
    fn is_recast(&self, node: NodeId) -> bool {
        matches!(self.def.nodes[node as usize].op, Op::Cast(a) if self.form(a).shape == Shape::Name)
    }

    fn is_arithmetic(&self, node: NodeId) -> bool {
        let op = &self.def.nodes[node as usize].op;
        let sum = matches!(op, Op::Binary(Binary::Add | Binary::Sub | Binary::Mul, ..));
        sum || matches!(op, Op::Unary(Unary::Neg, _) | Op::Shift { .. } | Op::AsyncRead { .. })
            || self.shifted_extension(node).is_some()
    }

    /// The operand of a sign-extension that is better written as a shift, and by how much it grows.
    ///
    /// Verilator moves a net with one reader into the clocked `if` that reads it, where it costs nothing
    /// while idle; `{{n{x[msb]}}, x}` would be two readers of `x`.
    pub(super) fn shifted_extension(&self, node: NodeId) -> Option<(NodeId, u32)> {
        let Node { op: Op::Extend(a), ty, .. } = &self.def.nodes[node as usize] else { return None };
        let operand = &self.def.nodes[*a as usize];
        let stored = matches!(operand.op, Op::Input(_) | Op::Reg(_) | Op::Wire(_) | Op::SyncRead { .. });
        let recast = matches!(operand.op, Op::Cast(_) | Op::Slice { .. } | Op::InstanceOutput { .. });
        let once = self.plan.readers[*a as usize].count == 1;
        (ty.signed && ty.width <= 64 && once && !stored && !recast).then(|| (*a, ty.width - operand.ty.width))
    }

    /// The expression of a node whose operands all have forms.
    pub(super) fn expression(&self, node: NodeId) -> Form {
        let ty = self.def.nodes[node as usize].ty;
        let open = |text| Form { text, shape: Shape::Open };
        let closed = |text| Form { text, shape: Shape::Closed };
        match &self.def.nodes[node as usize].op {
            Op::Const(bits) => Form { text: literal(bits), shape: Shape::Literal },
            Op::State { fsm, index } => {
                let text = self.def.fsms[*fsm as usize].constants[*index as usize].clone();
                Form { text, shape: Shape::Literal }
            }
            Op::Reset => Form { text: "rst".into(), shape: Shape::Name },
            Op::Alias(a) => open(self.text(*a).into()),
            Op::Cast(a) => self.recast(*a),
            Op::Extend(a) => closed(self.extension(*a, ty)),
            Op::Slice { from, lo } => Form { text: self.slice(*from, *lo, ty.width), shape: Shape::Part },
            Op::Cat(items) => {
                let items: Vec<&str> = items.iter().rev().map(|&i| self.text(i)).collect();
                closed(format!("{{{}}}", items.join(", ")))
            }
            Op::Repeat(a) => {
                let times = ty.width / self.def.nodes[*a as usize].ty.width;
                closed(format!("{{{times}{{{}}}}}", self.text(*a)))
            }
            // Verilator 5.48 leaves bits above the sign of a wide `-x`.
            Op::Unary(Unary::Neg, a) if ty.width > 64 => {
                open(format!("(~{}) + {}", self.operand(*a), literal(&Bits::of(ty, 1))))
            }
            Op::Unary(unary, a) => open(format!("{}{}", unary_symbol(*unary), self.operand(*a))),
            Op::Binary(binary, a, b) => self.binary(*binary, *a, *b),
            Op::Shift { right, value, amount } => {
                let symbol = if !right {
                    "<<"
                } else if ty.signed {
                    ">>>"
                } else {
                    ">>"
                };
                open(format!("{} {symbol} {}", self.operand(*value), self.operand(*amount)))
            }
            Op::Mux { select, high, low } => {
                let (select, high, low) = (self.operand(*select), self.operand(*high), self.operand(*low));
                open(format!("{select} ? {high} : {low}"))
            }
            Op::Select { index, items } => {
                let width = self.def.nodes[*index as usize].ty.width;
                open(self.selection(*index, width, items))
            }
            Op::AsyncRead { mem, addr } => open(format!("{}[{}]", self.def.mems[*mem as usize].name, self.text(*addr))),
            Op::Poison | Op::Input(_) | Op::Reg(_) | Op::Wire(_) => {
                unreachable!("declared by name")
            }
            Op::SyncRead { .. } | Op::InstanceOutput { .. } => unreachable!("declared by name"),
        }
    }

    /// The expression that shifts `net`, which holds the operand at its top, down by `n`.
    pub(super) fn shifted_down(net: &str, n: u32) -> Form {
        Form { text: format!("{net} >>> {n}"), shape: Shape::Open }
    }

    fn recast(&self, a: NodeId) -> Form {
        let form = self.form(a).clone();
        let shape = if form.shape == Shape::Name { Shape::Part } else { form.shape };
        Form { shape, ..form }
    }

    fn extension(&self, a: NodeId, ty: Type) -> String {
        let from = self.def.nodes[a as usize].ty.width;
        let more = ty.width - from;
        match ty.signed {
            false => format!("{{{more}'d0, {}}}", self.text(a)),
            true => format!("{{{{{more}{{{}}}}}, {}}}", self.slice(a, from - 1, 1), self.text(a)),
        }
    }

    fn slice(&self, from: NodeId, lo: u32, width: u32) -> String {
        let name = self.text(from);
        match (self.def.nodes[from as usize].ty.width, width) {
            (1, _) => name.into(),
            (_, 1) => format!("{name}[{lo}]"),
            _ => format!("{name}[{}:{lo}]", lo + width - 1),
        }
    }

    fn binary(&self, binary: Binary, a: NodeId, b: NodeId) -> Form {
        let same = |n: NodeId| self.form(n).shape == Shape::Chain(binary);
        let left = if same(a) { self.text(a).into() } else { self.operand(a) };
        let text = format!("{left} {} {}", binary_symbol(binary), self.operand(b));
        let chain = matches!(binary, Binary::And | Binary::Or | Binary::Xor);
        Form { text, shape: if chain { Shape::Chain(binary) } else { Shape::Open } }
    }

    /// A tree of choices by the bits of the index below `bits`.
    fn selection(&self, index: NodeId, bits: u32, items: &[NodeId]) -> String {
        let half = 1usize << (bits.max(1) - 1).min(31);
        match items {
            [only] => self.text(*only).into(),
            _ => {
                let (low, high) = items.split_at(half.min(items.len()));
                let high = if high.is_empty() { &low[low.len() - 1..] } else { high };
                let (high, low) = (self.selection(index, bits - 1, high), self.selection(index, bits - 1, low));
                format!("({} ? {high} :\n      {low})", self.slice(index, bits - 1, 1))
            }
        }
    }
}

fn unary_symbol(unary: Unary) -> &'static str {
    match unary {
        Unary::Not => "~",
        Unary::Neg => "-",
        Unary::ReduceAnd => "&",
        Unary::ReduceOr => "|",
        Unary::ReduceXor => "^",
    }
}

fn binary_symbol(binary: Binary) -> &'static str {
    match binary {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
    }
}

/// A literal of exact width and sign.
pub(super) fn literal(bits: &Bits) -> String {
    let (width, sign) = (bits.width(), if bits.ty().signed { "s" } else { "" });
    let small = bits.limbs()[1..].iter().all(|&l| l == 0) && bits.limbs()[0] < 1000;
    if small { format!("{width}'{sign}d{}", bits.limbs()[0]) } else { format!("{width}'{sign}h{bits:x}") }
}

/// `[7:0] `, or nothing for one bit.
pub(super) fn range(width: u32) -> String {
    if width == 1 { String::new() } else { format!("[{}:0] ", width - 1) }
}
