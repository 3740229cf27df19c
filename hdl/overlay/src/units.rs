//! How the resources of an overlay are told by unit.

use serde::Serialize;

/// A line of `estimate`. Every instance of a module that a row names must be counted by some row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitRow {
    /// What people call it.
    pub name: String,
    /// Instances from the synthesis top down to the module that holds it, with `/` between.
    pub within: String,
    /// What is counted there.
    pub counts: Counts,
}

/// What a row counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Instances of this name, numbers at its end apart, with all below them.
    Instances(String),
    /// The module's own cells.
    Own,
}

/// Published figures of an overlay to compare with.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub struct Reference {
    /// What was built.
    pub what: &'static str,
    /// Look-up tables.
    pub lut: u64,
    /// Block RAMs of 36 Kbit.
    pub bram36: u64,
    /// DSP blocks, where published.
    pub dsp: Option<u64>,
}
