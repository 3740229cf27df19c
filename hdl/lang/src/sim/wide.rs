//! Instructions on values of any number of limbs. Operands lie below the result.

use super::instruction::{Memory, Slot};
use crate::limbs;
use crate::node::{Binary, Unary};
use crate::types::Type;

/// Where a value lies, and its type.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) at: Slot,
    pub(super) ty: Type,
}

impl Place {
    pub(super) fn limbs(self, v: &[u64]) -> &[u64] {
        &v[self.at as usize..][..limbs::count(self.ty.width)]
    }
}

/// `d` gets the value of `op`.
pub(super) struct Wide {
    pub(super) d: Place,
    pub(super) op: WideOp,
}

pub(super) enum WideOp {
    Unary(Unary, Place),
    Binary(Binary, Place, Place),
    Extend(Place),
    Slice {
        from: Place,
        lo: u32,
    },
    /// Lowest item first.
    Cat(Box<[Place]>),
    Shift {
        right: bool,
        value: Place,
        amount: Place,
    },
    Mux {
        select: Slot,
        high: Place,
        low: Place,
    },
    Select {
        index: Place,
        items: Box<[Place]>,
    },
    Read {
        mem: u32,
        addr: Slot,
    },
}

impl Wide {
    pub(super) fn execute(&self, v: &mut [u64], mems: &[Memory]) {
        let (below, from_d) = v.split_at_mut(self.d.at as usize);
        let width = self.d.ty.width;
        let dst = &mut from_d[..limbs::count(width)];
        match &self.op {
            WideOp::Unary(op, a) => unary(*op, dst, a.limbs(below), a.ty.width),
            WideOp::Binary(op, a, b) => binary(*op, dst, a.limbs(below), b.limbs(below), a.ty),
            WideOp::Extend(a) => limbs::extend(dst, a.limbs(below), a.ty.width, width, a.ty.signed),
            WideOp::Slice { from, lo } => limbs::copy(dst, 0, from.limbs(below), *lo, width),
            WideOp::Cat(items) => {
                let mut lo = 0;
                for item in items {
                    limbs::copy(dst, lo, item.limbs(below), 0, item.ty.width);
                    lo += item.ty.width;
                }
            }
            WideOp::Shift { right, value, amount } => {
                let n = limbs::amount(amount.limbs(below), width);
                shift(dst, value.limbs(below), value.ty, *right, n);
            }
            WideOp::Mux { select, high, low } => {
                let chosen = if below[*select as usize] != 0 { high } else { low };
                dst.copy_from_slice(chosen.limbs(below));
            }
            WideOp::Select { index, items } => {
                let last = items.len() as u32 - 1;
                let index = limbs::amount(index.limbs(below), last);
                dst.copy_from_slice(items[index as usize].limbs(below));
            }
            WideOp::Read { mem, addr } => match mems[*mem as usize].word(below[*addr as usize]) {
                Some(word) => dst.copy_from_slice(word),
                None => dst.fill(0),
            },
        }
        limbs::mask(dst, width);
    }
}

fn unary(op: Unary, dst: &mut [u64], a: &[u64], width: u32) {
    match op {
        Unary::Not => dst.iter_mut().zip(a).for_each(|(d, x)| *d = !x),
        Unary::Neg => {
            dst.fill(0);
            let zero = dst.to_vec();
            limbs::sub(dst, &zero, a);
        }
        Unary::ReduceAnd => {
            let (top, rest) = a.split_last().expect("no value is empty");
            dst[0] = u64::from(*top == limbs::top_mask(width) && rest.iter().all(|&x| x == u64::MAX));
        }
        Unary::ReduceOr => dst[0] = u64::from(a.iter().any(|&x| x != 0)),
        Unary::ReduceXor => dst[0] = u64::from(a.iter().fold(0, |all, x| all ^ x).count_ones() & 1),
    }
}

fn binary(op: Binary, dst: &mut [u64], a: &[u64], b: &[u64], ty: Type) {
    let mut bitwise = |f: fn(u64, u64) -> u64| {
        dst.iter_mut().zip(a.iter().zip(b)).for_each(|(d, (&x, &y))| *d = f(x, y));
    };
    match op {
        Binary::Add => limbs::add(dst, a, b),
        Binary::Sub => limbs::sub(dst, a, b),
        Binary::Mul => limbs::mul(dst, a, b),
        Binary::And => bitwise(|x, y| x & y),
        Binary::Or => bitwise(|x, y| x | y),
        Binary::Xor => bitwise(|x, y| x ^ y),
        Binary::Eq => dst[0] = u64::from(a == b),
        Binary::Ne => dst[0] = u64::from(a != b),
        Binary::Lt => dst[0] = u64::from(limbs::compare(a, b, ty.width, ty.signed).is_lt()),
        Binary::Le => dst[0] = u64::from(limbs::compare(a, b, ty.width, ty.signed).is_le()),
    }
}

/// Shift by `n`, at most the width.
fn shift(dst: &mut [u64], a: &[u64], ty: Type, right: bool, n: u32) {
    let kept = ty.width - n;
    if right {
        limbs::copy(dst, 0, a, n, kept);
        limbs::fill(dst, kept, n, ty.signed && limbs::bit(a, ty.width - 1));
    } else {
        limbs::fill(dst, 0, n, false);
        limbs::copy(dst, n, a, 0, kept);
    }
}
