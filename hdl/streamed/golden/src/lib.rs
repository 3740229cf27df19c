//! The bit-exact golden model: what every operation of the overlay computes, in plain Rust.
//! This crate is the normative specification; the RTL agrees with it on every bit.
//!
//! `fixed`, `scale`, `requant`, `quantise`, `rope` and `sfu` are the arithmetic; `machine` executes programs
//! with it; `kernel` holds the int8 dot products.

mod kernel;
pub mod machine;

pub use machine::{Machine, Write};
