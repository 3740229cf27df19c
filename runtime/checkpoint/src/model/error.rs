//! Why a checkpoint's description of its model was refused.

use crate::weights::gguf::GgufError;

/// A model that cannot be run as described. Messages name the field as the checkpoint spells it.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The architecture is in no row of [`super::FAMILIES`].
    #[error("architecture `{found}` is not supported (supported: {supported})")]
    UnknownArchitecture {
        /// Name in the checkpoint.
        found: String,
        /// Known names, comma-separated.
        supported: String,
    },
    /// A field that must be there is not.
    #[error("`{field}` is missing")]
    Missing {
        /// Field name.
        field: String,
    },
    /// A field has a value outside what can be run.
    #[error("`{field}` is {found}, but must be {allowed}")]
    Field {
        /// Field name.
        field: String,
        /// Value found.
        found: String,
        /// What would be accepted.
        allowed: String,
    },
    /// The metadata of a GGUF file could not be used.
    #[error(transparent)]
    Gguf(#[from] GgufError),
    /// `config.json` is not the JSON object it should be.
    #[error("config.json: {reason}")]
    Json {
        /// Reason, with line and column.
        reason: serde_json::Error,
    },
}

impl ModelError {
    pub(crate) fn field(field: impl Into<String>, found: impl ToString, allowed: impl Into<String>) -> Self {
        Self::Field { field: field.into(), found: found.to_string(), allowed: allowed.into() }
    }

    pub(crate) fn missing(field: impl Into<String>) -> Self {
        Self::Missing { field: field.into() }
    }
}
