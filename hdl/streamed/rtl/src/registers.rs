//! The CSR map as a value: every register with its parts, for all interfaces alike.

use sagen_overlay::{Register, RegisterField, RegisterMap};
use sagen_streamed_isa::{
    Access, COUNTERS, CSR_BYTES, CSR_COUNTER_BASE, CSR_ID, CSR_REGISTER_BASE, CSRS, Csr, REGISTERS, register,
};

/// Every register in address order: named ones, step registers, event counters.
pub(crate) fn registers() -> RegisterMap {
    let counters = COUNTERS.iter().enumerate().map(|(i, c)| {
        let offset = CSR_COUNTER_BASE + 4 * i as u32;
        row(&format!("counter_{}", c.name), offset, Access::Read, format!("Cycles: {}", c.doc))
    });
    let registers = CSRS.iter().map(named).chain((0..REGISTERS as u32).map(step)).chain(counters).collect();
    RegisterMap { bytes: CSR_BYTES, registers }
}

fn named(csr: &Csr) -> Register {
    let mut named = row(csr.name, csr.offset, csr.access, csr.doc.to_string());
    named.constant = (csr.name == "id").then_some(CSR_ID);
    if !csr.fields.is_empty() {
        named.fields = csr.fields.iter().map(|f| field(f.name, f.doc, f.lo, f.width)).collect();
    }
    named
}

fn step(index: u32) -> Register {
    let meaning = register::NAMED.iter().find(|n| n.index == u64::from(index));
    let access = if u64::from(index) == register::ZERO { Access::Read } else { Access::ReadWrite };
    let doc = match meaning {
        Some(n) => format!("Step register {index}, `{}`: {}", n.name, n.doc),
        None => format!("Step register {index}."),
    };
    let mut step = row(&format!("step_register_{index}"), CSR_REGISTER_BASE + 4 * index, access, doc);
    step.constant = (access == Access::Read).then_some(0);
    step
}

fn row(name: &str, offset: u32, access: Access, doc: String) -> Register {
    let access = match access {
        Access::Read => "read",
        Access::ReadWrite => "read/write",
        Access::Trigger => "trigger",
    };
    let fields = vec![field("value", "The whole register.", 0, 32)];
    Register { name: name.to_string(), offset, address: format!("0x{offset:03x}"), access, doc, constant: None, fields }
}

fn field(name: &str, doc: &str, lo: u32, width: u32) -> RegisterField {
    let mask = (u32::MAX >> (32 - width)) << lo;
    RegisterField { name: name.to_string(), doc: doc.to_string(), lo, hi: lo + width - 1, width, mask }
}
