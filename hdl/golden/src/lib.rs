//! The bit-exact golden model: what every operation of the overlay computes, in plain Rust.
//! This crate is the normative specification; the RTL agrees with it on every bit.

pub mod fixed;
pub mod quantise;
pub mod requant;
pub mod rope;
pub mod scale;
pub mod sfu;
