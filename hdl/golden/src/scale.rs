//! `Scale`: an unsigned 16-bit mantissa in [2^15, 2^16) (or 0) and an exponent; value = m * 2^e.

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

    /// The value as a real number.
    pub fn to_f64(self) -> f64 {
        f64::from(self.mantissa) * f64::from(self.exponent).exp2()
    }
}
