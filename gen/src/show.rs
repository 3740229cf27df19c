//! Tables about overlays.

use anyhow::Result;
use sagen::find;
use sagen_arch::Overlay;

/// One line per config.
pub(crate) fn list() -> Result<()> {
    let configs = find::configs()?;
    println!(
        "{:<28} {:>5} {:>5} {:>7} {:>15} {:>12}",
        "config", "board", "MHz", "arrays", "stream ports", "stream MB/s"
    );
    for name in find::names(&configs)? {
        let o = find::overlay(&configs.join(format!("{name}.yaml")).display().to_string())?;
        let arrays = format!("{} x {}^2", o.arrays(), o.side());
        let ports = format!("{} x {} bit", o.stream_ports(), 8 * o.port_bytes());
        let rate = o.beat_bytes() as u32 * o.clock_mhz();
        println!(
            "{:<28} {:>5} {:>5} {:>7} {:>15} {:>12}",
            o.name(),
            o.board().name,
            o.clock_mhz(),
            arrays,
            ports,
            rate
        );
    }
    Ok(())
}

/// Everything about one overlay.
pub(crate) fn overlay(o: &Overlay) {
    let mac = o.arrays() * o.side() * o.side();
    let kib = |bytes: usize| format!("{} KiB", bytes / 1024);
    let rows = [
        ("name", o.name().to_string()),
        ("board", format!("{} ({})", o.board().name, o.board().part)),
        ("clock", format!("{} MHz", o.clock_mhz())),
        ("systolic arrays", format!("{} of {} x {}: {mac} MAC per cycle", o.arrays(), o.side(), o.side())),
        (
            "stream ports",
            format!("{} x {} bit: {} bytes per cycle", o.stream_ports(), 8 * o.port_bytes(), o.beat_bytes()),
        ),
        ("load and store", format!("port {}", o.data_port())),
        ("descriptors", format!("port {}", o.command_port())),
        ("GEMV", format!("{} vectors x {} lanes", sagen_isa::VECTORS, o.beat_bytes())),
        ("vector unit", format!("{} lanes of 32 bits", sagen_isa::LANES)),
        ("prefetch FIFO", kib(o.prefetch_beats() * o.beat_bytes())),
        ("scratchpad", kib(o.scratch_words() * sagen_isa::WORD_BYTES)),
        ("code memory", kib(o.code_words() * sagen_isa::GROUP)),
        ("longest context", format!("{} keys", o.score_rows())),
    ];
    rows.iter().for_each(|(name, value)| println!("{name:<16} {value}"));
}
