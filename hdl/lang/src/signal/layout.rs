//! Widths, signs and the order of bits: extension, slices, lanes.

use super::{Signal, build};
use crate::errors::Problem;
use crate::node::Op;
use crate::types::{Type, unsigned};
use std::panic::Location;

impl Signal {
    /// Zero- or sign-extends by its own sign.
    #[track_caller]
    pub fn extend(self, width: u32) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let from = b.ty(a);
            let ty = Type { width, ..from };
            match () {
                () if b.is_poison(a) || !b.width_ok(line, "extend", width.into()) => b.quiet_poison(ty),
                () if width < from.width => b.poison(line, Problem::Extend { from, to: width }, ty),
                () => b.node(Op::Extend(a), ty),
            }
        })
    }

    /// Brings to at least `width` bits; a wider operand stays and is reported by the operator that follows.
    #[track_caller]
    pub(super) fn extend_unchecked(self, width: u32) -> Signal {
        if self.width() > width { self } else { self.extend(width) }
    }

    /// Keeps the low `width` bits and the sign.
    #[track_caller]
    pub fn trunc(self, width: u32) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let from = b.ty(a);
            let ty = Type { width, ..from };
            match () {
                () if b.is_poison(a) || !b.width_ok(line, "trunc", width.into()) => b.quiet_poison(ty),
                () if width > from.width => b.poison(line, Problem::Trunc { from, to: width }, ty),
                () => {
                    let low = b.node(Op::Slice { from: a, lo: 0 }, unsigned(width));
                    b.node(Op::Cast(low), ty)
                }
            }
        })
    }

    /// The same bits read as two's complement.
    #[track_caller]
    pub fn as_signed(self) -> Signal {
        self.with_sign(true)
    }

    /// The same bits read as unsigned.
    #[track_caller]
    pub fn as_unsigned(self) -> Signal {
        self.with_sign(false)
    }

    #[track_caller]
    pub(super) fn with_sign(self, signed: bool) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let ty = Type { signed, ..b.ty(a) };
            if b.is_poison(a) { b.quiet_poison(ty) } else { b.node(Op::Cast(a), ty) }
        })
    }

    /// The same number as signed: an unsigned operand gets one bit wider, a signed one stays.
    #[track_caller]
    pub fn as_signed_ext(self) -> Signal {
        let ty = self.ty();
        if ty.signed { self } else { self.extend(ty.width + 1).as_signed() }
    }

    /// Bits `lo .. lo + width`, unsigned.
    #[track_caller]
    pub fn slice(self, lo: u32, width: u32) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let (of, ty) = (b.ty(a), unsigned(width));
            let (lo64, width64) = (u64::from(lo), u64::from(width));
            match () {
                () if b.is_poison(a) || !b.width_ok(line, "slice", width64) => b.quiet_poison(ty),
                () if lo64 + width64 > u64::from(of.width) => {
                    b.poison(line, Problem::Range { lo: lo64, width: width64, of }, ty)
                }
                () => b.node(Op::Slice { from: a, lo }, ty),
            }
        })
    }

    /// Bit `i`.
    #[track_caller]
    pub fn bit(self, i: u32) -> Signal {
        self.slice(i, 1)
    }

    /// The highest bit: the sign of a signed number.
    #[track_caller]
    pub fn msb(self) -> Signal {
        self.bit(self.width() - 1)
    }

    /// Splits a packed bus; lane `i` is bits `[width * i +: width]`, unsigned.
    #[track_caller]
    pub fn lanes(self, width: u32) -> Vec<Signal> {
        let (line, from) = (Location::caller(), self.ty());
        if width == 0 || !from.width.is_multiple_of(width) {
            let stand_in = build(|b| b.poison(line, Problem::Lanes { from, lane: width }, unsigned(width)));
            return vec![stand_in; from.width.div_ceil(width.max(1)) as usize];
        }
        (0..from.width / width).map(|i| self.slice(i * width, width)).collect()
    }

    /// `n` copies side by side, unsigned.
    #[track_caller]
    pub fn repeat(self, n: u32) -> Signal {
        let line = Location::caller();
        build(|b| {
            let a = b.resolve(line, self);
            let width = u64::from(b.ty(a).width) * u64::from(n);
            let ty = unsigned(width.min(u64::from(u32::MAX)) as u32);
            let fits = b.width_ok(line, "repeat", width);
            if !fits || b.is_poison(a) { b.quiet_poison(ty) } else { b.node(Op::Repeat(a), ty) }
        })
    }
}
