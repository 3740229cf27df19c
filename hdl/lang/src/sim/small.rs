//! Short forms: instructions whose operands and result have at most 64 bits.

use super::instruction::{Instruction as I, Slot, unary};
use super::wide::{Place, WideOp};
use crate::limbs::top_mask;
use crate::node::Binary;
use crate::types::Type;

/// The short form of `op`, if it has one.
pub(super) fn form(d: Place, op: &WideOp) -> Option<I> {
    let small = |p: &Place| p.ty.width <= 64;
    let mask = top_mask(d.ty.width);
    if !small(&d) {
        return None;
    }
    let d_at = d.at;
    match op {
        WideOp::Unary(op, a) if small(a) => Some(unary(*op, d_at, a.at, top_mask(a.ty.width))),
        WideOp::Binary(op, a, b) if small(a) && small(b) => Some(binary(*op, d_at, *a, *b, mask)),
        WideOp::Extend(a) => {
            let shift = sign_shift(a.ty);
            Some(I::SignExtend { d: d_at, a: a.at, shift, mask })
        }
        WideOp::Slice { from, lo } => Some(slice(d, *from, *lo, mask)),
        WideOp::Cat(items) => Some(cat(d_at, items)),
        WideOp::Shift { right, value, amount } if small(amount) => {
            let (a, amount) = (value.at, amount.at);
            let sign = value.ty.signed.then(|| sign_shift(value.ty));
            Some(match right {
                true => I::ShiftRight { d: d_at, a, amount, sign, mask },
                false => I::ShiftLeft { d: d_at, a, amount, mask },
            })
        }
        WideOp::Mux { select, high, low } => Some(I::Mux { d: d_at, select: *select, high: high.at, low: low.at }),
        WideOp::Select { index, items } if small(index) => {
            let items = items.iter().map(|p| p.at).collect();
            Some(I::Select { d: d_at, index: index.at, items })
        }
        WideOp::Read { mem, addr } => Some(I::Read { d: d_at, mem: *mem, addr: *addr }),
        WideOp::Unary(..) | WideOp::Binary(..) | WideOp::Shift { .. } | WideOp::Select { .. } => None,
    }
}

/// The shift that moves the sign to bit 63; zero if unsigned.
fn sign_shift(ty: Type) -> u8 {
    if ty.signed { (64 - ty.width) as u8 } else { 0 }
}

fn binary(op: Binary, d: Slot, x: Place, y: Place, mask: u64) -> I {
    let (a, b) = (x.at, y.at);
    let flip = if x.ty.signed { 1 << (x.ty.width - 1) } else { 0 };
    match op {
        Binary::Add => I::Add { d, a, b, mask },
        Binary::Sub => I::Sub { d, a, b, mask },
        Binary::Mul => I::Mul { d, a, b, mask },
        Binary::And => I::And { d, a, b },
        Binary::Or => I::Or { d, a, b },
        Binary::Xor => I::Xor { d, a, b },
        Binary::Eq => I::Eq { d, a, b },
        Binary::Ne => I::Ne { d, a, b },
        Binary::Lt => I::Lt { d, a, b, flip },
        Binary::Le => I::Le { d, a, b, flip },
    }
}

fn slice(d: Place, from: Place, lo: u32, mask: u64) -> I {
    let (a, shift) = (from.at + lo / 64, (lo % 64) as u8);
    if u32::from(shift) + d.ty.width > 64 {
        I::SliceAcross { d: d.at, a, lo: shift, mask }
    } else {
        I::Slice { d: d.at, a, lo: shift, mask }
    }
}

fn cat(d: Slot, items: &[Place]) -> I {
    let mut lo = 0;
    let mut placed = Vec::new();
    for item in items {
        placed.push((item.at, lo as u8));
        lo += item.ty.width;
    }
    match placed[..] {
        [(low, _), (high, shift)] => I::Cat2 { d, low, high, shift },
        _ => I::Cat { d, items: placed.into() },
    }
}
