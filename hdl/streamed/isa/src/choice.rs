//! Values of fields that are one of a list.

use crate::field::{Field, FieldError, Packer, Value};
use crate::layout::{Words, take};

macro_rules! choices {
    ($( $(#[doc = $doc:literal])+ $name:ident: $bits:literal {
        $( $(#[doc = $value_doc:literal])+ $value:ident = $lower:literal, )+
    } )+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[doc = $value_doc])+ $value, )+ }

        impl Default for $name {
            fn default() -> Self { Self::ALL[0] }
        }

        impl $name {
            /// Width of the field.
            pub const BITS: u32 = $bits;
            /// Every value, in the order of their numbers: the list is as long as there are numbers.
            pub const ALL: [Self; 1 << $bits] = [$(Self::$value),+];
            /// Their names, lower case.
            pub const NAMES: &'static [&'static str] = &[$($lower),+];
        }

        impl Value for $name {
            type Place = Field;
            fn put(self, at: Field, to: &mut Packer) -> Result<(), FieldError> {
                to.number(at, self as i128)
            }
            fn take(at: Field, words: &Words) -> Self {
                Self::ALL[take(words, at.lo, at.width) as usize]
            }
        }
    )+};
}

choices! {
    /// What a gated product does to its gate input.
    GateFunction: 1 {
        /// a * sigmoid(a).
        Silu = "silu",
        /// GELU, tanh form.
        Gelu = "gelu",
    }
}
