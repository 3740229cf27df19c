//! Reading of streamed overlays: a config file in, a checked type out.

use crate::fields::SINGLE;
use crate::overlay::{StreamedConfig, StreamedFile};
use sagen_config::{Board, ConfigError, ConfigFile, FindError, find, parse};

/// The overlay called `name`, or described by the file at that path.
pub fn named(name: &str) -> Result<StreamedConfig, FindError> {
    Ok(read(&find::config(name)?)?)
}

/// Read an overlay; `boards` are the boards known.
pub fn overlay(file: &str, text: &str, boards: &[Board]) -> Result<StreamedConfig, ConfigError> {
    read(&ConfigFile::new(file, text.to_string(), boards.to_vec())?)
}

/// The overlay that a config describes.
pub fn read(file: &ConfigFile) -> Result<StreamedConfig, ConfigError> {
    let written: StreamedFile = parse(&file.path, &file.text).map_err(single)?;
    let board = file.board(&written.board)?.clone();
    StreamedConfig::new(written, board)
        .map_err(|reason| ConfigError::Overlay { file: file.path.clone(), reason: reason.to_string() })
}

/// Says why a key without a choice is refused.
fn single(error: ConfigError) -> ConfigError {
    match error {
        ConfigError::UnknownKey { file, line, column, found, nearest, allowed } => {
            match SINGLE.iter().find(|(key, _)| *key == found) {
                Some((key, why)) => ConfigError::Syntax { file, line, column, reason: format!("`{key}`: {why}") },
                None => ConfigError::UnknownKey { file, line, column, found, nearest, allowed },
            }
        }
        ConfigError::Syntax { .. } | ConfigError::UnknownBoard { .. } | ConfigError::Overlay { .. } => error,
    }
}
