//! The descriptors as a value, for headers and tables.

use crate::registers::values;
use sagen_overlay::{BitField, DescriptorTable, InstructionSet};
use sagen_streamed_isa::{DESCRIPTOR_BYTES, Field, Kind, LAYOUTS, Layout, UNITS, Unit, WAIT_BITS, wait_bit};

/// Every descriptor, and the wait fields that all have.
pub(crate) fn instructions() -> InstructionSet {
    let waits = UNITS.map(wait).to_vec();
    InstructionSet { bytes: DESCRIPTOR_BYTES, waits, descriptors: LAYOUTS.iter().map(|l| descriptor(l)).collect() }
}

fn descriptor(l: &Layout) -> DescriptorTable {
    DescriptorTable {
        name: l.name.to_string(),
        doc: l.doc.to_string(),
        opcode: l.opcode as u8,
        unit: l.unit.name().to_string(),
        fields: l.fields.iter().map(field).collect(),
    }
}

fn wait(unit: Unit) -> BitField {
    let doc = "Descriptors that this unit must have completed.";
    field(&Field { name: unit.name(), doc, lo: wait_bit(unit), width: WAIT_BITS, kind: Kind::Unsigned })
}

fn field(field: &Field) -> BitField {
    let &Field { name, doc, lo, width, .. } = field;
    let (name, doc) = (name.to_string(), doc.to_string());
    BitField { name, doc, lo, hi: lo + width - 1, width, signed: field.signed(), values: values(field) }
}
