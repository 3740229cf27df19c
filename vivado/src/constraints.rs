//! The files of `constraints/<board>/`, embedded when this crate is built.

const FILES: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/constraints.rs"));

/// Boards that have a folder of constraints.
pub fn boards() -> Vec<&'static str> {
    let mut boards: Vec<_> = FILES.iter().map(|(board, _, _)| *board).collect();
    boards.dedup();
    boards
}

/// Name and text of the files of one board, sorted by name.
pub(crate) fn of(board: &str) -> Vec<(&'static str, &'static str)> {
    FILES.iter().filter(|(b, _, _)| *b == board).map(|(_, name, text)| (*name, *text)).collect()
}
