//! Software's view of the hardware, from the tables of `sagen_isa`: C header, JSON, Markdown.

use super::File;
use sagen_isa::{
    Access, COUNTERS, CSR_COUNTER_BASE, CSR_REGISTER_BASE, CSRS, Field, LAYOUTS, REGISTERS, UNITS, WAIT_BIT,
};
use serde::Serialize;
use tera::{Context, Tera};

/// A template that does not render: a fault of ours.
#[derive(Debug, thiserror::Error)]
#[error("template {template}: {reason}")]
pub struct TableError {
    template: &'static str,
    reason: String,
}

const TEMPLATES: [(&str, &str); 4] = [
    ("sagen_csr.h", include_str!("../../templates/csr.h")),
    ("sagen_descriptors.h", include_str!("../../templates/descriptors.h")),
    ("csr.md", include_str!("../../templates/csr.md")),
    ("descriptors.md", include_str!("../../templates/descriptors.md")),
];

#[derive(Serialize)]
struct FieldRow {
    name: &'static str,
    doc: &'static str,
    lo: u32,
    hi: u32,
    width: u32,
    signed: bool,
}

#[derive(Serialize)]
struct DescriptorRow {
    name: &'static str,
    doc: &'static str,
    opcode: u8,
    unit: &'static str,
    fields: Vec<FieldRow>,
}

#[derive(Serialize)]
struct CsrRow {
    name: String,
    offset: u32,
    access: &'static str,
    doc: String,
}

#[derive(Serialize)]
struct Tables {
    descriptors: Vec<DescriptorRow>,
    waits: Vec<FieldRow>,
    csrs: Vec<CsrRow>,
}

/// C headers, Markdown tables and one JSON file that holds both tables.
pub fn tables() -> Result<Vec<File>, TableError> {
    let tables = Tables { descriptors: descriptors(), waits: waits(), csrs: csrs() };
    let context =
        Context::from_serialize(&tables).map_err(|e| TableError { template: "context", reason: e.to_string() })?;
    let mut files = Vec::new();
    for (template, text) in TEMPLATES {
        let error = |e: tera::Error| TableError { template, reason: format!("{e:?}") };
        let text = Tera::one_off(text, &context, false).map_err(error)?;
        files.push(File { path: template.to_string(), text });
    }
    let json = serde_json::to_string_pretty(&tables)
        .map_err(|e| TableError { template: "isa.json", reason: e.to_string() })?;
    files.push(File { path: "isa.json".to_string(), text: json + "\n" });
    Ok(files)
}

fn row(field: &Field) -> FieldRow {
    let &Field { name, doc, lo, width, signed } = field;
    FieldRow { name, doc, lo, hi: lo + width - 1, width, signed }
}

fn descriptors() -> Vec<DescriptorRow> {
    let descriptor = |l: &sagen_isa::Layout| DescriptorRow {
        name: l.name,
        doc: l.doc,
        opcode: l.opcode,
        unit: l.unit.name(),
        fields: l.fields.iter().map(row).collect(),
    };
    LAYOUTS.iter().map(descriptor).collect()
}

fn waits() -> Vec<FieldRow> {
    let wait = |(i, unit): (usize, &sagen_isa::Unit)| FieldRow {
        name: unit.name(),
        doc: "Descriptors that this unit must have completed.",
        lo: WAIT_BIT + 16 * i as u32,
        hi: WAIT_BIT + 16 * i as u32 + 15,
        width: 16,
        signed: false,
    };
    UNITS.iter().enumerate().map(wait).collect()
}

fn csrs() -> Vec<CsrRow> {
    let access = |a: Access| match a {
        Access::Read => "read",
        Access::ReadWrite => "read/write",
        Access::Trigger => "trigger",
    };
    let named = CSRS.iter().map(|c| CsrRow {
        name: c.name.to_string(),
        offset: c.offset,
        access: access(c.access),
        doc: c.doc.to_string(),
    });
    let steps = (0..REGISTERS as u32).map(|i| CsrRow {
        name: format!("step_register_{i}"),
        offset: CSR_REGISTER_BASE + 4 * i,
        access: if i == 0 { "read" } else { "read/write" },
        doc: format!("Step register {i}."),
    });
    let counters = COUNTERS.iter().enumerate().map(|(i, c)| CsrRow {
        name: format!("counter_{}", c.name),
        offset: CSR_COUNTER_BASE + 4 * i as u32,
        access: "read",
        doc: format!("Cycles: {}", c.doc),
    });
    named.chain(steps).chain(counters).collect()
}
