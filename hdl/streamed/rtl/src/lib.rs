//! The hardware, one module per file.

pub mod compute;
pub mod control;
mod diagram;
pub mod dma;
pub mod fields;
mod figures;
mod instructions;
pub mod interface;
pub mod memory;
pub mod overlay;
mod registers;
pub mod top;
mod units;
pub mod vector;

#[cfg(test)]
pub(crate) mod testing;
