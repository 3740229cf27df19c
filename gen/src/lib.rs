//! From an overlay config to a build folder: Verilog, file list, manifest, headers and tables.

pub mod build;
pub mod diagram;
pub mod emit;
pub mod estimate;
pub mod family;
mod tree;

pub use tree::TreeError;
