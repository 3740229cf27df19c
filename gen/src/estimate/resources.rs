//! Resources of modules: their own cells, and all below them.

use super::netlist::Netlist;
use super::rules::{self, Kind};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// A netlist holds a cell that the rules do not know.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{module}: cell {cell} is a {kind}, which the estimate does not know")]
pub struct UnknownCell {
    /// Module.
    pub module: String,
    /// Cell.
    pub cell: String,
    /// Its type.
    pub kind: String,
}

/// Counts of device resources.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Resources {
    /// Look-up tables, with those used as memory and as shift registers.
    pub lut: u64,
    /// Flip-flops.
    pub ff: u64,
    /// DSP blocks.
    pub dsp: u64,
    /// Halves of 36-Kbit block RAMs; written as block RAMs.
    #[serde(rename = "bram36", serialize_with = "halves")]
    pub bram18: u64,
    /// UltraRAMs.
    pub uram: u64,
}

fn halves<S: Serializer>(halves: &u64, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_f64(*halves as f64 / 2.0)
}

impl AddAssign for Resources {
    fn add_assign(&mut self, other: Self) {
        self.lut += other.lut;
        self.ff += other.ff;
        self.dsp += other.dsp;
        self.bram18 += other.bram18;
        self.uram += other.uram;
    }
}

impl Resources {
    /// Block RAMs of 36 Kbit; a half is one of 18 Kbit.
    pub fn bram36(&self) -> f64 {
        self.bram18 as f64 / 2.0
    }

    fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Lut | Kind::ShiftRegister => self.lut += 1,
            Kind::DistributedRam(luts) => self.lut += luts,
            Kind::FlipFlop => self.ff += 1,
            Kind::BlockRam(halves) => self.bram18 += halves,
            Kind::UltraRam => self.uram += 1,
            Kind::Dsp(_) => self.dsp += 1,
            Kind::Free | Kind::Carry => {}
        }
    }
}

/// One module's resources.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Counted {
    /// Without what it instantiates.
    pub own: Resources,
    /// With it.
    pub total: Resources,
}

/// Resources of every module; `order` has children before parents.
pub fn count(order: &[String], netlists: &BTreeMap<String, Netlist>) -> Result<BTreeMap<String, Counted>, UnknownCell> {
    let mut counted: BTreeMap<String, Counted> = BTreeMap::new();
    for module in order {
        let mut own = Resources::default();
        let mut below = Resources::default();
        for (name, cell) in &netlists[module].cells {
            match (counted.get(&cell.kind), rules::kind(cell)) {
                (Some(child), _) => below += child.total,
                (None, Some(kind)) => own.add(kind),
                (None, None) => {
                    return Err(UnknownCell { module: module.clone(), cell: name.clone(), kind: cell.kind.clone() });
                }
            }
        }
        let mut total = own;
        total += below;
        counted.insert(module.clone(), Counted { own, total });
    }
    Ok(counted)
}
