//! What the folder `configs` holds, whatever the family: boards, and the text of overlay configs with its errors.

pub mod board;
pub mod ddr;
pub mod find;
pub mod yaml;

pub use board::{Board, Family};
pub use find::FindError;
pub use yaml::{ConfigError, nearest, parse};
