//! What other tools need to know about a printed design, ready to be serialised.

use crate::design::{Design, Entity, ModuleId, Port, Source};
use crate::interface::InterfaceEntry;
use crate::memory::{MemDef, RamStyle};
use crate::verilog;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A design below one top module.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Manifest {
    /// Name of the top module.
    pub top: String,
    /// Children before parents; the last one is the top.
    pub modules: Vec<ModuleEntry>,
}

/// One module or black box.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ModuleEntry {
    /// As in the Verilog.
    pub name: String,
    /// SHA-256 over its text and the hashes of what it instantiates, in hexadecimal.
    pub hash: String,
    /// Has a `clk` port.
    pub clocked: bool,
    /// Has a `rst` port.
    pub resettable: bool,
    /// The other ports, in order.
    pub ports: Vec<Port>,
    /// Its ports by the interfaces that they belong to, in order; the interfaces of a module are offered once each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<InterfaceEntry>,
    /// Its memories, without those of its instances, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryEntry>,
    /// What it places, in order.
    pub instances: Vec<InstanceEntry>,
    /// Set if the Verilog comes from elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_box: Option<BlackBoxEntry>,
}

/// One memory or ROM.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MemoryEntry {
    /// As in the Verilog.
    pub name: String,
    /// Words.
    pub depth: u32,
    /// Bits of a word.
    pub width: u32,
    /// Arrays with the same contents: a block or ultra RAM has one for each read port.
    pub copies: u32,
    /// Which FPGA memory is asked for.
    pub style: RamStyle,
    /// Has fixed contents.
    pub rom: bool,
}

impl MemoryEntry {
    /// Bits of all its arrays.
    pub fn bits(&self) -> u64 {
        u64::from(self.depth) * u64::from(self.width) * u64::from(self.copies)
    }
}

/// One instance.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InstanceEntry {
    /// Name of the instance.
    pub name: String,
    /// Name of its module.
    pub module: String,
}

/// Where a black box comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BlackBoxEntry {
    /// Parameters of every instance.
    pub params: BTreeMap<String, String>,
    /// Verilog files.
    pub sources: Vec<SourceEntry>,
}

/// A file from elsewhere.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourceEntry {
    /// Its name.
    pub file: String,
    /// SPDX expression of its licence.
    pub licence: String,
    /// SHA-256 of its contents, in hexadecimal.
    pub hash: String,
}

impl From<&Source> for SourceEntry {
    fn from(source: &Source) -> SourceEntry {
        let hash = base16ct::lower::encode_string(&Sha256::digest(&source.text));
        SourceEntry { file: source.file.clone(), licence: source.licence.clone(), hash }
    }
}

impl Manifest {
    /// The top module.
    pub fn top(&self) -> &ModuleEntry {
        self.modules.last().expect("a manifest holds its top")
    }

    /// The module of this name.
    pub fn module(&self, name: &str) -> Option<&ModuleEntry> {
        self.modules.iter().find(|m| m.name == name)
    }
}

impl ModuleEntry {
    /// A port by its name.
    pub fn port(&self, name: &str) -> Option<&Port> {
        self.ports.iter().find(|p| p.name == name)
    }

    /// The only interface of this kind and prefix.
    pub fn interface(&self, kind: &str, prefix: &str) -> Option<&InterfaceEntry> {
        self.interfaces.iter().find(|i| i.interface == kind && i.prefix == prefix)
    }
}

impl Design {
    /// The manifest of everything below `top`.
    ///
    /// # Panics
    /// If the design has errors: [`Design::finish`] reports them.
    pub fn manifest(&self, top: ModuleId) -> Manifest {
        assert!(self.finish().is_ok(), "a design with errors has no manifest; call Design::finish first");
        let mut modules: Vec<ModuleEntry> = Vec::new();
        for id in verilog::below(self, top) {
            let entry = self.entry(id, &modules);
            modules.push(entry);
        }
        Manifest { top: self.name(top).into(), modules }
    }

    fn entry(&self, id: ModuleId, children: &[ModuleEntry]) -> ModuleEntry {
        let entity = &*self.entities[id.0];
        let memory = |mem: &MemDef| MemoryEntry {
            name: mem.name.clone(),
            depth: mem.depth,
            width: mem.width,
            copies: mem.copies() as u32,
            style: mem.style,
            rom: mem.contents.is_some(),
        };
        let (interfaces, memories) = match entity {
            Entity::Module(def) => (def.interfaces.clone(), def.mems.iter().map(memory).collect()),
            Entity::BlackBox(_) => (Vec::new(), Vec::new()),
        };
        let (instances, black_box) = match entity {
            Entity::Module(def) => {
                let entry = |name: &str, module| InstanceEntry { name: name.into(), module: self.name(module).into() };
                (def.instances.iter().map(|i| entry(&i.name, i.module)).collect(), None)
            }
            Entity::BlackBox(b) => {
                let params = b.params.iter().cloned().collect();
                (Vec::new(), Some(BlackBoxEntry { params, sources: b.sources.iter().map(SourceEntry::from).collect() }))
            }
        };
        let mut hasher = Sha256::new();
        hasher.update(verilog::module_text(self, id));
        hasher.update(format!("{black_box:?}"));
        for instance in &instances {
            let child = children.iter().find(|c| c.name == instance.module);
            hasher.update(&child.expect("children come before parents").hash);
        }
        ModuleEntry {
            name: entity.name().into(),
            hash: base16ct::lower::encode_string(&hasher.finalize()),
            clocked: entity.clocked(),
            resettable: entity.resettable(),
            ports: entity.ports().to_vec(),
            interfaces,
            memories,
            instances,
            black_box,
        }
    }
}
