//! Integer rounding and saturation shared by every operation.

/// `(x + 2^(n-1)) >> n`, arithmetic: round half up. `n` is clamped to 0..=63; 0 is the identity.
pub fn rsh(x: i64, n: i32) -> i64 {
    if n <= 0 {
        return x;
    }
    let n = n.min(63);
    // Equal to the definition, and cannot overflow.
    (x >> n) + (x >> (n - 1) & 1)
}

/// Clamp to 32 bits, two's complement.
pub fn sat32(x: i64) -> i32 {
    x.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Clamp to a code: -127..=127. -128 is never produced.
pub fn code(x: i64) -> i8 {
    x.clamp(-127, 127) as i8
}
