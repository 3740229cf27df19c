//! A value of any width, as the interpreter and the constants see it.

use crate::limbs;
use crate::types::{Type, Value};
use std::fmt;
use std::hash::{Hash, Hasher};

/// `width` bits with a sign. Two values are equal if their widths and bits are.
#[derive(Clone)]
pub struct Bits {
    width: u32,
    signed: bool,
    limbs: Vec<u64>,
}

impl Bits {
    /// All bits zero.
    pub fn zero(ty: Type) -> Bits {
        Bits { width: ty.width, signed: ty.signed, limbs: vec![0; limbs::count(ty.width)] }
    }

    /// The low `width` bits of little-endian limbs, unsigned; missing limbs are zero.
    pub fn from_limbs(words: &[u64], width: u32) -> Bits {
        let mut bits = Bits::zero(Type { width, signed: false });
        for (limb, word) in bits.limbs.iter_mut().zip(words) {
            *limb = *word;
        }
        limbs::mask(&mut bits.limbs, width);
        bits
    }

    /// `value` reduced to the width of `ty`, two's complement.
    pub fn of(ty: Type, value: impl Value) -> Bits {
        let value = value.value();
        let mut bits = Bits::zero(ty);
        let filler = if value < 0 { u64::MAX } else { 0 };
        for (i, limb) in bits.limbs.iter_mut().enumerate() {
            *limb = match i {
                0 => value as u64,
                1 => (value >> 64) as u64,
                _ => filler,
            };
        }
        limbs::mask(&mut bits.limbs, ty.width);
        bits
    }

    /// The same bits read with another sign.
    #[must_use]
    pub fn with_sign(mut self, signed: bool) -> Bits {
        self.signed = signed;
        self
    }

    /// Number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Width and sign.
    pub fn ty(&self) -> Type {
        Type { width: self.width, signed: self.signed }
    }

    /// The little-endian limbs; unused bits of the last one are zero.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    pub(crate) fn limbs_mut(&mut self) -> &mut [u64] {
        &mut self.limbs
    }

    /// Bit `i`.
    pub fn bit(&self, i: u32) -> bool {
        limbs::bit(&self.limbs, i)
    }

    /// Bits `lo .. lo + width`, unsigned.
    #[must_use]
    pub fn slice(&self, lo: u32, width: u32) -> Bits {
        let mut out = Bits::zero(Type { width, signed: false });
        limbs::copy(&mut out.limbs, 0, &self.limbs, lo, width);
        out
    }

    /// Lane `i` of `width` bits: bits `width * i ..`.
    #[must_use]
    pub fn lane(&self, i: u32, width: u32) -> Bits {
        self.slice(i * width, width)
    }

    /// Joins values, the first one lowest. `None` if there are none.
    pub fn pack(lanes: &[Bits]) -> Option<Bits> {
        let width = lanes.iter().map(|l| l.width).sum();
        let mut out = (width > 0).then(|| Bits::zero(Type { width, signed: false }))?;
        let mut lo = 0;
        for lane in lanes {
            limbs::copy(&mut out.limbs, lo, &lane.limbs, 0, lane.width);
            lo += lane.width;
        }
        Some(out)
    }

    /// The raw bits as a number.
    ///
    /// # Panics
    /// If a bit above bit 63 is set.
    pub fn to_u64(&self) -> u64 {
        assert!(self.limbs[1..].iter().all(|&l| l == 0), "{self:?} does not fit in 64 bits");
        self.limbs[0]
    }

    /// The number with its own sign.
    ///
    /// # Panics
    /// If it does not fit in `i64`.
    pub fn to_i64(&self) -> i64 {
        i64::try_from(self.to_i128()).unwrap_or_else(|_| panic!("{self:?} does not fit in i64"))
    }

    /// The number with its own sign.
    ///
    /// # Panics
    /// If it does not fit in `i128`.
    pub fn to_i128(&self) -> i128 {
        let negative = self.signed && self.bit(self.width - 1);
        let mut wide = vec![0; self.limbs.len().max(2)];
        let to = 64 * wide.len() as u32;
        limbs::extend(&mut wide, &self.limbs, self.width, to, self.signed);
        let value = (u128::from(wide[1]) << 64 | u128::from(wide[0])) as i128;
        let filler = if negative { u64::MAX } else { 0 };
        let fits = wide[2..].iter().all(|&l| l == filler) && (value < 0) == negative;
        assert!(fits, "{self:?} does not fit in i128");
        value
    }

    /// Extends by its own sign or cuts to `ty`, if no information is lost either way.
    pub(crate) fn fit(&self, ty: Type) -> Option<Bits> {
        let wide = self.width.max(ty.width);
        let mut all = Bits::zero(Type { width: wide, signed: ty.signed });
        limbs::extend(&mut all.limbs, &self.limbs, self.width, wide, self.signed);
        let cut = all.slice(0, ty.width).with_sign(ty.signed);
        let same_as = |signed| {
            let mut back = Bits::zero(Type { width: wide, signed });
            limbs::extend(&mut back.limbs, &cut.limbs, ty.width, wide, signed);
            back.limbs == all.limbs
        };
        // A narrow port takes 0xff as well as -1.
        let fits = ty.width >= self.width || same_as(false) || same_as(true);
        fits.then_some(cut)
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Bits) -> bool {
        self.width == other.width && self.limbs == other.limbs
    }
}
impl Eq for Bits {}

impl Hash for Bits {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.width.hash(state);
        self.limbs.hash(state);
    }
}

impl fmt::LowerHex for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: String = self.limbs.iter().rev().map(|l| format!("{l:016x}")).collect();
        let keep = self.width.div_ceil(4) as usize;
        f.write_str(&digits[digits.len() - keep..])
    }
}

impl fmt::Debug for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.signed { "s" } else { "" };
        write!(f, "{}'{sign}h{self:x}", self.width)
    }
}

macro_rules! from_integers {
    ($($t:ty, $signed:literal);*) => {$(
        impl From<$t> for Bits {
            fn from(value: $t) -> Bits {
                Bits::of(Type { width: <$t>::BITS, signed: $signed }, value)
            }
        }
    )*};
}
from_integers!(i8, true; i16, true; i32, true; i64, true; i128, true; isize, true;
    u8, false; u16, false; u32, false; u64, false; usize, false);

impl From<bool> for Bits {
    fn from(value: bool) -> Bits {
        Bits::of(Type { width: 1, signed: false }, value)
    }
}

impl From<&Bits> for Bits {
    fn from(value: &Bits) -> Bits {
        value.clone()
    }
}
