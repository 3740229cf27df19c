//! Driving a device: prompts in, tokens out, with the cost of every run.

mod error;
mod session;

pub use error::GenerateError;
pub use session::{Run, Session};
