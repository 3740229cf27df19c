//! Verilog, file list and manifest of an overlay.

use super::File;
use sagen_lang::{Design, Manifest, ModuleId, Port, verilog as printer};
use sagen_streamed_arch::StreamedConfig;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fmt::Write;

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
    config: &'a sagen_streamed_arch::StreamedFile,
    board: &'a sagen_config::Board,
    top: &'static str,
    sim_top: &'static str,
    build_hash: String,
    design: &'a Manifest,
}

/// Emit an overlay; the same overlay gives the same bytes.
pub fn verilog(overlay: &StreamedConfig) -> Result<Verilog, EmitError> {
    let digest = digest(&tree(overlay, 0)?);
    let build_hash = build_hash(overlay, &digest)?;
    let design = tree(overlay, build_hash)?;
    let sim = design.lookup(sagen_streamed_rtl::top::SIM_TOP).expect("the co-simulation top was just built");
    let manifest = design.manifest(sim);
    let mut files = sources(&design);
    let list = files.iter().fold(String::new(), |mut list, f| {
        writeln!(list, "{}", f.path).expect("a string can be written to");
        list
    });
    files.push(File { path: "files.f".to_string(), text: list });
    let build = BuildManifest {
        schema: 1,
        config: overlay.file(),
        board: overlay.board(),
        top: sagen_streamed_rtl::top::TOP,
        sim_top: sagen_streamed_rtl::top::SIM_TOP,
        build_hash: format!("{build_hash:08x}"),
        design: &manifest,
    };
    files.push(File { path: "manifest.json".to_string(), text: serde_json::to_string_pretty(&build)? + "\n" });
    let top = design.lookup(sagen_streamed_rtl::top::TOP).expect("the synthesis top was just built");
    Ok(Verilog { files, manifest, ports: design.ports(top).to_vec(), build_hash, sources: hex(&digest) })
}

/// The module tree of an overlay, with this number in the `build_hash` register.
pub fn tree(overlay: &StreamedConfig, build_hash: u32) -> Result<Design, EmitError> {
    let mut design = Design::new();
    sagen_streamed_rtl::top::overlay(&mut design, overlay, build_hash);
    let errors = |errors| EmitError::Design { overlay: overlay.name().to_string(), errors };
    design.finish().map_err(errors)?;
    Ok(design)
}

/// Both tops and all below them, children first.
fn sources(design: &Design) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for top in [sagen_streamed_rtl::top::TOP, sagen_streamed_rtl::top::SIM_TOP] {
        let top = design.lookup(top).expect("both tops were just built");
        for (name, text) in modules(design, top) {
            let path = format!("rtl/{name}.v");
            if files.iter().all(|f| f.path != path) {
                files.push(File { path, text });
            }
        }
    }
    files
}

/// Name and Verilog of every module below `top`, children first.
pub fn modules(design: &Design, top: ModuleId) -> Vec<(String, String)> {
    let named = |(file, text): (String, String)| Some((file.strip_suffix(".v")?.to_string(), text));
    printer::print(design, top).into_iter().filter_map(named).collect()
}

/// SHA-256 of the names and texts of all modules.
fn digest(design: &Design) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for file in sources(design) {
        hasher.update(file.path);
        hasher.update(file.text);
    }
    hasher.finalize().into()
}

/// Config and board count as canonical text (every field in a fixed order, as JSON), so that neither comments nor
/// names inside the generator change a bitstream's identity.
fn build_hash(overlay: &StreamedConfig, sources: &[u8; 32]) -> Result<u32, EmitError> {
    let mut hasher = Sha256::new();
    hasher.update(serde_json::to_vec(overlay.file())?);
    hasher.update(serde_json::to_vec(overlay.board())?);
    hasher.update(sources);
    let [a, b, c, d, ..] = <[u8; 32]>::from(hasher.finalize());
    Ok(u32::from_be_bytes([a, b, c, d]))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string can be written to");
        text
    })
}
