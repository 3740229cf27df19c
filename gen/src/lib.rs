//! From an overlay config to a build folder: Verilog, file list, manifest, headers and tables.

pub mod build;
pub mod check;
pub mod columns;
pub mod compare;
pub mod create;
pub mod diagram;
pub mod emit;
pub mod estimate;
pub mod figures;
pub mod outcome;
