//! A descriptor: an operation, and what it waits for.

use crate::field::Packer;
use crate::layout::{OPCODE_BITS, WAIT_BITS, Waits, Words, put, take, wait_bit};
use crate::{FieldError, Layout, Opcode, Operation, UNITS, Unit};

/// One descriptor: an operation and what it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// Descriptors that each unit must have completed.
    pub waits: Waits,
    /// What to do.
    pub operation: Operation,
}

impl Operation {
    /// The layout of this descriptor type.
    pub const fn layout(&self) -> &'static Layout {
        self.opcode().layout()
    }
    /// The unit that executes it.
    pub const fn unit(&self) -> Unit {
        self.layout().unit
    }
}

impl Descriptor {
    /// A descriptor that waits for nothing.
    pub fn new(operation: impl Into<Operation>) -> Self {
        Self { waits: [0; UNITS.len()], operation: operation.into() }
    }
    /// The unit that executes it.
    pub fn unit(&self) -> Unit {
        self.operation.unit()
    }
    /// Pack into 64 bytes; a value that does not fit its field is an error.
    pub fn encode(&self) -> Result<Words, FieldError> {
        let mut packer = Packer { descriptor: self.operation.layout().name, words: [0; 8] };
        put(&mut packer.words, 0, OPCODE_BITS, self.operation.opcode() as u64);
        for unit in UNITS {
            put(&mut packer.words, wait_bit(unit), WAIT_BITS, u64::from(self.waits[unit.index()]));
        }
        self.operation.pack(&mut packer)?;
        Ok(packer.words)
    }
    /// Unpack; `None` where the opcode is unknown.
    pub fn decode(words: &Words) -> Option<Self> {
        let opcode = Opcode::from_bits(take(words, 0, OPCODE_BITS) as u8)?;
        let waits = UNITS.map(|unit| take(words, wait_bit(unit), WAIT_BITS) as u16);
        Some(Self { waits, operation: Operation::unpack(opcode, words) })
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;
    use super::*;
    use crate::{GateFunction, Glu, Kind, LAYOUTS, Load, Loop, Matvec, Mul, Rows, Score, Store, register};
    use alloc::string::ToString;

    #[test]
    fn a_packed_descriptor_reads_back() {
        let left = Rows { base: 0xffff, stride: 3 };
        let mul = Mul { rows: 3, words: 36, left, shift: 63, immediate: -5, write: true, ..Mul::default() };
        let d = Descriptor { waits: [1, 2, 3, 4, 65535], operation: mul.into() };
        assert_eq!(Descriptor::decode(&d.encode().unwrap()), Some(d));
        let outer = Loop { count: 255, ddr_stride: 1 << 31, scratch_stride: (1 << 20) - 1 };
        let store = Store { base: (1 << 40) - 1, outer, register_2: register::HEAD_ROW, ..Store::default() };
        let glu = Glu { function: GateFunction::Gelu, amax: true, ..Glu::default() };
        let score = Score { row: [1, 2, 3, 15], shift: -128, ..Score::default() };
        let operations: [Operation; 3] = [store.into(), glu.into(), score.into()];
        for d in operations.map(Descriptor::new) {
            assert_eq!(Descriptor::decode(&d.encode().unwrap()), Some(d));
        }
    }

    #[test]
    fn a_value_too_wide_for_its_field_is_refused() {
        let refused = |operation: Operation| Descriptor::new(operation).encode().unwrap_err().to_string();
        assert_eq!(refused(Matvec { vectors: 9, ..Matvec::default() }.into()), "Matvec.vectors = 9 is outside 0..=7");
        let to = Rows { base: 0, stride: 1 << 16 };
        assert_eq!(refused(Load { to, ..Load::default() }.into()), "Load.to_stride = 65536 is outside 0..=65535");
    }

    #[test]
    fn fields_follow_each_other_and_fit_their_kind() {
        for layout in LAYOUTS {
            let mut next = crate::BODY_BIT;
            for field in layout.fields {
                assert_eq!(field.lo, next, "{}.{}", layout.name, field.name);
                next += field.width;
                match field.kind {
                    Kind::Flag => assert_eq!(field.width, 1),
                    Kind::Choice(values) => assert_eq!(values.len(), 1 << field.width),
                    Kind::Register => assert_eq!(field.width, crate::REGISTER_BITS),
                    Kind::Unsigned | Kind::Signed => {}
                }
            }
        }
    }
}
