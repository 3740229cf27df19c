//! What the folder `configs` holds, whatever the family: boards, and the text of overlay configs with its errors.

pub mod board;
pub mod ddr;
mod family;
pub mod find;
mod id;
pub mod library;
pub mod yaml;

pub use board::{Board, DeviceFamily};
pub use family::Family;
pub use find::{ConfigFile, FindError};
pub use id::{ConfigId, canonical};
pub use yaml::{ConfigError, nearest, parse};
