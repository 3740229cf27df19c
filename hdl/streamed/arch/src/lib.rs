//! What both flows share: overlays and boards, the DDR map, programs, devices, hazards.

pub mod config;
#[cfg(test)]
mod config_tests;
pub mod device;
pub mod fields;
pub mod hazard;
pub mod layout;
mod listing;
pub mod model_program;
pub mod overlay;
pub mod program;
pub mod step;
pub mod template;

pub use device::{Device, DeviceError, RunStats};
pub use model_program::{Cache, Logits, ModelProgram};
pub use overlay::{StreamedConfig, StreamedError, StreamedFile};
pub use program::{Instruction, Label, Program, Region, RegionKind, Routine, RoutineKind, Segment};
