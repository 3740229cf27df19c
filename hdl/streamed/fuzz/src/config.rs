//! Seeded random overlay configs. Sizes are small, so that what is emitted for them simulates in seconds.

use sagen_arith::draw::Draw;
use sagen_config::{Board, Family};
use sagen_streamed_arch::overlay::{ArrayFile, PortsFile, ScratchpadFile, StreamedFile};
use sagen_streamed_arch::{StreamedConfig, StreamedError};

/// A config whose fields are legal one by one; together they need not be.
fn draw_file(draw: &mut Draw, board: &Board) -> StreamedFile {
    let stream = draw.pick(&[1, 2, 4]);
    let widest = board.ports.iter().map(|p| p.width).max().unwrap_or(32);
    let clocks: Vec<u32> = (10..=300).filter(|mhz| board.fabric_clock.nearest(1000 * mhz).is_some()).collect();
    let power = |draw: &mut Draw, from: i64, to: i64| 1u32 << draw.within(from..=to);
    StreamedFile {
        name: String::new(),
        family: Family::Streamed,
        board: board.name.clone(),
        clock_mhz: draw.pick(&clocks),
        array: ArrayFile { side: draw.pick(&[8, 8, 16, 32]), count: draw.pick(&[1, 1, 2, 4]) },
        ports: PortsFile { width: draw.pick(&[32, 64, 128]).min(widest), total: stream + draw.below(3) as u32, stream },
        vector_lanes: draw.pick(&[4, 8, 16]),
        prefetch_bytes: power(draw, 12, 14),
        scratchpad: ScratchpadFile {
            vector_words: 512 * draw.within(2..=5) as u32,
            code_words: power(draw, 8, 9),
            score_rows: power(draw, 7, 9),
        },
    }
}

/// A legal overlay on one of the boards; the same seed gives the same one.
///
/// # Panics
/// When no legal one is drawn in a thousand tries: then a rule forbids nearly everything.
pub fn random_overlay(seed: u64, boards: &[Board]) -> StreamedConfig {
    let mut draw = Draw::new(seed);
    for _ in 0..1000 {
        let board = &boards[draw.below(boards.len() as u64) as usize];
        if let Ok(overlay) = named(draw_file(&mut draw, board), board) {
            return overlay;
        }
    }
    panic!("seed {seed}: no legal overlay in a thousand")
}

/// The overlay of a config whose name is still to be derived.
pub fn named(mut file: StreamedFile, board: &Board) -> Result<StreamedConfig, StreamedError> {
    match StreamedConfig::new(file.clone(), board.clone()) {
        Err(StreamedError::Name { derived, .. }) => {
            file.name = derived;
            StreamedConfig::new(file, board.clone())
        }
        other => other,
    }
}
