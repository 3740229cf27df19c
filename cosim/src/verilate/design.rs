//! What is to be built: a folder of Verilog, its file list, the top module and its ports.

use super::VerilateError;
use sagen_host::at;
pub use sagen_lang::Direction;
use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// A port of the top module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopPort {
    /// Its Verilog name.
    pub name: String,
    /// Bits.
    pub width: u32,
    /// Which way it points.
    pub direction: Direction,
}

impl TopPort {
    /// An input.
    pub fn input(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), width, direction: Direction::Input }
    }

    /// An output.
    pub fn output(name: impl Into<String>, width: u32) -> Self {
        Self { name: name.into(), width, direction: Direction::Output }
    }

    /// The ports of a manifest's top module, clock and reset first.
    pub fn of(manifest: &sagen_lang::Manifest) -> Vec<Self> {
        let top = manifest.modules.last().expect("a manifest ends with its top module");
        let port = |p: &sagen_lang::Port| Self { name: p.name.clone(), width: p.ty.width, direction: p.direction };
        let clock = [Self::input("clk", 1), Self::input("rst", 1)];
        clock.into_iter().chain(top.ports.iter().map(port)).collect()
    }
}

/// A build folder read into memory.
#[derive(Debug, Clone)]
pub struct Design {
    pub(super) folder: PathBuf,
    pub(super) sources: Vec<PathBuf>,
    pub(super) top: String,
    pub(super) ports: Vec<TopPort>,
    /// File names and contents, for the key.
    pub(super) text: String,
}

impl Design {
    /// Reads `files.f` of `folder` (one Verilog file per line, relative to the folder; `#` and `//` start comments) and
    /// every file it names.
    pub fn read(folder: &Path, top: &str, ports: &[TopPort]) -> Result<Self, VerilateError> {
        ports.iter().try_for_each(check_port)?;
        let list = folder.join("files.f");
        let entries = std::fs::read_to_string(&list).map_err(at(&list))?;
        let mut sources = Vec::new();
        let mut text = String::new();
        for (line, entry) in entries.lines().enumerate() {
            let entry = entry.split("//").next().unwrap_or(entry);
            let entry = entry.split('#').next().unwrap_or(entry).trim();
            if entry.is_empty() {
                continue;
            }
            if !is_inside(entry) {
                let found = entry.to_owned();
                return Err(VerilateError::FileList { path: list, line: line + 1, found });
            }
            let path = folder.join(entry);
            let body = std::fs::read_to_string(&path).map_err(at(&path))?;
            writeln!(text, "{entry} {}\n{body}", body.len()).expect("writing to a String");
            sources.push(PathBuf::from(entry));
        }
        Ok(Self { folder: folder.to_owned(), sources, top: top.into(), ports: ports.to_vec(), text })
    }
}

fn is_inside(entry: &str) -> bool {
    let plain = |c| matches!(c, Component::Normal(_) | Component::CurDir);
    !entry.starts_with(['-', '+']) && Path::new(entry).components().all(plain)
}

/// Verilator renames ports that C++ cannot hold; those would break the glue far from the cause.
fn check_port(port: &TopPort) -> Result<(), VerilateError> {
    let identifier = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let reason = if port.width == 0 {
        "it has no bits"
    } else if !port.name.chars().all(identifier) || port.name.starts_with(|c: char| c.is_ascii_digit()) {
        "it is not a plain identifier"
    } else if port.name.contains("__") || port.name.is_empty() {
        "Verilator escapes empty names and double underscores"
    } else {
        return Ok(());
    };
    Err(VerilateError::Port { name: port.name.clone(), width: port.width, reason })
}
