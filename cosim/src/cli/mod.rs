//! The commands of `cosim`, one file each, and what they share.

pub(crate) mod bench;
pub(crate) mod cache;
pub(crate) mod compile;
pub(crate) mod doctor;
pub(crate) mod predict;
pub(crate) mod prepare;
pub(crate) mod profile;
pub(crate) mod quality;
pub(crate) mod run;
pub(crate) mod verify;
