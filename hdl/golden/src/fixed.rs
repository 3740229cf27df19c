//! Integer rounding and saturation shared by every operation.

/// `(x + 2^(n-1)) >> n`, arithmetic: round half up. `n` is clamped to 0..=63; 0 is the identity.
pub fn rsh(x: i64, n: i32) -> i64 {
    match n {
        ..=0 => x,
        1..=63 => ((i128::from(x) + (1i128 << (n - 1))) >> n) as i64,
        _ => rsh(x, 63),
    }
}

/// Clamp to 32 bits, two's complement.
pub fn sat32(x: i64) -> i32 {
    x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Clamp to a code: -127..=127. -128 is never produced.
pub fn code(x: i64) -> i8 {
    x.clamp(-127, 127) as i8
}
