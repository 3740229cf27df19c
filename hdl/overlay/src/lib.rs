//! An overlay as tools see it. Nothing here tells how a family works: families build it, tools read it.

pub mod diagram;
mod figure;
mod instructions;
mod interface;
mod registers;
mod units;

pub use diagram::Diagram;
pub use figure::{Column, Figure};
pub use instructions::{BitField, DescriptorTable, InstructionSet};
pub use interface::{Interface, InterfaceKind, MemoryMaster};
pub use registers::{Register, RegisterField, RegisterMap};
pub use units::{Counts, Reference, UnitRow};

use sagen_config::{Board, ConfigId, Family};
use sagen_lang::{Design, Errors};
use std::fmt::{self, Debug, Formatter};

/// What a build puts on a design.
#[derive(Clone, Copy, Debug)]
pub struct Stamp<'a> {
    /// Number in the `build_hash` register.
    pub build_hash: u32,
    /// How the names of all modules begin.
    pub prefix: &'a str,
}

/// Makes both tops and all below them.
pub type Elaborate = Box<dyn Fn(Stamp<'_>) -> Result<Design, Errors>>;

/// A prefix that no Verilog name can begin with.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("prefix `{0}`: letters, digits and `_` are allowed, no digit first")]
pub struct PrefixError(String);

/// An overlay that can be emitted, synthesised, packaged and simulated.
pub struct Overlay {
    /// Name; unique among the configs.
    pub name: String,
    /// Identity; programs carry it.
    pub id: ConfigId,
    /// What made it.
    pub family: Family,
    /// The board.
    pub board: Board,
    /// Clock in MHz.
    pub clock_mhz: u32,
    /// LUT levels that may lie between two registers at this clock.
    pub logic_levels: u32,
    /// The config as canonical JSON.
    pub config: String,
    /// How the names of all modules begin; nothing, unless two overlays lie in one project.
    pub prefix: String,
    /// Name of the synthesis top.
    pub top: String,
    /// Name of the co-simulation top.
    pub sim_top: String,
    /// The module tree. It is made several times: with hash 0 to hash its sources, with that hash, and with a constant
    /// one where netlists are cached.
    pub elaborate: Elaborate,
    /// Registers behind the slave interface.
    pub registers: RegisterMap,
    /// AXI interfaces of both tops.
    pub interfaces: Vec<Interface>,
    /// Descriptors that it executes, for a family that has any.
    pub instructions: Option<InstructionSet>,
    /// What `show`, `list` and `diff` print.
    pub figures: Vec<Figure>,
    /// How `estimate` groups instances.
    pub units: Vec<UnitRow>,
    /// Published figures of a comparable overlay.
    pub reference: Option<Reference>,
    /// Its picture.
    pub diagram: Diagram,
}

impl Overlay {
    /// The same with another beginning of all names of modules, both tops included.
    pub fn with_prefix(mut self, prefix: &str) -> Result<Self, PrefixError> {
        let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        if prefix.starts_with(|c| !letter(c)) || !prefix.chars().all(|c| letter(c) || c.is_ascii_digit()) {
            return Err(PrefixError(prefix.to_string()));
        }
        let bare = self.prefix.len();
        (self.top, self.sim_top) =
            (format!("{prefix}{}", &self.top[bare..]), format!("{prefix}{}", &self.sim_top[bare..]));
        self.prefix = prefix.to_string();
        Ok(self)
    }

    /// The slave with the registers.
    ///
    /// # Panics
    /// When there is none: a fault of the family.
    pub fn slave(&self) -> &Interface {
        let slave = self.interfaces.iter().find(|i| i.kind == InterfaceKind::Registers);
        slave.expect("every overlay has its registers behind a slave")
    }

    /// Memory masters in the order of their ports.
    pub fn masters(&self) -> impl Iterator<Item = (&Interface, &MemoryMaster)> {
        self.interfaces.iter().filter_map(|interface| match &interface.kind {
            InterfaceKind::Memory(master) => Some((interface, master)),
            InterfaceKind::Registers => None,
        })
    }
}

impl Debug for Overlay {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overlay").field("name", &self.name).field("id", &self.id).finish_non_exhaustive()
    }
}
