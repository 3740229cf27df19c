//! What a build folder holds. Everything is computed in memory first.

mod attributes;
pub mod package;
mod tables;
mod verilog;
mod vivado;

pub use package::package;
pub use tables::{TableError, tables};
pub use verilog::{EmitError, Verilog, modules, tree, verilog};
pub use vivado::vivado;

/// One file of a build folder, with its path below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path with `/` separators.
    pub path: String,
    /// Contents.
    pub text: String,
}
