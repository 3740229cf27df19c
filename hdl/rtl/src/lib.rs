//! The hardware, one module per file.

pub mod control;
pub mod dma;
pub mod fields;
pub mod fifo;
pub mod memory;

#[cfg(test)]
pub(crate) mod testing;
