//! Software's view of the hardware, from the tables of an overlay: C headers, Rust, SystemRDL, JSON, Markdown.

use super::File;
use sagen_overlay::{BitField, DescriptorTable, Overlay, Register};
use serde::Serialize;
use tera::{Context, Tera};

/// A template that does not render: a fault of ours.
#[derive(Debug, thiserror::Error)]
#[error("template {template}: {reason}")]
pub struct TableError {
    template: &'static str,
    reason: String,
}

const REGISTERS: [(&str, &str); 4] = [
    ("sagen_csr.h", include_str!("../../templates/csr.h")),
    ("sagen_csr.rs", include_str!("../../templates/csr.rs.tera")),
    ("sagen_csr.rdl", include_str!("../../templates/csr.rdl")),
    ("csr.md", include_str!("../../templates/csr.md")),
];
/// For overlays that execute descriptors.
const DESCRIPTORS: [(&str, &str); 2] = [
    ("sagen_descriptors.h", include_str!("../../templates/descriptors.h")),
    ("descriptors.md", include_str!("../../templates/descriptors.md")),
];

#[derive(Serialize)]
struct Tables<'a> {
    descriptors: &'a [DescriptorTable],
    waits: &'a [BitField],
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor_bytes: Option<usize>,
    csrs: &'a [Register],
    csr_bytes: u32,
}

/// C headers, a Rust module, SystemRDL, Markdown tables and one JSON file that holds both tables.
pub fn tables(overlay: &Overlay) -> Result<Vec<File>, TableError> {
    let instructions = overlay.instructions.as_ref();
    let tables = Tables {
        descriptors: instructions.map_or(&[], |i| &i.descriptors),
        waits: instructions.map_or(&[], |i| &i.waits),
        descriptor_bytes: instructions.map(|i| i.bytes),
        csrs: &overlay.registers.registers,
        csr_bytes: overlay.registers.bytes,
    };
    let templates = REGISTERS.iter().chain(instructions.map_or(&[][..], |_| &DESCRIPTORS));
    let mut files = Vec::new();
    for (template, text) in templates {
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
