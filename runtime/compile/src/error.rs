//! Why a model cannot be compiled for an overlay. Messages name the field, what was found and what is allowed.

use sagen_streamed_isa::FieldError;

use super::calibration_limits::LimitError;

use sagen_checkpoint::model::ModelError;
use sagen_checkpoint::weights::WeightsError;

/// A compilation that failed.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// A dimension of the model or an option has a value that the overlay cannot work with.
    #[error("{field} = {found}: {rule}")]
    Rule {
        /// What it is.
        field: &'static str,
        /// Value found.
        found: String,
        /// What is allowed, with the values involved.
        rule: String,
    },
    /// An on-chip memory is too small.
    #[error("{field} = {found} is too small: {model} {what} needs {needed}")]
    Memory {
        /// Field of the overlay.
        field: &'static str,
        /// Its value.
        found: usize,
        /// The model, by its shape.
        model: String,
        /// What was to be placed.
        what: String,
        /// What it takes.
        needed: usize,
    },
    /// DDR is too small.
    #[error("board {board} has {found} bytes of DDR, the program with a context of {context} needs {needed}")]
    Ddr {
        /// Board.
        board: String,
        /// Bytes there are.
        found: u64,
        /// Context asked for.
        context: usize,
        /// Bytes needed.
        needed: u64,
    },
    /// More descriptors of one unit than a wait can count.
    #[error("{routine} has {found} descriptors of the {unit} unit, waits count to {allowed}")]
    TooLong {
        /// Routine.
        routine: String,
        /// Unit.
        unit: &'static str,
        /// Descriptors.
        found: usize,
        /// Greatest count.
        allowed: usize,
    },
    /// A number of the model does not fit its descriptor field.
    #[error("{label}: {source}")]
    Field {
        /// Descriptor.
        label: String,
        /// Reason.
        source: FieldError,
    },
    /// A calibration that is not of this model, or out of range.
    #[error("calibration: {0}")]
    Calibration(#[from] LimitError),
    /// A tensor could not be read.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The shape is not one that a model can have.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl CompileError {
    pub(crate) fn rule(field: &'static str, found: impl ToString, rule: impl Into<String>) -> Self {
        Self::Rule { field, found: found.to_string(), rule: rule.into() }
    }
}
