//! The commands of `sagen`, a file each.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod create;
pub(crate) mod estimate;
pub(crate) mod report;
pub(crate) mod show;
pub(crate) mod vivado;
