//! Integer rounding and saturation shared by every operation.

use crate::draw::{CASES, Draw};

/// `(x + 2^(n-1)) >> n`, arithmetic: round half up. `n` is clamped to 0..=63; 0 is the identity.
pub fn rsh(x: i64, n: i32) -> i64 {
    if n <= 0 {
        return x;
    }
    let n = n.min(63);
    // Equal to the definition, and cannot overflow.
    (x >> n) + ((x >> (n - 1)) & 1)
}

/// Clamp to 32 bits, two's complement.
pub fn sat32(x: i64) -> i32 {
    x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Clamp to a code: -127..=127. -128 is never produced.
pub fn code(x: i64) -> i8 {
    x.clamp(-127, 127) as i8
}

/// One shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Value.
    pub x: i64,
    /// Bits.
    pub n: i32,
}

/// Ties and extremes first, then seeded values whose results need 0 to 40 bits.
pub fn cases() -> impl Iterator<Item = Case> {
    let edges = [0, 1, -1, 2, -2, 3, -3, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1, 1 << 31, -(1 << 31) - 1];
    let chosen = edges.into_iter().flat_map(|x| [-200, -1, 0, 1, 2, 31, 32, 62, 63, 64, 200].map(|n| Case { x, n }));
    let ties = (1..63).flat_map(|n| [-3, -1, 1, 3].map(|odd| (odd, n))).flat_map(|(odd, n)| {
        let tie = (i128::from(odd) << (n - 1)) as i64;
        [-1, 0, 1].map(|off| Case { x: tie.wrapping_add(off), n })
    });
    let mut draw = Draw::new(1);
    let seeded = (0..CASES).map(move |_| {
        let n = draw.within(0..=63) as i32;
        Case { x: draw.signed((n as u32 + 40).min(64)), n }
    });
    chosen.chain(ties).chain(seeded)
}

/// A lane that shifts and saturates.
pub fn check(mut engine: impl FnMut(Case) -> i32) {
    for c in cases() {
        assert_eq!(engine(c), sat32(rsh(c.x, c.n)), "{c:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_the_floor_of_the_quotient_plus_one_half() {
        for c in cases() {
            let n = c.n.clamp(0, 63);
            let half = (1i128 << n) / 2;
            assert_eq!(i128::from(rsh(c.x, c.n)), (i128::from(c.x) + half).div_euclid(1 << n), "{c:?}");
        }
    }

    #[test]
    fn the_case_list_rounds_more_than_it_saturates() {
        let saturated = cases().filter(|c| i64::from(sat32(rsh(c.x, c.n))) != rsh(c.x, c.n)).count();
        assert!(saturated * 3 < cases().count(), "{saturated}");
        check(|c| i32::try_from(rsh(c.x, c.n)).unwrap_or(if c.x < 0 { i32::MIN } else { i32::MAX }));
    }

    #[test]
    fn codes_are_symmetric() {
        assert_eq!([-1000, -128, -127, 127, 128].map(code), [-127, -127, -127, 127, 127]);
    }
}
