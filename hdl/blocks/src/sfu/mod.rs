//! Special functions.

pub mod exp2;
pub mod gate;
pub mod recip;
pub mod rsqrt;
