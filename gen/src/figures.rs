//! Figures that follow from an overlay's config, as `show` and `diff` print them.

use sagen_config::Family;
use sagen_streamed_arch::StreamedConfig;

/// Name and value of every figure.
pub fn of(o: &StreamedConfig) -> Vec<(&'static str, String)> {
    let mut figures = platform(o);
    figures.extend(rates(o));
    figures.extend(memories(o));
    figures
}

fn platform(o: &StreamedConfig) -> Vec<(&'static str, String)> {
    let board = o.board();
    let family = match board.family {
        Family::ZynqUltrascale => "Zynq UltraScale+",
        Family::Zynq7000 => "Zynq-7000",
    };
    let made = board.fabric_clock.nearest(1000 * o.clock_mhz());
    let made = made.map_or(String::new(), |khz| format!(", made: {:.3} MHz", f64::from(khz) / 1000.0));
    let depth = if o.deep_pipeline() { "deep" } else { "short" };
    vec![
        ("board", format!("{} ({})", board.name, board.title)),
        ("part", format!("{}, {family}", board.part)),
        ("clock", format!("{} MHz{made}", o.clock_mhz())),
        ("pipelines", format!("{depth}, at most {} logic levels", o.logic_levels())),
    ]
}

fn rates(o: &StreamedConfig) -> Vec<(&'static str, String)> {
    let (side, beat) = (o.side(), o.beat_bytes());
    let port = |n: usize| format!("port {n}, {}", o.board().ports[n].name);
    let pace = match sagen_streamed_isa::LANES / o.vector_lanes() {
        1 => "a word of 16 per cycle".to_string(),
        cycles => format!("a word of 16 in {cycles} cycles"),
    };
    vec![
        ("systolic arrays", format!("{} of {side} x {side}: {} MAC per cycle", o.arrays(), o.arrays() * side * side)),
        (
            "GEMV",
            format!(
                "{} vectors x {beat} lanes: {} MAC per cycle",
                sagen_streamed_isa::VECTORS,
                sagen_streamed_isa::VECTORS * beat
            ),
        ),
        ("vector unit", format!("{} lanes of 32 bits: {pace}", o.vector_lanes())),
        ("stream ports", format!("{} x {} bit: {beat} bytes per cycle", o.stream_ports(), 8 * o.port_bytes())),
        ("peak stream", format!("{} MB/s", beat as u32 * o.clock_mhz())),
        ("load and store", port(o.data_port())),
        ("descriptors", port(o.command_port())),
    ]
}

fn memories(o: &StreamedConfig) -> Vec<(&'static str, String)> {
    let kib = |bytes: usize| format!("{} KiB", bytes / 1024);
    vec![
        ("prefetch FIFO", kib(o.prefetch_beats() * o.beat_bytes())),
        ("scratchpad", kib(o.scratch_words() * sagen_streamed_isa::WORD_BYTES)),
        ("code memory", kib(o.code_words() * sagen_streamed_isa::GROUP)),
        ("longest context", format!("{} keys", o.score_rows())),
    ]
}
