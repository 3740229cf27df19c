//! Verilog, file list and manifest of an overlay.

use super::File;
use super::attributes::annotate;
use sagen_config::{Board, ConfigId, Family, canonical};
use sagen_lang::{Design, Manifest, ModuleId, Port, Source, verilog as printer};
use sagen_overlay::{Overlay, Stamp};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Given to Verilator before the sources: what is unread on purpose, and sources of others, whose style it must not judge.
pub(super) const WAIVERS: &str = "rtl/lint.vlt";

/// Why an overlay cannot be emitted: a fault of the generators.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// The module tree is inconsistent.
    #[error("the module tree of {overlay} is inconsistent: {errors}")]
    Design {
        /// Overlay.
        overlay: String,
        /// What is wrong.
        errors: sagen_lang::Errors,
    },
    /// The manifest cannot be written as JSON.
    #[error("manifest: {0}")]
    Json(#[from] serde_json::Error),
}

/// Everything that the module tree gives.
pub struct Verilog {
    /// Verilog files, `files.f`, `manifest.json`.
    pub files: Vec<File>,
    /// The module tree below the co-simulation top.
    pub manifest: Manifest,
    /// Ports of the synthesis top, without clock and reset.
    pub ports: Vec<Port>,
    /// First 32 bits of the hash of config and sources, as in the CSR.
    pub build_hash: u32,
    /// SHA-256 of the Verilog with a build hash of zero: what the hardware is, whatever the config is called.
    pub sources: String,
}

#[derive(Serialize)]
struct BuildManifest<'a> {
    schema: u32,
    name: &'a str,
    id: ConfigId,
    family: Family,
    config: &'a RawValue,
    board: &'a Board,
    top: &'a str,
    sim_top: &'a str,
    build_hash: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    foreign: Vec<Foreign>,
    design: &'a Manifest,
}

/// A file that is not generated.
#[derive(Serialize)]
struct Foreign {
    file: String,
    licence: String,
}

/// Sources of others that a design needs; the co-simulation top holds all that the synthesis top holds.
fn foreign<'a>(overlay: &Overlay, design: &'a Design) -> Vec<&'a Source> {
    let sim = design.lookup(&overlay.sim_top).expect("the co-simulation top was just built");
    printer::sources(design, sim)
}

fn path(source: &Source) -> String {
    format!("foreign/{}", source.file)
}

/// Emit an overlay; the same overlay gives the same bytes.
pub fn verilog(overlay: &Overlay) -> Result<Verilog, EmitError> {
    let digest = digest(overlay, &tree(overlay, 0)?);
    let build_hash = build_hash(overlay, &digest);
    let design = tree(overlay, build_hash)?;
    let sim = design.lookup(&overlay.sim_top).expect("the co-simulation top was just built");
    let manifest = design.manifest(sim);
    let (mut files, waivers) = sources(overlay, &design, header(overlay));
    let list = files.iter().fold(String::new(), |mut list, f| {
        writeln!(list, "{}", f.path).expect("a string can be written to");
        list
    });
    files.push(waivers);
    files.push(File { path: "files.f".to_string(), text: list });
    let foreign = foreign(overlay, &design);
    let build = BuildManifest {
        schema: 1,
        name: &overlay.name,
        id: overlay.id,
        family: overlay.family,
        config: serde_json::from_str(&overlay.config)?,
        board: &overlay.board,
        top: &overlay.top,
        sim_top: &overlay.sim_top,
        build_hash: format!("{build_hash:08x}"),
        foreign: foreign.iter().map(|s| Foreign { file: path(s), licence: s.licence.clone() }).collect(),
        design: &manifest,
    };
    files.push(File { path: "manifest.json".to_string(), text: serde_json::to_string_pretty(&build)? + "\n" });
    let top = design.lookup(&overlay.top).expect("the synthesis top was just built");
    Ok(Verilog {
        files,
        manifest,
        ports: design.ports(top).to_vec(),
        build_hash,
        sources: base16ct::lower::encode_string(&digest),
    })
}

/// The module tree of an overlay, with this number in the `build_hash` register.
pub fn tree(overlay: &Overlay, build_hash: u32) -> Result<Design, EmitError> {
    let errors = |errors| EmitError::Design { overlay: overlay.name.clone(), errors };
    let mut design = (overlay.elaborate)(Stamp { build_hash, prefix: &overlay.prefix }).map_err(errors)?;
    annotate(&mut design, overlay);
    Ok(design)
}

/// Sources of others, then both tops and all below them, children first, and what lint passes over in them. Every file
/// of ours begins with `header`.
fn sources(overlay: &Overlay, design: &Design, header: Vec<String>) -> (Vec<File>, File) {
    let tops = [&overlay.top, &overlay.sim_top].map(|top| design.lookup(top).expect("both tops were just built"));
    let options = printer::Options { header, folder: "rtl/".to_string() };
    let mut printed = printer::print_with(design, &tops, &options);
    printed.pop().expect("the list of files comes last");
    let (name, text) = printed.pop().expect("the waivers come before it");
    let waivers = File { path: format!("rtl/{name}"), text };
    let foreign = foreign(overlay, design);
    let ours = printed.into_iter().filter(|(name, _)| foreign.iter().all(|source| source.file != *name));
    let ours = ours.map(|(name, text)| File { path: format!("rtl/{name}"), text });
    let files = foreign.iter().map(|s| File { path: path(s), text: s.text.clone() }).chain(ours).collect();
    (files, waivers)
}

/// What every file says of itself first.
fn header(overlay: &Overlay) -> Vec<String> {
    vec![
        format!("Generated by sagen {}; changes will be lost.", env!("CARGO_PKG_VERSION")),
        format!("Overlay {}, id {}", overlay.name, overlay.id),
        format!("SPDX-License-Identifier: {}", env!("CARGO_PKG_LICENSE")),
    ]
}

/// Name and Verilog of every module of ours below `top`, children first.
pub fn modules(design: &Design, top: ModuleId) -> Vec<(String, String)> {
    let foreign = printer::sources(design, top);
    let ours = |(file, _): &(String, String)| foreign.iter().all(|source| source.file != *file);
    let named = |(file, text): (String, String)| Some((file.strip_suffix(".v")?.to_string(), text));
    printer::print(design, top).into_iter().filter(ours).filter_map(named).collect()
}

/// SHA-256 of the names and texts of all files, headers apart.
fn digest(overlay: &Overlay, design: &Design) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for file in sources(overlay, design, Vec::new()).0 {
        hasher.update(file.path);
        hasher.update(file.text);
    }
    hasher.finalize().into()
}

/// Config and board count as canonical text, so that neither comments nor names inside the generator change a
/// bitstream's identity.
fn build_hash(overlay: &Overlay, sources: &[u8; 32]) -> u32 {
    let mut hasher = Sha256::new();
    hasher.update(&overlay.config);
    hasher.update(canonical(&overlay.board));
    hasher.update(sources);
    let [a, b, c, d, ..] = <[u8; 32]>::from(hasher.finalize());
    u32::from_be_bytes([a, b, c, d])
}
