//! Simplifications made when a node is built: only those that keep slices on named nets, keep
//! comparisons from being constant, and undo packing; the rest is left to the synthesiser.

use crate::bits::Bits;
use crate::limbs;
use crate::node::{Binary, Node, NodeId, Op, Unary};
use crate::types::{Type, bit, unsigned};

pub(crate) enum Simplified {
    /// An existing node has this value.
    Node(NodeId),
    Op(Op),
}

/// `op` of type `ty` in its simplest form.
pub(crate) fn simplify(nodes: &[Node], op: Op, ty: Type) -> Simplified {
    match op {
        Op::Cast(a) => cast(nodes, a, ty),
        Op::Extend(a) => extend(nodes, a, ty),
        Op::Slice { from, lo } => slice(nodes, from, lo, ty),
        Op::Cat(items) => cat(nodes, items, ty),
        Op::Repeat(a) => repeat(nodes, a, ty),
        Op::Mux { select, high, low } => match &nodes[select as usize].op {
            Op::Const(bits) => Simplified::Node(if bits.bit(0) { high } else { low }),
            _ if high == low => Simplified::Node(high),
            _ => Simplified::Op(Op::Mux { select, high, low }),
        },
        Op::Select { index, items } => match constant(nodes, index) {
            _ if items.len() == 1 => Simplified::Node(items[0]),
            Some(bits) => Simplified::Node(items[limbs::amount(bits.limbs(), items.len() as u32 - 1) as usize]),
            None => Simplified::Op(Op::Select { index, items }),
        },
        Op::Binary(compare @ (Binary::Lt | Binary::Le), a, b) => comparison(nodes, compare, a, b),
        Op::Unary(Unary::Not, a) => not(nodes, a),
        Op::Unary(Unary::ReduceAnd | Unary::ReduceOr | Unary::ReduceXor, a) if nodes[a as usize].ty == ty => {
            Simplified::Node(a)
        }
        op => Simplified::Op(op),
    }
}

fn constant(nodes: &[Node], a: NodeId) -> Option<&Bits> {
    match &nodes[a as usize].op {
        Op::Const(bits) => Some(bits),
        _ => None,
    }
}

fn cast(nodes: &[Node], a: NodeId, ty: Type) -> Simplified {
    let node = &nodes[a as usize];
    match &node.op {
        _ if node.ty == ty => Simplified::Node(a),
        Op::Const(bits) => Simplified::Op(Op::Const(bits.clone().with_sign(ty.signed))),
        Op::Cast(inner) if nodes[*inner as usize].ty == ty => Simplified::Node(*inner),
        _ => Simplified::Op(Op::Cast(a)),
    }
}

fn extend(nodes: &[Node], a: NodeId, ty: Type) -> Simplified {
    let from = nodes[a as usize].ty;
    match constant(nodes, a) {
        _ if from == ty => Simplified::Node(a),
        Some(bits) => {
            let mut wide = Bits::zero(ty);
            limbs::extend(wide.limbs_mut(), bits.limbs(), from.width, ty.width, from.signed);
            Simplified::Op(Op::Const(wide))
        }
        None => Simplified::Op(Op::Extend(a)),
    }
}

fn slice(nodes: &[Node], from: NodeId, lo: u32, ty: Type) -> Simplified {
    let node = &nodes[from as usize];
    if node.ty == ty {
        return Simplified::Node(from);
    }
    if node.ty.width == ty.width {
        return cast(nodes, from, ty);
    }
    match &node.op {
        Op::Const(bits) => Simplified::Op(Op::Const(bits.slice(lo, ty.width))),
        Op::Slice { from: inner, lo: below } => slice(nodes, *inner, below + lo, ty),
        Op::Cast(inner) => slice(nodes, *inner, lo, ty),
        Op::Extend(inner) if lo + ty.width <= nodes[*inner as usize].ty.width => slice(nodes, *inner, lo, ty),
        Op::Cat(items) => slice_of_cat(nodes, from, items, lo, ty),
        _ => Simplified::Op(Op::Slice { from, lo }),
    }
}

/// A slice that lies inside one item is a slice of that item.
fn slice_of_cat(nodes: &[Node], from: NodeId, items: &[NodeId], lo: u32, ty: Type) -> Simplified {
    let mut start = 0;
    for &item in items {
        let end = start + nodes[item as usize].ty.width;
        if lo >= start && lo + ty.width <= end {
            return slice(nodes, item, lo - start, ty);
        }
        start = end;
    }
    Simplified::Op(Op::Slice { from, lo })
}

fn cat(nodes: &[Node], items: Box<[NodeId]>, ty: Type) -> Simplified {
    let all: Option<Vec<Bits>> = items.iter().map(|&i| constant(nodes, i).cloned()).collect();
    match all.and_then(|all| Bits::pack(&all)) {
        Some(bits) => Simplified::Op(Op::Const(bits)),
        None if items.len() == 1 => cast(nodes, items[0], ty),
        None => Simplified::Op(Op::Cat(items)),
    }
}

fn repeat(nodes: &[Node], a: NodeId, ty: Type) -> Simplified {
    let times = ty.width / nodes[a as usize].ty.width;
    match constant(nodes, a) {
        Some(bits) => cat(nodes, vec![a; times as usize].into(), unsigned(bits.width() * times)),
        None if times == 1 => cast(nodes, a, ty),
        None => Simplified::Op(Op::Repeat(a)),
    }
}

fn not(nodes: &[Node], a: NodeId) -> Simplified {
    match &nodes[a as usize].op {
        Op::Unary(Unary::Not, inner) => Simplified::Node(*inner),
        Op::Const(bits) => {
            let mut out = Bits::zero(bits.ty());
            out.limbs_mut().iter_mut().zip(bits.limbs()).for_each(|(d, s)| *d = !s);
            limbs::mask(out.limbs_mut(), bits.width());
            Simplified::Op(Op::Const(out))
        }
        _ => Simplified::Op(Op::Unary(Unary::Not, a)),
    }
}

/// Comparisons that the extremes of the type decide are constants.
fn comparison(nodes: &[Node], compare: Binary, a: NodeId, b: NodeId) -> Simplified {
    let ty = nodes[a as usize].ty;
    let low = |n| constant(nodes, n).is_some_and(|bits| *bits == extreme(ty, false));
    let high = |n| constant(nodes, n).is_some_and(|bits| *bits == extreme(ty, true));
    let decided = match compare {
        Binary::Lt if low(b) || high(a) || a == b => Some(false),
        Binary::Le if high(b) || low(a) || a == b => Some(true),
        _ => None,
    };
    match decided {
        Some(value) => Simplified::Op(Op::Const(Bits::of(bit(), value))),
        None => Simplified::Op(Op::Binary(compare, a, b)),
    }
}

/// The smallest or largest value of `ty`.
fn extreme(ty: Type, largest: bool) -> Bits {
    let mut out = Bits::zero(ty);
    limbs::fill(out.limbs_mut(), 0, ty.width, largest);
    if ty.signed {
        limbs::fill(out.limbs_mut(), ty.width - 1, 1, !largest);
    }
    out
}
