//! Overlays of the repository, for tests.

use sagen_arch::{Board, Overlay, config};
use std::path::PathBuf;

/// The overlay in `configs/<name>.yaml`.
pub(crate) fn overlay(name: &str) -> Overlay {
    let configs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../configs");
    let read = |path: PathBuf| std::fs::read_to_string(&path).unwrap();
    let board: Board = config::parse("kv260.yaml", &read(configs.join("boards/kv260.yaml"))).unwrap();
    config::overlay(name, &read(configs.join(format!("{name}.yaml"))), &[board]).unwrap()
}
