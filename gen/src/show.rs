//! Tables about overlays.

use anyhow::Result;
use sagen::columns::{Align, lines, row};
use sagen::{figures, outcome};
use sagen_config::find;
use sagen_streamed_arch::StreamedConfig;

/// One line per config.
pub(crate) fn list() -> Result<()> {
    let configs = find::configs()?;
    let head = ["config", "board", "MHz", "arrays", "vector lanes", "stream ports", "stream MB/s"];
    let mut rows = vec![row(head)];
    for name in find::names(&configs)? {
        let o = sagen_streamed_arch::config::named(&configs.join(format!("{name}.yaml")).display().to_string())?;
        rows.push(vec![
            name,
            o.board().name.clone(),
            o.clock_mhz().to_string(),
            format!("{} x {}^2", o.arrays(), o.side()),
            o.vector_lanes().to_string(),
            format!("{} x {} bit", o.stream_ports(), 8 * o.port_bytes()),
            (o.beat_bytes() as u32 * o.clock_mhz()).to_string(),
        ]);
    }
    let mut align = [Align::Right; 7];
    align[..2].fill(Align::Left);
    outcome::print(&(lines(&align, &rows).join("\n") + "\n"))
}

/// Everything about one overlay.
pub(crate) fn overlay(o: &StreamedConfig) -> Result<()> {
    let figures = figures::of(o).into_iter().map(|(name, value)| vec![name.to_string(), value]);
    let rows: Vec<Vec<String>> = std::iter::once(row(["name", o.name()])).chain(figures).collect();
    outcome::print(&(lines(&[Align::Left, Align::Left], &rows).join("\n") + "\n"))
}
