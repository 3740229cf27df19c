//! Special functions, in integers.

pub mod exp2;
pub mod gate;
pub mod recip;
pub mod rsqrt;
