//! Contents of the special-function ROMs. The golden model and the RTL read them from here.

/// Seeds of the reciprocal: entry i covers mantissas `[2^15 + 512 i, 2^15 + 512 (i + 1))` and holds
/// `2^31 / m` at the middle, at most 65535.
pub fn recip_seeds() -> [u16; 64] {
    std::array::from_fn(|i| {
        let middle = 32768.0 + 512.0 * (i as f64 + 0.5);
        (2f64.powi(31) / middle).round().min(65535.0) as u16
    })
}

/// Seeds of the reciprocal square root over v in [1, 4): entry i covers `[1 + i/64, 1 + (i+1)/64)`
/// and holds `2^16 / sqrt(v)` at the middle, at most 65535.
pub fn rsqrt_seeds() -> [u16; 192] {
    std::array::from_fn(|i| {
        let middle = 1.0 + (i as f64 + 0.5) / 64.0;
        (65536.0 / middle.sqrt()).round().min(65535.0) as u16
    })
}

/// One linear segment: `base + (slope * low >> bits of low)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Value at the left end, at most 2^16.
    pub base: u32,
    /// Rise over the segment.
    pub slope: u16,
}

/// `2^f` for f in [0, 1), Q15, 64 segments.
pub fn exp2_segments() -> [Segment; 64] {
    std::array::from_fn(|i| segment(|x| x.exp2() * 32768.0, i as f64 / 64.0, 1.0 / 64.0))
}

/// Sigmoid over [-8, 8), Q16, 128 segments of 1/8.
pub fn sigmoid_segments() -> [Segment; 128] {
    std::array::from_fn(|i| segment(|x| 65536.0 / (1.0 + (-x).exp()), i as f64 / 8.0 - 8.0, 1.0 / 8.0))
}

/// Gate of GELU (tanh form), `gelu(x) / x`, over [-4, 4), Q16, 128 segments of 1/16.
pub fn gelu_segments() -> [Segment; 128] {
    let gate = |x: f64| {
        let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
        32768.0 * (1.0 + inner.tanh())
    };
    std::array::from_fn(|i| segment(gate, i as f64 / 16.0 - 4.0, 1.0 / 16.0))
}

fn segment(f: impl Fn(f64) -> f64, left: f64, width: f64) -> Segment {
    let base = f(left).round();
    Segment { base: base as u32, slope: (f(left + width).round() - base) as u16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Guards against a platform whose floating-point functions round differently.
    #[test]
    fn the_tables_are_the_published_ones() {
        let sum = |segments: &[Segment]| {
            segments
                .iter()
                .fold(0u64, |h, s| h.wrapping_mul(1_000_003) ^ (u64::from(s.base) << 16 | u64::from(s.slope)))
        };
        let words = |seeds: &[u16]| seeds.iter().fold(0u64, |h, s| h.wrapping_mul(1_000_003) ^ u64::from(*s));
        let all = [
            words(&recip_seeds()),
            words(&rsqrt_seeds()),
            sum(&exp2_segments()),
            sum(&sigmoid_segments()),
            sum(&gelu_segments()),
        ];
        let published = [
            5500504535839560652,
            16479171501713230157,
            7067330720152105308,
            16245553651731161288,
            16574091094026580374,
        ];
        assert_eq!(all, published);
    }
}
