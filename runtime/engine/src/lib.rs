//! Driving a device: sequences in its slots, prompts in, tokens out, with the cost of every run.

mod batch;
mod engine;
mod error;
pub mod live;
pub mod report;
mod sampling;
mod session;

pub use batch::{Batch, Done};
pub use engine::{Engine, Pending};
pub use error::EngineError;
pub use sagen_streamed_arch::step::{Row, Slot, Step};
pub use sampling::Sampling;
pub use session::Session;
