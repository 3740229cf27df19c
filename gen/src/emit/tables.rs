//! Software's view of the hardware, from the tables of `sagen_streamed_isa`: C headers, Rust, SystemRDL, JSON,
//! Markdown.

use super::File;
use super::csr_map::{self, CsrRow};
use sagen_streamed_isa::{CSR_BYTES, Field, LAYOUTS, UNITS, WAIT_BIT};
use serde::Serialize;
use tera::{Context, Tera};

/// A template that does not render: a fault of ours.
#[derive(Debug, thiserror::Error)]
#[error("template {template}: {reason}")]
pub struct TableError {
    template: &'static str,
    reason: String,
}

const TEMPLATES: [(&str, &str); 6] = [
    ("sagen_csr.h", include_str!("../../templates/csr.h")),
    ("sagen_csr.rs", include_str!("../../templates/csr.rs.tera")),
    ("sagen_csr.rdl", include_str!("../../templates/csr.rdl")),
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
struct Tables {
    descriptors: Vec<DescriptorRow>,
    waits: Vec<FieldRow>,
    csrs: Vec<CsrRow>,
    csr_bytes: u32,
}

/// C headers, a Rust module, SystemRDL, Markdown tables and one JSON file that holds both tables.
pub fn tables() -> Result<Vec<File>, TableError> {
    let tables = Tables { descriptors: descriptors(), waits: waits(), csrs: csr_map::rows(), csr_bytes: CSR_BYTES };
    let mut files = Vec::new();
    for (template, text) in TEMPLATES {
        files.push(File { path: template.to_string(), text: render(template, text, &tables)? });
    }
    let json = serde_json::to_string_pretty(&tables)
        .map_err(|e| TableError { template: "isa.json", reason: e.to_string() })?;
    files.push(File { path: "isa.json".to_string(), text: json + "\n" });
    Ok(files)
}

/// A template with its values filled in.
pub(super) fn render(template: &'static str, text: &str, values: &impl Serialize) -> Result<String, TableError> {
    let context = Context::from_serialize(values).map_err(|e| TableError { template, reason: e.to_string() })?;
    Tera::one_off(text, &context, false).map_err(|e| TableError { template, reason: format!("{e:?}") })
}

fn row(field: &Field) -> FieldRow {
    let &Field { name, doc, lo, width, signed } = field;
    FieldRow { name, doc, lo, hi: lo + width - 1, width, signed }
}

fn descriptors() -> Vec<DescriptorRow> {
    let descriptor = |l: &sagen_streamed_isa::Layout| DescriptorRow {
        name: l.name,
        doc: l.doc,
        opcode: l.opcode,
        unit: l.unit.name(),
        fields: l.fields.iter().map(row).collect(),
    };
    LAYOUTS.iter().map(descriptor).collect()
}

fn waits() -> Vec<FieldRow> {
    let wait = |(i, unit): (usize, &sagen_streamed_isa::Unit)| FieldRow {
        name: unit.name(),
        doc: "Descriptors that this unit must have completed.",
        lo: WAIT_BIT + 16 * i as u32,
        hi: WAIT_BIT + 16 * i as u32 + 15,
        width: 16,
        signed: false,
    };
    UNITS.iter().enumerate().map(wait).collect()
}
