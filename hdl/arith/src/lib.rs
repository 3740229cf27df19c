//! The integer arithmetic that golden models and hardware agree on, bit by bit. Every operation is a function, a list
//! of cases and a check; the hardware twin of a file lies at the same path in `hdl/blocks`.

pub mod contract;
pub mod draw;
pub mod fixed;
pub mod quantise;
pub mod requant;
pub mod rope;
pub mod scale;
pub mod sfu;
pub mod tables;
