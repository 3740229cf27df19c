//! From an ordinary checkpoint to generated tokens.

pub mod quality;
pub mod shape;
