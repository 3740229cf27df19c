//! What both flows share: overlays and boards, the DDR map, programs, devices, hazards.

pub mod compiled;
pub mod config;
#[cfg(test)]
mod config_tests;
pub mod device;
pub mod fields;
pub mod hazard;
pub mod layout;
mod listing;
pub mod overlay;
pub mod program;
pub mod template;

pub use compiled::{Cache, Compiled, Logits};
pub use device::{Device, DeviceError, RunStats};
pub use overlay::{StreamedConfig, StreamedError, StreamedFile};
pub use program::{Label, Program, Region, RegionKind, Routine, RoutineKind, Segment, Step};
