//! Fields of descriptors and registers: what kinds there are, where each lies, how a value gets in and out.

use crate::VECTORS;
use crate::layout::{Words, put, sign_extend, take};
use crate::register::Register;

/// What the bits of a field mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number, zero or greater.
    Unsigned,
    /// A number in two's complement.
    Signed,
    /// 1 is true.
    Flag,
    /// One of a list, numbered from 0: the names of its values.
    Choice(&'static [&'static str]),
    /// The number of a step register.
    Register,
}

/// One field of a descriptor or register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name as in Rust, lower case; a part of a compound field adds its own name.
    pub name: &'static str,
    /// Contract in one or two sentences.
    pub doc: &'static str,
    /// Lowest bit.
    pub lo: u32,
    /// Width in bits.
    pub width: u32,
    /// What the bits mean.
    pub kind: Kind,
}

impl Field {
    /// Two's complement.
    pub const fn signed(&self) -> bool {
        matches!(self.kind, Kind::Signed)
    }
    /// Its value in a packed descriptor.
    pub fn value(&self, words: &Words) -> i64 {
        let raw = take(words, self.lo, self.width);
        if self.signed() { sign_extend(raw, self.width) } else { raw as i64 }
    }
    /// Its bits in place, of a field within a register of 32 bits.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.lo
    }
    /// Its value in a register of 32 bits.
    pub const fn of(&self, register: u32) -> u32 {
        (register & self.mask()) >> self.lo
    }
}

/// Strided rows: where row 0 begins, and from one row to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rows<T = u64> {
    /// Row 0.
    pub base: T,
    /// From one row to the next.
    pub stride: T,
}

impl Rows {
    /// One row, or several that coincide.
    pub const fn at(base: u64) -> Self {
        Self { base, stride: 0 }
    }
    /// Rows from the beginning of a memory on.
    pub const fn spaced(stride: u64) -> Self {
        Self { base: 0, stride }
    }
    /// The rows from that one on.
    pub const fn from_row(self, row: u64) -> Self {
        Self { base: self.row(row), ..self }
    }
    /// Where a row begins.
    pub const fn row(self, row: u64) -> u64 {
        self.base + row * self.stride
    }
}

/// A loop of a store around runs: how often, and what each turn adds to the two addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Loop<T = u64> {
    /// Turns.
    pub count: T,
    /// Bytes from one turn to the next in DDR.
    pub ddr_stride: T,
    /// Bytes from one turn to the next in the scratchpad.
    pub scratch_stride: T,
}

impl Loop {
    /// A single turn.
    pub const ONCE: Self = Self { count: 1, ddr_stride: 0, scratch_stride: 0 };
}

/// A value that does not fit its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Descriptor type.
    pub descriptor: &'static str,
    /// Field.
    pub field: &'static str,
    /// Value found.
    pub value: i128,
    /// Least value allowed.
    pub min: i128,
    /// Greatest value allowed.
    pub max: i128,
}

impl core::fmt::Display for FieldError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { descriptor, field, value, min, max } = self;
        write!(f, "{descriptor}.{field} = {value} is outside {min}..={max}")
    }
}

impl core::error::Error for FieldError {}

/// A descriptor that is being packed.
pub struct Packer {
    pub(crate) descriptor: &'static str,
    pub(crate) words: Words,
}

impl Packer {
    pub(crate) fn number(&mut self, at: Field, value: i128) -> Result<(), FieldError> {
        let (min, max) = match at.kind {
            Kind::Signed => (-(1i128 << (at.width - 1)), (1i128 << (at.width - 1)) - 1),
            Kind::Unsigned | Kind::Flag | Kind::Choice(_) | Kind::Register => (0, (1i128 << at.width) - 1),
        };
        if value < min || value > max {
            return Err(FieldError { descriptor: self.descriptor, field: at.name, value, min, max });
        }
        put(&mut self.words, at.lo, at.width, value as u64 & (u64::MAX >> (64 - at.width)));
        Ok(())
    }
}

/// A type of field: one field of the table, or several.
pub trait Value: Copy {
    /// Where such a value lies: a [`Field`], or one for each of its parts.
    type Place: Copy;
    /// Pack; a number that is too wide is an error.
    fn put(self, at: Self::Place, to: &mut Packer) -> Result<(), FieldError>;
    /// Unpack.
    fn take(at: Self::Place, words: &Words) -> Self;
}

macro_rules! number {
    ($($type:ty, |$value:ident| $to:expr, |$at:ident, $bits:ident| $from:expr;)+) => {$(
        impl Value for $type {
            type Place = Field;
            fn put(self, at: Field, to: &mut Packer) -> Result<(), FieldError> {
                let $value = self;
                to.number(at, $to)
            }
            fn take($at: Field, words: &Words) -> Self {
                let $bits = take(words, $at.lo, $at.width);
                $from
            }
        }
    )+};
}

number! {
    u64, |value| i128::from(value), |at, bits| bits;
    i64, |value| i128::from(value), |at, bits| sign_extend(bits, at.width);
    bool, |value| i128::from(value), |at, bits| bits == 1;
    Register, |value| value.index() as i128, |at, bits| Register::from_bits(bits);
}

