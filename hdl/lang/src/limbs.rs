//! Arithmetic on little-endian `u64` limbs. Results are modulo the length of `dst`; the caller masks
//! the unused bits of the top limb with [`mask`], and operands are always masked.

use std::cmp::Ordering;

/// Number of limbs that hold `width` bits.
pub(crate) fn count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// Mask of the used bits of the top limb.
pub(crate) fn top_mask(width: u32) -> u64 {
    match width % 64 {
        0 => u64::MAX,
        r => (1 << r) - 1,
    }
}

/// Clears the unused bits of the top limb.
pub(crate) fn mask(dst: &mut [u64], width: u32) {
    if let Some(top) = dst.last_mut() {
        *top &= top_mask(width);
    }
}

/// Bit `i`.
pub(crate) fn bit(a: &[u64], i: u32) -> bool {
    a[(i / 64) as usize] >> (i % 64) & 1 == 1
}

pub(crate) fn add(dst: &mut [u64], a: &[u64], b: &[u64]) {
    let mut carry = false;
    for ((d, &x), &y) in dst.iter_mut().zip(a).zip(b) {
        let (s, c1) = x.overflowing_add(y);
        let (s, c2) = s.overflowing_add(u64::from(carry));
        (*d, carry) = (s, c1 | c2);
    }
}

pub(crate) fn sub(dst: &mut [u64], a: &[u64], b: &[u64]) {
    let mut borrow = false;
    for ((d, &x), &y) in dst.iter_mut().zip(a).zip(b) {
        let (s, b1) = x.overflowing_sub(y);
        let (s, b2) = s.overflowing_sub(u64::from(borrow));
        (*d, borrow) = (s, b1 | b2);
    }
}

/// Low limbs of the product; `a` and `b` are as long as `dst` (already extended by their signs).
pub(crate) fn mul(dst: &mut [u64], a: &[u64], b: &[u64]) {
    dst.fill(0);
    let n = dst.len();
    for (i, &x) in a.iter().enumerate().take(n) {
        let mut carry = 0u128;
        for (j, &y) in b.iter().enumerate().take(n - i) {
            let t = u128::from(x) * u128::from(y) + u128::from(dst[i + j]) + carry;
            dst[i + j] = t as u64;
            carry = t >> 64;
        }
    }
}

/// Compares as numbers of `width` bits.
pub(crate) fn compare(a: &[u64], b: &[u64], width: u32, signed: bool) -> Ordering {
    let unsigned = a.iter().rev().cmp(b.iter().rev());
    match (signed, bit(a, width - 1), bit(b, width - 1)) {
        (true, true, false) => Ordering::Less,
        (true, false, true) => Ordering::Greater,
        _ => unsigned,
    }
}

/// Copies `width` bits from `src` at `src_lo` to `dst` at `dst_lo`; other bits of `dst` stay.
pub(crate) fn copy(dst: &mut [u64], dst_lo: u32, src: &[u64], src_lo: u32, width: u32) {
    let mut done = 0;
    while done < width {
        let (d, s) = (dst_lo + done, src_lo + done);
        let n = (width - done).min(64 - d % 64).min(64 - s % 64);
        let m = top_mask(n);
        let value = src[(s / 64) as usize] >> (s % 64) & m;
        let limb = &mut dst[(d / 64) as usize];
        *limb = *limb & !(m << (d % 64)) | value << (d % 64);
        done += n;
    }
}

/// Sets `width` bits of `dst` from `lo` on to `value`.
pub(crate) fn fill(dst: &mut [u64], lo: u32, width: u32, value: bool) {
    let mut done = 0;
    while done < width {
        let d = lo + done;
        let n = (width - done).min(64 - d % 64);
        let m = top_mask(n) << (d % 64);
        let limb = &mut dst[(d / 64) as usize];
        *limb = if value { *limb | m } else { *limb & !m };
        done += n;
    }
}

/// `dst` is `a` of `from` bits extended to `to` bits, by its sign if `signed`.
pub(crate) fn extend(dst: &mut [u64], a: &[u64], from: u32, to: u32, signed: bool) {
    let n = a.len();
    dst[..n].copy_from_slice(a);
    dst[n..].fill(0);
    fill(dst, from, to - from, signed && bit(a, from - 1));
}

/// The value as a shift amount, saturated at `limit`.
pub(crate) fn amount(a: &[u64], limit: u32) -> u32 {
    let big = a[1..].iter().any(|&x| x != 0) || a[0] > u64::from(limit);
    if big { limit } else { a[0] as u32 }
}
