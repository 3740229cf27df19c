//! `sagen show` and `sagen list`.

use anyhow::{Result, ensure};
use sagen::family;
use sagen_config::FindError;
use sagen_config::library::{self, Entry};
use sagen_host::columns::{Align, lines, row};
use sagen_host::outcome;
use sagen_overlay::Overlay;

/// What stands in the last column of a config of the user's.
const OWN: &str = "yours";

/// One line per config; a figure that only some families have leaves the others' cells empty. What cannot be used is
/// shown with its error, and fails the command.
pub(crate) fn list() -> Result<()> {
    let entries: Vec<Entry> = library::overlays()?.into_iter().filter(|e| e.is_direct() || e.is_own()).collect();
    let overlays: Vec<Result<Overlay, FindError>> = entries.iter().map(family::known).collect();
    let mut heads: Vec<&str> = Vec::new();
    for column in overlays.iter().flatten().flat_map(columns) {
        if !heads.contains(&column.0) {
            heads.push(column.0);
        }
    }
    let mut rows: Vec<Vec<String>> = vec![row(["config", "board", "MHz"])];
    rows[0].extend(heads.iter().map(ToString::to_string).chain([String::new()]));
    for (entry, overlay) in entries.iter().zip(&overlays) {
        rows.push(cells(entry, overlay, &heads));
    }
    let broken = library::boards(None)?.broken;
    for board in &broken {
        let mut cells = vec![String::new(); rows[0].len() - 1];
        cells[1].clone_from(&board.name);
        rows.push([cells, vec![board.reason.clone()]].concat());
    }
    let mut align = vec![Align::Right; rows[0].len()];
    align[..2].fill(Align::Left);
    align[rows[0].len() - 1] = Align::Left;
    outcome::print(&(lines(&align, &rows).join("\n") + "\n"))?;
    let failed = overlays.iter().filter(|o| o.is_err()).count() + broken.len();
    ensure!(failed == 0, "{failed} of the files above cannot be used");
    Ok(())
}

fn cells(entry: &Entry, overlay: &Result<Overlay, FindError>, heads: &[&str]) -> Vec<String> {
    let mut cells = vec![entry.name()];
    match overlay {
        Ok(overlay) => {
            cells.extend([overlay.board.name.clone(), overlay.clock_mhz.to_string()]);
            let cell = |head: &&str| columns(overlay).find(|c| c.0 == *head).map_or(String::new(), |c| c.1.to_string());
            cells.extend(heads.iter().map(cell));
            cells.push(if entry.is_own() { OWN.to_string() } else { String::new() });
        }
        Err(error) => {
            cells.resize(heads.len() + 3, String::new());
            cells.push(error.to_string());
        }
    }
    cells
}

/// Head and cell of the figures that stand in `list`.
fn columns(overlay: &Overlay) -> impl Iterator<Item = (&'static str, &str)> {
    overlay.figures.iter().filter_map(|f| f.column.as_ref().map(|c| (c.head, c.cell.as_str())))
}

/// Everything about one overlay.
pub(crate) fn show(config: &str) -> Result<()> {
    let overlay = family::overlay(config)?;
    let mut rows = vec![row(["name", &overlay.name]), row(["id", &overlay.id.short()])];
    rows.extend(overlay.figures.into_iter().map(|f| vec![f.name.to_string(), f.value]));
    Ok(outcome::print(&(lines(&[Align::Left, Align::Left], &rows).join("\n") + "\n"))?)
}
