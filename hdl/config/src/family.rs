//! Families of overlays: a config says of which one it is, and only the family itself reads the rest.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// What kind of design a config describes.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Weights are streamed from DDR for every token.
    #[default]
    Streamed,
}

impl Display for Family {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Streamed => f.write_str("streamed"),
        }
    }
}

/// The only key that is read before the family is known.
#[derive(Deserialize)]
pub(crate) struct Head {
    #[serde(default)]
    pub(crate) family: Family,
}
