//! The hardware, one module per file.

pub mod compute;
pub mod control;
pub mod dma;
pub mod fields;
pub mod fifo;
pub mod memory;
pub mod top;
pub mod vector;

#[cfg(test)]
pub(crate) mod testing;
