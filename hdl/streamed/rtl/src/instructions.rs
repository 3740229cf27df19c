//! The descriptors as a value, for headers and tables.

use sagen_overlay::{BitField, DescriptorTable, InstructionSet};
use sagen_streamed_isa::{DESCRIPTOR_BYTES, LAYOUTS, Layout, UNITS, Unit, WAIT_BIT};

/// Every descriptor, and the wait fields that all have.
pub(crate) fn instructions() -> InstructionSet {
    let waits = UNITS.iter().enumerate().map(wait).collect();
    InstructionSet { bytes: DESCRIPTOR_BYTES, waits, descriptors: LAYOUTS.iter().map(descriptor).collect() }
}

fn descriptor(l: &Layout) -> DescriptorTable {
    DescriptorTable {
        name: l.name.to_string(),
        doc: l.doc.to_string(),
        opcode: l.opcode,
        unit: l.unit.name().to_string(),
        fields: l.fields.iter().map(|f| field(f.name, f.doc, f.lo, f.width, f.signed)).collect(),
    }
}

fn wait((i, unit): (usize, &Unit)) -> BitField {
    field(unit.name(), "Descriptors that this unit must have completed.", WAIT_BIT + 16 * i as u32, 16, false)
}

fn field(name: &str, doc: &str, lo: u32, width: u32, signed: bool) -> BitField {
    BitField { name: name.to_string(), doc: doc.to_string(), lo, hi: lo + width - 1, width, signed }
}
