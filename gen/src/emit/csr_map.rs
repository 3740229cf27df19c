//! The CSR map as rows: every register with its parts, for all interfaces alike.

use sagen_streamed_isa::{
    Access, COUNTERS, CSR_COUNTER_BASE, CSR_ID, CSR_REGISTER_BASE, CSRS, Csr, REGISTERS, register,
};
use serde::Serialize;

/// A part of a register.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct CsrField {
    /// Name, lower case.
    pub name: String,
    /// Contract.
    pub doc: String,
    /// Lowest bit.
    pub lo: u32,
    /// Highest bit.
    pub hi: u32,
    /// Bits.
    pub width: u32,
    /// Ones in its bits.
    pub mask: u32,
}

/// A register of 32 bits.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct CsrRow {
    /// Name, lower case.
    pub name: String,
    /// Byte offset.
    pub offset: u32,
    /// The same in hexadecimal.
    pub address: String,
    /// `read`, `read/write` or `trigger`.
    pub access: &'static str,
    /// Contract.
    pub doc: String,
    /// Value where it is always the same.
    pub constant: Option<u32>,
    /// Parts, ascending; one called `value` where the register is one number.
    pub fields: Vec<CsrField>,
}

/// Every register in address order: named ones, step registers, event counters.
pub fn rows() -> Vec<CsrRow> {
    let counters = COUNTERS.iter().enumerate().map(|(i, c)| {
        let offset = CSR_COUNTER_BASE + 4 * i as u32;
        row(&format!("counter_{}", c.name), offset, Access::Read, format!("Cycles: {}", c.doc))
    });
    CSRS.iter().map(named).chain((0..REGISTERS as u32).map(step)).chain(counters).collect()
}

fn named(csr: &Csr) -> CsrRow {
    let mut named = row(csr.name, csr.offset, csr.access, csr.doc.to_string());
    named.constant = (csr.name == "id").then_some(CSR_ID);
    if !csr.fields.is_empty() {
        named.fields = csr.fields.iter().map(|f| field(f.name, f.doc, f.lo, f.width)).collect();
    }
    named
}

fn step(index: u32) -> CsrRow {
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

fn row(name: &str, offset: u32, access: Access, doc: String) -> CsrRow {
    let access = match access {
        Access::Read => "read",
        Access::ReadWrite => "read/write",
        Access::Trigger => "trigger",
    };
    let fields = vec![field("value", "The whole register.", 0, 32)];
    CsrRow { name: name.to_string(), offset, address: format!("0x{offset:03x}"), access, doc, constant: None, fields }
}

fn field(name: &str, doc: &str, lo: u32, width: u32) -> CsrField {
    let mask = (u32::MAX >> (32 - width)) << lo;
    CsrField { name: name.to_string(), doc: doc.to_string(), lo, hi: lo + width - 1, width, mask }
}
