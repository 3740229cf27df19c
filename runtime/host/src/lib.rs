//! The host that the tools run on: programs and their ends, caches and locks, signals, the terminal, packages.
//!
//! It knows nothing of hardware and of models. What only one crate uses stays in that crate.

pub mod cache;
pub mod columns;
pub mod digest;
pub mod disk;
pub mod files;
mod group;
pub mod interrupt;
pub mod lock;
pub mod outcome;
pub mod package;
mod path;
pub mod progress;
pub mod sealed;
pub mod spelling;
pub mod tool;

pub use path::{PathError, at};