impl Value for Rows {
    type Place = Rows<Field>;
    fn put(self, at: Rows<Field>, to: &mut Packer) -> Result<(), FieldError> {
        self.base.put(at.base, to)?;
        self.stride.put(at.stride, to)
    }
    fn take(at: Rows<Field>, words: &Words) -> Self {
        Self { base: u64::take(at.base, words), stride: u64::take(at.stride, words) }
    }
}

impl Value for Loop {
    type Place = Loop<Field>;
    fn put(self, at: Loop<Field>, to: &mut Packer) -> Result<(), FieldError> {
        self.count.put(at.count, to)?;
        self.ddr_stride.put(at.ddr_stride, to)?;
        self.scratch_stride.put(at.scratch_stride, to)
    }
    fn take(at: Loop<Field>, words: &Words) -> Self {
        Self {
            count: u64::take(at.count, words),
            ddr_stride: u64::take(at.ddr_stride, words),
            scratch_stride: u64::take(at.scratch_stride, words),
        }
    }
}

/// One number a vector.
impl Value for [u64; VECTORS] {
    type Place = [Field; VECTORS];
    fn put(self, at: [Field; VECTORS], to: &mut Packer) -> Result<(), FieldError> {
        self.into_iter().zip(at).try_for_each(|(value, at)| value.put(at, to))
    }
    fn take(at: [Field; VECTORS], words: &Words) -> Self {
        at.map(|at| u64::take(at, words))
    }
}

/// Most fields that a descriptor has room for.
const MOST_FIELDS: usize = 40;

/// Gives the fields of one descriptor their places, one after another.
pub(crate) struct Fields {
    list: [Field; MOST_FIELDS],
    count: usize,
    next: u32,
}

impl Fields {
    pub(crate) const fn from_bit(next: u32) -> Self {
        let none = Field { name: "", doc: "", lo: 0, width: 0, kind: Kind::Unsigned };
        Self { list: [none; MOST_FIELDS], count: 0, next }
    }
    /// The next field.
    pub(crate) const fn add(&mut self, name: &'static str, doc: &'static str, width: u32, kind: Kind) -> Field {
        let field = Field { name, doc: doc.trim_ascii(), lo: self.next, width, kind };
        self.next += width;
        assert!(self.next <= 512, "the descriptor is wider than 512 bits");
        self.list[self.count] = field;
        self.count += 1;
        field
    }
    pub(crate) const fn list(&self) -> &[Field] {
        self.list.split_at(self.count).0
    }
}

/// The Rust type of a kind of field.
macro_rules! field_type {
    (unsigned ($width:literal)) => {
        u64
    };
    (signed ($width:literal)) => {
        i64
    };
    (flag) => {
        bool
    };
    (choice ($of:ident)) => {
        $of
    };
    (register) => {
        Register
    };
    (rows ($width:literal, $stride:literal)) => {
        Rows
    };
    (each_vector ($width:literal)) => {
        [u64; VECTORS]
    };
    (repeat ($count:literal, $ddr:literal, $scratch:literal)) => {
        Loop
    };
}

/// The place of a field, behind those that `$to` already holds.
macro_rules! field_place {
    ($to:ident, $name:expr, $doc:expr, unsigned ($width:literal)) => {
        $to.add($name, $doc, $width, Kind::Unsigned)
    };
    ($to:ident, $name:expr, $doc:expr, signed ($width:literal)) => {
        $to.add($name, $doc, $width, Kind::Signed)
    };
    ($to:ident, $name:expr, $doc:expr, flag) => {
        $to.add($name, $doc, 1, Kind::Flag)
    };
    ($to:ident, $name:expr, $doc:expr, choice ($of:ident)) => {
        $to.add($name, $doc, $of::BITS, Kind::Choice($of::NAMES))
    };
    ($to:ident, $name:expr, $doc:expr, register) => {
        $to.add($name, $doc, REGISTER_BITS, Kind::Register)
    };
    ($to:ident, $name:expr, $doc:expr, rows ($width:literal, $stride:literal)) => {
        Rows {
            base: $to.add($name, $doc, $width, Kind::Unsigned),
            stride: $to.add(concat!($name, "_stride"), $stride, $width, Kind::Unsigned),
        }
    };
    ($to:ident, $name:expr, $doc:expr, each_vector ($width:literal)) => {
        [
            $to.add(concat!($name, "_0"), concat!($doc, " This is vector 0's."), $width, Kind::Unsigned),
            $to.add(concat!($name, "_1"), "The same of vector 1.", $width, Kind::Unsigned),
            $to.add(concat!($name, "_2"), "The same of vector 2.", $width, Kind::Unsigned),
            $to.add(concat!($name, "_3"), "The same of vector 3.", $width, Kind::Unsigned),
        ]
    };
    ($to:ident, $name:expr, $doc:expr, repeat ($count:literal, $ddr:literal, $scratch:literal)) => {
        Loop {
            count: $to.add(concat!($name, "_count"), concat!($doc, " This is how often."), $count, Kind::Unsigned),
            ddr_stride: $to.add(concat!($name, "_ddr_stride"), "Its DDR stride in bytes.", $ddr, Kind::Unsigned),
            scratch_stride: $to.add(
                concat!($name, "_scratch_stride"),
                "Its scratchpad stride in bytes.",
                $scratch,
                Kind::Unsigned,
            ),
        }
    };
}

pub(crate) use {field_place, field_type};
