//! Memories of modules, read from their declarations in the Verilog.

use crate::emit::Verilog;
use crate::tree::{TreeError, missing, module};
use sagen_lang::ModuleEntry;

/// The memories of one kind below one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) kind: String,
    pub(super) bits: u64,
}

impl Memory {
    pub(super) fn text(&self) -> String {
        let bytes = self.bits.div_ceil(8);
        let size = if bytes.is_multiple_of(1024) { format!("{} KiB", bytes / 1024) } else { format!("{bytes} bytes") };
        format!("{size} {}", self.kind)
    }
}

/// All memories below a module of the kind that holds most.
pub(super) fn below(top: &ModuleEntry, emitted: &Verilog) -> Result<Memory, TreeError> {
    let mut kinds: Vec<Memory> = Vec::new();
    add(top, emitted, &mut kinds)?;
    kinds.into_iter().max_by_key(|m| m.bits).ok_or_else(|| missing(&top.name, "memory"))
}

fn add(here: &ModuleEntry, emitted: &Verilog, kinds: &mut Vec<Memory>) -> Result<(), TreeError> {
    let path = format!("rtl/{}.v", here.name);
    let text = emitted.files.iter().find(|f| f.path == path).map_or("", |f| f.text.as_str());
    for memory in text.lines().filter_map(declared) {
        match kinds.iter_mut().find(|m| m.kind == memory.kind) {
            Some(known) => known.bits += memory.bits,
            None => kinds.push(memory),
        }
    }
    here.instances.iter().try_for_each(|i| add(module(&emitted.manifest, &i.module)?, emitted, kinds))
}

/// `(* ram_style = "block" *) reg [31:0] name [0:63];`
fn declared(line: &str) -> Option<Memory> {
    let (_, rest) = line.split_once("ram_style = \"")?;
    let (style, rest) = rest.split_once('"')?;
    let width: u64 = rest.split_once('[')?.1.split_once(':')?.0.parse().ok()?;
    let last: u64 = rest.rsplit_once("[0:")?.1.split_once(']')?.0.parse().ok()?;
    let kind = match style {
        "ultra" => "UltraRAM",
        "block" => "block RAM",
        _ => "distributed RAM",
    };
    Some(Memory { kind: kind.to_string(), bits: (width + 1) * (last + 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_read_from_their_declarations() {
        let memory = declared("  (* ram_style = \"ultra\" *) reg [71:0] w [0:4095];").unwrap();
        assert_eq!((memory.kind.as_str(), memory.bits), ("UltraRAM", 72 * 4096));
        assert_eq!(memory.text(), "36 KiB UltraRAM");
        assert_eq!(declared("  reg [71:0] w_q;"), None);
    }
}
