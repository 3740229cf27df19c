//! The compute unit: the GEMV engine, the array engine, and the dispatcher in front of them.

pub mod array;
mod block;
pub mod gemv;
#[cfg(test)]
mod tests;
mod unit;

pub use unit::compute_unit;
