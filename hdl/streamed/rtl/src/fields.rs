//! Descriptor fields as slices of the 512-bit bus, by the layout table.

use sagen_lang::Signal;
use sagen_streamed_isa::{Field, OPCODE_BITS, Opcode};

/// Reads a descriptor: `desc.get(Matvec::FIELDS.vectors)`.
pub trait Decode {
    /// A field of a descriptor known to have it, with its sign.
    fn get(self, field: Field) -> Signal;
    /// High while it is this operation.
    fn is(self, opcode: Opcode) -> Signal;
}

impl<D: Into<Signal>> Decode for D {
    #[track_caller]
    fn get(self, field: Field) -> Signal {
        let bits = self.into().slice(field.lo, field.width);
        if field.signed() { bits.as_signed() } else { bits }
    }
    #[track_caller]
    fn is(self, opcode: Opcode) -> Signal {
        self.into().slice(0, OPCODE_BITS).eq_lit(opcode as u64)
    }
}
