//! The CSR map as a value: every register with its parts, for all interfaces alike.

use sagen_overlay::{Register as CsrRow, RegisterField, RegisterMap};
use sagen_streamed_isa::{
    Access, COUNTERS, CSR_BYTES, CSR_COUNTER_BASE, CSR_ID, CSRS, Csr, Field, Kind, Register, register,
};

/// Every register in address order: named ones, step registers, event counters.
pub(crate) fn registers() -> RegisterMap {
    let counters = COUNTERS.iter().enumerate().map(|(i, c)| {
        let offset = CSR_COUNTER_BASE + 4 * i as u32;
        row(&format!("counter_{}", c.name), offset, Access::Read, format!("Cycles: {}", c.doc))
    });
    let registers = CSRS.iter().map(|csr| named(*csr)).chain(Register::all().map(step)).chain(counters).collect();
    RegisterMap { bytes: CSR_BYTES, registers }
}

fn named(csr: Csr) -> CsrRow {
    let mut named = row(csr.name(), csr.offset(), csr.access(), csr.doc().to_string());
    named.constant = (csr == Csr::Id).then_some(CSR_ID);
    if !csr.fields().is_empty() {
        named.fields = csr.fields().iter().map(field).collect();
    }
    named
}

fn step(index: Register) -> CsrRow {
    let meaning = register::NAMED.iter().find(|n| n.register == index);
    let access = if index == register::ZERO { Access::Read } else { Access::ReadWrite };
    let doc = match meaning {
        Some(n) => format!("Step register {index}, `{}`: {}", n.name, n.doc),
        None => format!("Step register {index}."),
    };
    let mut step = row(&format!("step_register_{index}"), index.offset(), access, doc);
    step.constant = (access == Access::Read).then_some(0);
    step
}

fn row(name: &str, offset: u32, access: Access, doc: String) -> CsrRow {
    let access = match access {
        Access::Read => "read",
        Access::ReadWrite => "read/write",
        Access::Trigger => "trigger",
    };
    let whole = Field { name: "value", doc: "The whole register.", lo: 0, width: 32, kind: Kind::Unsigned };
    let fields = vec![field(&whole)];
    CsrRow { name: name.to_string(), offset, address: format!("0x{offset:03x}"), access, doc, constant: None, fields }
}

fn field(field: &Field) -> RegisterField {
    let &Field { name, doc, lo, width, .. } = field;
    let (name, doc) = (name.to_string(), doc.to_string());
    RegisterField { name, doc, lo, hi: lo + width - 1, width, mask: field.mask(), values: values(field) }
}

/// Names of the values of a field, where it is one of a list.
pub(crate) fn values(field: &Field) -> Vec<String> {
    match field.kind {
        Kind::Choice(names) => names.iter().map(|name| name.to_string()).collect(),
        Kind::Unsigned | Kind::Signed | Kind::Flag | Kind::Register => Vec::new(),
    }
}
