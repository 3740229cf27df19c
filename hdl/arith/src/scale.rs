//! `Scale`: an unsigned 16-bit mantissa in [2^15, 2^16) (or 0) and an exponent; value = m * 2^e.

use crate::draw::{CASES, Draw};

/// A positive scale factor, or zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// 0, or in [2^15, 2^16).
    pub mantissa: u16,
    /// Power of two; 0 where the mantissa is 0.
    pub exponent: i16,
}

impl Scale {
    /// The 16 leading bits of an integer; lower bits are dropped.
    pub fn from_integer(x: u128) -> Self {
        if x == 0 {
            return Self::default();
        }
        let exponent = 128 - x.leading_zeros() as i16 - 16;
        let mantissa = if exponent >= 0 { x >> exponent } else { x << -exponent };
        Self { mantissa: mantissa as u16, exponent }
    }

    /// Product; bits below the mantissa are dropped.
    pub fn times(self, other: Self) -> Self {
        let product = u32::from(self.mantissa) * u32::from(other.mantissa);
        let drop = match product {
            0 => return Self::default(),
            p if p >> 31 == 1 => 16,
            _ => 15,
        };
        Self { mantissa: (product >> drop) as u16, exponent: self.exponent + other.exponent + drop }
    }

    /// Nearest scale to a real number, for the compiler.
    pub fn from_f64(x: f64) -> Self {
        assert!(x.is_finite() && x >= 0.0, "a scale is finite and not negative, found {x}");
        if x == 0.0 {
            return Self::default();
        }
        let mut exponent = x.log2().floor() as i16 - 15;
        let mut mantissa = (x / f64::from(exponent).exp2()).round();
        if mantissa >= 65536.0 {
            (mantissa, exponent) = (mantissa / 2.0, exponent + 1);
        }
        Self { mantissa: mantissa as u16, exponent }
    }

    /// As memories hold it: the mantissa in bits 0..16, the exponent in bits 16..24, which it must fit.
    pub fn to_word(self) -> u32 {
        let exponent = i8::try_from(self.exponent).expect("a scale in memory has an exponent of 8 bits");
        u32::from(self.mantissa) | u32::from(exponent.cast_unsigned()) << 16
    }

    /// What such a word means.
    pub fn from_word(word: u32) -> Self {
        Self { mantissa: word as u16, exponent: i16::from((word >> 16) as u8 as i8) }
    }

    /// The value as a real number.
    pub fn to_f64(self) -> f64 {
        f64::from(self.mantissa) * f64::from(self.exponent).exp2()
    }
}

/// One product of an integer's scale and another scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Integer.
    pub x: u128,
    /// Factor.
    pub factor: Scale,
}

/// Powers of two and their neighbours first, then seeded values of 0 to 80 bits.
pub fn cases() -> impl Iterator<Item = Case> {
    let factors = [Scale::default(), Scale { mantissa: 32768, exponent: -15 }, Scale { mantissa: 65535, exponent: 9 }];
    let edges = (0..80).flat_map(|n| [1u128 << n, (1 << n) - 1, (1 << n) + 1, (1 << n) | ((1 << n) >> 16)]);
    let chosen = edges.flat_map(move |x| factors.map(|factor| Case { x, factor }));
    let mut draw = Draw::new(2);
    let seeded = (0..CASES).map(move |_| Case { x: draw.unsigned(80), factor: draw.scale(-60..=40) });
    chosen.chain(seeded)
}

/// An engine for `from_integer(x).times(factor)`.
pub fn check(mut engine: impl FnMut(Case) -> Scale) {
    for c in cases() {
        assert_eq!(engine(c), Scale::from_integer(c.x).times(c.factor), "{c:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_loses_less_than_one_part_in_two_to_the_fifteen() {
        for c in cases() {
            let s = Scale::from_integer(c.x);
            let (m, e) = (u128::from(s.mantissa), s.exponent);
            let (low, high) = if e >= 0 { (m << e, (m + 1) << e) } else { (m >> -e, (m >> -e) + 1) };
            assert!(low <= c.x && c.x < high, "{c:?} {s:?}");
            assert!(c.x == 0 || m >> 15 == 1, "{c:?} {s:?}");
        }
    }

    #[test]
    fn a_product_is_the_real_one_with_its_low_bits_dropped() {
        for c in cases() {
            let s = Scale::from_integer(c.x);
            let exact = s.to_f64() * c.factor.to_f64();
            let dropped = exact - s.times(c.factor).to_f64();
            assert!((0.0..=exact / 32768.0).contains(&dropped), "{c:?}");
            assert!(exact == 0.0 || s.times(c.factor).mantissa >> 15 == 1, "{c:?}");
        }
    }

    #[test]
    fn reals_round_to_the_nearest_scale() {
        let mut draw = Draw::new(3);
        for _ in 0..CASES {
            let x = draw.unsigned(60) as f64 / 1e6;
            assert!((Scale::from_f64(x).to_f64() - x).abs() <= x / 65536.0, "{x}");
        }
        assert_eq!(Scale::from_f64(1.999_999_9), Scale { mantissa: 32768, exponent: -14 });
    }
}
