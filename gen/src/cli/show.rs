//! `sagen show` and `sagen list`.

use anyhow::Result;
use sagen::family;
use sagen_config::find;
use sagen_host::columns::{Align, lines, row};
use sagen_host::outcome;
use sagen_overlay::Overlay;

/// One line per config; a figure that only some families have leaves the others' cells empty.
pub(crate) fn list() -> Result<()> {
    let configs = find::configs()?;
    let names = find::names(&configs)?;
    let read = |name: &String| family::overlay(&configs.join(format!("{name}.yaml")).display().to_string());
    let overlays: Vec<Overlay> = names.iter().map(read).collect::<Result<_, _>>()?;
    let mut heads: Vec<&str> = Vec::new();
    for column in overlays.iter().flat_map(columns) {
        if !heads.contains(&column.0) {
            heads.push(column.0);
        }
    }
    let mut rows: Vec<Vec<String>> = vec![row(["config", "board", "MHz"])];
    rows[0].extend(heads.iter().map(ToString::to_string));
    for (name, overlay) in names.iter().zip(&overlays) {
        let cell = |head: &&str| columns(overlay).find(|c| c.0 == *head).map_or(String::new(), |c| c.1.to_string());
        let mut cells = vec![name.clone(), overlay.board.name.clone(), overlay.clock_mhz.to_string()];
        cells.extend(heads.iter().map(cell));
        rows.push(cells);
    }
    let mut align = vec![Align::Right; rows[0].len()];
    align[..2].fill(Align::Left);
    Ok(outcome::print(&(lines(&align, &rows).join("\n") + "\n"))?)
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
