//! Sum of two products, its rounding shift, and saturation to a value or a code.
//! Golden twins: `golden::fixed::{rsh, sat32, code}`.
//!
//! The sum gets a zero below its lowest bit, so a shift by n leaves the bit that decides the rounding, and n = 0 is
//! no special case. Only the bits that a result can use are shifted; of the others it is kept whether they agree
//! with the sign.

use sagen_lang::{Module, Signal, cat, high, lit, low, signed};

/// Bits that the coarse shift leaves for the fine one.
const LEFT: u32 = 36;
/// Bits of a value and the one below.
const KEPT: u32 = 33;

/// A sum: its low 63 bits, and its sign.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    pub(super) bits: Signal,
    pub(super) sign: Signal,
}

/// `p1`, or `p1 + p2` where `paired`, or `p1 - p2` where `minus` too. Pairs of products have room to spare.
pub(super) fn sum(p1: Signal, p2: Signal, paired: Signal, minus: Signal) -> Sum {
    let second = paired.mux(p2.slice(0, 63) ^ minus.repeat(63), lit(63, 0));
    let total = cat(&[second, minus]) + cat(&[p1.slice(0, 63), high()]);
    Sum { bits: total.slice(1, 63), sign: paired.mux(total.msb(), p1.msb()) }
}

/// A number on its way to the lowest bits.
#[derive(Clone, Copy)]
pub(super) struct Shifted {
    pub(super) bits: Signal,
    pub(super) sign: Signal,
    /// A bit above `bits` differs from the sign.
    pub(super) beyond: Signal,
}

/// Shift by 4 times `amount`.
pub(super) fn coarse(m: &Module, sum: Sum, amount: Signal) -> Shifted {
    let Sum { bits, sign } = sum;
    let half = cat(&[bits, low()]);
    let (sixteens, fours) = (amount.slice(2, 2), amount.slice(0, 2));
    let by32 = cat(&[sign.repeat(16), half.slice(32, 32)]);
    let by48 = cat(&[sign.repeat(32), half.slice(48, 16)]);
    let x = m.net("by_sixteens", sixteens.select(&[half.slice(0, 48), half.slice(16, 48), by32, by48]));
    let top = sixteens.is_zero() & differs(half.slice(48, 16), sign);
    let dropped = |n: u32| differs(x.slice(LEFT + 4 * n, 4), sign) & fours.le_lit(n);
    Shifted {
        bits: fours.select(&[0, 1, 2, 3].map(|n| x.slice(4 * n, LEFT))),
        sign,
        beyond: top | dropped(0) | dropped(1) | dropped(2),
    }
}

fn differs(bits: Signal, sign: Signal) -> Signal {
    (bits ^ sign.repeat(bits.width())).reduce_or()
}

/// Shift by `amount`, which is less than 4, and round half up. `beyond` then says that the floor has more than 32 bits.
pub(super) fn fine(m: &Module, x: Shifted, amount: Signal) -> Shifted {
    let y = m.net("with_half", amount.select(&[0, 1, 2, 3].map(|n| x.bits.slice(n, KEPT))));
    let dropped = |n: u32| x.bits.bit(KEPT + n).ne(x.sign) & amount.le_lit(n);
    let beyond = x.beyond | dropped(0) | dropped(1) | dropped(2) | y.msb().ne(x.sign);
    Shifted { bits: y.slice(1, 32) + y.bit(0).extend(32), sign: x.sign, beyond }
}

/// The value and the code of a rounded number.
pub(super) fn saturate(m: &Module, x: Shifted) -> (Signal, Signal) {
    let Shifted { bits, sign, beyond } = x;
    // The greatest floor may have been rounded up.
    let full = m.net("full", beyond | (!sign & bits.msb()));
    let value = full.mux(cat(&[sign, (!sign).repeat(31)]), bits);
    let (greatest, least) = (m.lit(signed(8), 127), m.lit(signed(8), -127));
    let wide = m.net("wide", full | differs(bits.slice(7, 24), bits.msb()));
    let code = wide.mux(sign.mux(least, greatest), bits.slice(0, 8).as_signed());
    // -128 is never produced.
    let lowest = code.msb() & code.slice(0, 7).is_zero();
    (value, cat(&[code.slice(1, 7), code.bit(0) | lowest]))
}
