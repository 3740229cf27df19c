//! The front for laptops: from an ordinary checkpoint to generated tokens, on any device.

pub mod plot;
pub mod predict;
pub mod prepare;
pub mod prompt;
pub mod quality;
pub mod run;
