//! Seeded random configs and programs of streamed overlays, for tests.

pub mod config;
pub mod program;
