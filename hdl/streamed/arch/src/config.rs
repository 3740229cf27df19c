//! Reading of streamed overlays: a config file in, a checked type out.

use crate::overlay::{StreamedConfig, StreamedFile};
use sagen_config::{Board, ConfigError, FindError, find, parse};

/// The overlay called `name`, or described by the file at that path.
pub fn named(name: &str) -> Result<StreamedConfig, FindError> {
    let file = find::config(name)?;
    Ok(overlay(&file.path, &file.text, &file.boards)?)
}

/// Read an overlay; `boards` are the boards known.
pub fn overlay(file: &str, text: &str, boards: &[Board]) -> Result<StreamedConfig, ConfigError> {
    let written: StreamedFile = parse(file, text)?;
    let board = boards.iter().find(|b| b.name == written.board);
    let board = board.cloned().ok_or_else(|| ConfigError::UnknownBoard {
        file: file.to_string(),
        found: written.board.clone(),
        known: boards.iter().map(|b| b.name.as_str()).collect::<Vec<_>>().join(", "),
    })?;
    StreamedConfig::new(written, board)
        .map_err(|reason| ConfigError::Overlay { file: file.to_string(), reason: reason.to_string() })
}
