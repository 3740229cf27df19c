//! Memories below a module, from the manifest.

use crate::tree::{TreeError, missing, module};
use sagen_lang::{Manifest, ModuleEntry, RamStyle};

/// The memories of one kind below one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) kind: &'static str,
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
pub(super) fn below(top: &ModuleEntry, manifest: &Manifest) -> Result<Memory, TreeError> {
    let mut kinds: Vec<Memory> = Vec::new();
    add(top, manifest, &mut kinds)?;
    kinds.into_iter().max_by_key(|m| m.bits).ok_or_else(|| missing(&top.name, "memory"))
}

fn add(here: &ModuleEntry, manifest: &Manifest, kinds: &mut Vec<Memory>) -> Result<(), TreeError> {
    let stored = here.memories.iter().filter(|m| !m.rom);
    for (kind, bits) in stored.filter_map(|m| Some((kind(m.style)?, m.bits()))) {
        match kinds.iter_mut().find(|m| m.kind == kind) {
            Some(known) => known.bits += bits,
            None => kinds.push(Memory { kind, bits }),
        }
    }
    here.instances.iter().try_for_each(|i| add(module(manifest, &i.module)?, manifest, kinds))
}

/// Nothing where the synthesiser decides: what it takes is not known here.
fn kind(style: RamStyle) -> Option<&'static str> {
    match style {
        RamStyle::Ultra => Some("UltraRAM"),
        RamStyle::Block => Some("block RAM"),
        RamStyle::Distributed => Some("distributed RAM"),
        RamStyle::Auto => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_kib_where_they_are_whole() {
        assert_eq!(Memory { kind: "UltraRAM", bits: 72 * 4096 }.text(), "36 KiB UltraRAM");
        assert_eq!(Memory { kind: "block RAM", bits: 9 }.text(), "2 bytes block RAM");
    }
}
