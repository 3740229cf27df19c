//! From an overlay to a Vivado flow: Tcl scripts and constraints below `vivado/` of a build folder, a runner that
//! watches Vivado, and a parser that judges its reports. Nothing here has ever been run in Vivado.

mod constraints;
mod family;
pub mod flow;
pub mod report;
pub mod run;
mod tcl;
pub mod tool;

pub use constraints::boards;
pub use flow::{Direction, File, FlowError, Port, Source, files};
