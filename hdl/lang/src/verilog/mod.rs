//! Verilog-2001 text of a design: one file per module, `default_nettype none`, the same bytes on every run. Lint waivers
//! are in [`WAIVERS`], which Verilator takes before the files.
//!
//! Every operand of a width- or sign-sensitive operator is a named net (or a literal) of exact type. The
//! assertions of [`crate::Module::assert`] are compiled only where the macro `SAGEN_ASSERT` is defined.

mod clocked;
mod expr;
mod file;
mod memory;
mod module;
mod options;
mod plan;
mod waivers;

pub(crate) use file::{below, module_text};
pub use file::{print, print_with, sources};
pub use options::Options;
pub use waivers::WAIVERS;
