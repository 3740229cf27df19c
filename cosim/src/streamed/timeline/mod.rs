//! Where the cycles of a run went: what each unit did in every cycle, charged to the descriptor it did it for.
//!
//! [`Recorder`] takes one [`Sample`] a cycle and gives a [`Timeline`]; [`Summary`] adds it up by unit, layer and
//! operation; [`table`], [`trace`] and [`svg`] show it. Every cycle of every unit is in exactly one [`State`].

mod recorder;
mod state;
mod summary;
pub mod svg;
pub mod table;
pub mod trace;

pub use recorder::{Recorder, Sample, Span, Timeline};
pub use state::{STATES, State, Tally};
pub use summary::{Loss, Part, PartTally, Summary};
