//! Driving a device: prompts in, tokens out, with the cost of every run.

mod error;
mod quality;
mod session;
#[cfg(test)]
mod tests;

pub use error::GenerateError;
pub use quality::{Quality, quality};
pub use session::{Run, Session};
