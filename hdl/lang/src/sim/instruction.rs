//! The program that computes all combinational values: one instruction per value, in order.
//!
//! A slot is an index into the `u64` values; results of at most 64 bits from such operands take the
//! short forms, everything else is [`Wide`]. Values are always masked to their width.

use super::wide::Wide;
use crate::node::Unary;

/// Index of the lowest limb of a value.
pub(super) type Slot = u32;

pub(super) enum Instruction {
    Add {
        d: Slot,
        a: Slot,
        b: Slot,
        mask: u64,
    },
    Sub {
        d: Slot,
        a: Slot,
        b: Slot,
        mask: u64,
    },
    Mul {
        d: Slot,
        a: Slot,
        b: Slot,
        mask: u64,
    },
    And {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Not {
        d: Slot,
        a: Slot,
        mask: u64,
    },
    Neg {
        d: Slot,
        a: Slot,
        mask: u64,
    },
    Eq {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ne {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// `flip`: the sign bit if signed, so that an unsigned comparison gives the signed order.
    Lt {
        d: Slot,
        a: Slot,
        b: Slot,
        flip: u64,
    },
    Le {
        d: Slot,
        a: Slot,
        b: Slot,
        flip: u64,
    },
    Mux {
        d: Slot,
        select: Slot,
        high: Slot,
        low: Slot,
    },
    Slice {
        d: Slot,
        a: Slot,
        lo: u8,
        mask: u64,
    },
    /// Of two neighbouring limbs.
    SliceAcross {
        d: Slot,
        a: Slot,
        lo: u8,
        mask: u64,
    },
    SignExtend {
        d: Slot,
        a: Slot,
        shift: u8,
        mask: u64,
    },
    Cat2 {
        d: Slot,
        low: Slot,
        high: Slot,
        shift: u8,
    },
    Cat {
        d: Slot,
        items: Box<[(Slot, u8)]>,
    },
    ReduceAnd {
        d: Slot,
        a: Slot,
        mask: u64,
    },
    ReduceOr {
        d: Slot,
        a: Slot,
    },
    ReduceXor {
        d: Slot,
        a: Slot,
    },
    ShiftLeft {
        d: Slot,
        a: Slot,
        amount: Slot,
        mask: u64,
    },
    /// `sign`: the shift that moves the sign to bit 63, if signed.
    ShiftRight {
        d: Slot,
        a: Slot,
        amount: Slot,
        sign: Option<u8>,
        mask: u64,
    },
    Select {
        d: Slot,
        index: Slot,
        items: Box<[Slot]>,
    },
    Read {
        d: Slot,
        mem: u32,
        addr: Slot,
    },
    Wide(Box<Wide>),
}

/// Contents of one memory: words of `limbs` each.
pub(super) struct Memory {
    pub(super) words: Vec<u64>,
    pub(super) limbs: usize,
    pub(super) depth: u64,
}

impl Memory {
    /// The word at `addr`, or nothing above the last one.
    pub(super) fn word(&self, addr: u64) -> Option<&[u64]> {
        let at = (addr < self.depth).then_some(addr as usize * self.limbs)?;
        Some(&self.words[at..at + self.limbs])
    }
}

pub(super) fn execute(program: &[Instruction], v: &mut [u64], mems: &[Memory]) {
    for instruction in program {
        step(instruction, v, mems);
    }
}

#[inline(always)]
fn step(instruction: &Instruction, v: &mut [u64], mems: &[Memory]) {
    use Instruction as I;
    let at = |slot: &Slot| v[*slot as usize];
    let (d, value) = match instruction {
        I::Add { d, a, b, mask } => (d, at(a).wrapping_add(at(b)) & mask),
        I::Sub { d, a, b, mask } => (d, at(a).wrapping_sub(at(b)) & mask),
        I::Mul { d, a, b, mask } => (d, at(a).wrapping_mul(at(b)) & mask),
        I::And { d, a, b } => (d, at(a) & at(b)),
        I::Or { d, a, b } => (d, at(a) | at(b)),
        I::Xor { d, a, b } => (d, at(a) ^ at(b)),
        I::Not { d, a, mask } => (d, !at(a) & mask),
        I::Neg { d, a, mask } => (d, at(a).wrapping_neg() & mask),
        I::Eq { d, a, b } => (d, u64::from(at(a) == at(b))),
        I::Ne { d, a, b } => (d, u64::from(at(a) != at(b))),
        I::Lt { d, a, b, flip } => (d, u64::from(at(a) ^ flip < at(b) ^ flip)),
        I::Le { d, a, b, flip } => (d, u64::from(at(a) ^ flip <= at(b) ^ flip)),
        I::Mux { d, select, high, low } => (d, if at(select) != 0 { at(high) } else { at(low) }),
        I::Slice { d, a, lo, mask } => (d, at(a) >> lo & mask),
        I::SliceAcross { d, a, lo, mask } => (d, (at(a) >> lo | at(&(a + 1)) << (64 - lo)) & mask),
        I::SignExtend { d, a, shift, mask } => (d, sign_extend(at(a), *shift) & mask),
        I::Cat2 { d, low, high, shift } => (d, at(low) | at(high) << shift),
        I::Cat { d, items } => (d, items.iter().fold(0, |word, (slot, shift)| word | at(slot) << shift)),
        I::ReduceAnd { d, a, mask } => (d, u64::from(at(a) == *mask)),
        I::ReduceOr { d, a } => (d, u64::from(at(a) != 0)),
        I::ReduceXor { d, a } => (d, u64::from(at(a).count_ones() & 1)),
        I::ShiftLeft { d, a, amount, mask } => (d, at(a).checked_shl(shift_amount(at(amount))).unwrap_or(0) & mask),
        I::ShiftRight { d, a, amount, sign, mask } => (d, shift_right(at(a), at(amount), *sign) & mask),
        I::Select { d, index, items } => (d, at(&items[(at(index) as usize).min(items.len() - 1)])),
        I::Read { d, mem, addr } => (d, mems[*mem as usize].word(at(addr)).map_or(0, |w| w[0])),
        I::Wide(wide) => return wide.execute(v, mems),
    };
    v[*d as usize] = value;
}

/// Extends the sign that `shift` moves to bit 63; a shift of zero leaves the value.
fn sign_extend(value: u64, shift: u8) -> u64 {
    ((value << shift) as i64 >> shift) as u64
}

fn shift_amount(amount: u64) -> u32 {
    amount.min(64) as u32
}

fn shift_right(value: u64, amount: u64, sign: Option<u8>) -> u64 {
    match sign {
        None => value.checked_shr(shift_amount(amount)).unwrap_or(0),
        Some(shift) => (sign_extend(value, shift) as i64 >> amount.min(63)) as u64,
    }
}

/// The short form of a unary operator on `width` bits.
pub(super) fn unary(unary: Unary, d: Slot, a: Slot, mask: u64) -> Instruction {
    match unary {
        Unary::Not => Instruction::Not { d, a, mask },
        Unary::Neg => Instruction::Neg { d, a, mask },
        Unary::ReduceAnd => Instruction::ReduceAnd { d, a, mask },
        Unary::ReduceOr => Instruction::ReduceOr { d, a },
        Unary::ReduceXor => Instruction::ReduceXor { d, a },
    }
}
