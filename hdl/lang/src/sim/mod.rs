//! Interpreter: flattens a design, orders its combinational values once, and steps it clock by clock.
//!
//! Two-valued: registers and memories start at zero. Names, widths and results are those of the Verilog.

mod clocked;
mod compile;
mod flat;
mod instruction;
mod run;
mod small;
mod wide;

pub use run::Sim;

use crate::errors::Errors;

/// Why a design cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SimError {
    /// The design has errors.
    #[error(transparent)]
    Design(#[from] Errors),
    /// Values that depend on themselves.
    #[error("combinational loop: {path}")]
    Loop {
        /// The named nets and ports on the way round.
        path: String,
    },
    /// A black box has no model here.
    #[error("instance `{path}` is the black box {module}, which the interpreter cannot run")]
    BlackBox {
        /// Path of the instance.
        path: String,
        /// Name of the black box.
        module: String,
    },
}
