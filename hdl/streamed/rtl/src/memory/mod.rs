//! On-chip memories shared by the units.

pub mod code_memory;
pub mod scale_file;
pub mod scratchpad;
