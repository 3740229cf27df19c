//! Figures that follow from an overlay's config, as `show` and `diff` print them.

use sagen_config::DeviceFamily;
use sagen_overlay::{Column, Figure};
use sagen_streamed_arch::StreamedConfig;

/// Name and value of every figure.
pub(crate) fn of(o: &StreamedConfig) -> Vec<Figure> {
    let mut figures = platform(o);
    figures.extend(rates(o));
    figures.extend(memories(o));
    figures
}

fn figure(name: &'static str, value: impl Into<String>) -> Figure {
    Figure { name, value: value.into(), column: None }
}

/// A figure that `list` prints in a column.
fn listed(name: &'static str, value: String, head: &'static str, cell: String) -> Figure {
    Figure { name, value, column: Some(Column { head, cell }) }
}

fn platform(o: &StreamedConfig) -> Vec<Figure> {
    let board = o.board();
    let family = match board.family {
        DeviceFamily::ZynqUltrascale => "Zynq UltraScale+",
        DeviceFamily::Zynq7000 => "Zynq-7000",
    };
    let made = board.fabric_clock.nearest(1000 * o.clock_mhz());
    let made = made.map_or(String::new(), |khz| format!(", made: {:.3} MHz", f64::from(khz) / 1000.0));
    let depth = if o.deep_pipeline() { "deep" } else { "short" };
    vec![
        figure("board", format!("{} ({})", board.name, board.title)),
        figure("part", format!("{}, {family}", board.part)),
        figure("clock", format!("{} MHz{made}", o.clock_mhz())),
        figure("pipelines", format!("{depth}, at most {} logic levels", o.logic_levels())),
    ]
}

fn rates(o: &StreamedConfig) -> Vec<Figure> {
    let (side, beat) = (o.side(), o.beat_bytes());
    let port = |n: usize| format!("port {n}, {}", o.board().ports[n].name);
    let pace = match sagen_streamed_isa::LANES / o.vector_lanes() {
        1 => "a word of 16 per cycle".to_string(),
        cycles => format!("a word of 16 in {cycles} cycles"),
    };
    let arrays = format!("{} of {side} x {side}: {} MAC per cycle", o.arrays(), o.arrays() * side * side);
    let vectors = sagen_streamed_isa::VECTORS;
    let stream = format!("{} x {} bit", o.stream_ports(), 8 * o.port_bytes());
    let peak = (beat as u32 * o.clock_mhz()).to_string();
    vec![
        listed("systolic arrays", arrays, "arrays", format!("{} x {side}^2", o.arrays())),
        figure("GEMV", format!("{vectors} vectors x {beat} lanes: {} MAC per cycle", vectors * beat)),
        listed(
            "vector unit",
            format!("{} lanes of 32 bits: {pace}", o.vector_lanes()),
            "vector lanes",
            o.vector_lanes().to_string(),
        ),
        listed("stream ports", format!("{stream}: {beat} bytes per cycle"), "stream ports", stream.clone()),
        listed("peak stream", format!("{peak} MB/s"), "stream MB/s", peak.clone()),
        figure("load and store", port(o.data_port())),
        figure("descriptors", port(o.command_port())),
    ]
}

fn memories(o: &StreamedConfig) -> Vec<Figure> {
    let kib = |bytes: usize| format!("{} KiB", bytes / 1024);
    vec![
        figure("prefetch FIFO", kib(o.prefetch_beats() * o.beat_bytes())),
        figure("scratchpad", kib(o.scratch_words() * sagen_streamed_isa::WORD_BYTES)),
        figure("code memory", kib(o.code_words() * sagen_streamed_isa::GROUP)),
        figure("longest context", format!("{} keys", o.score_rows())),
    ]
}
