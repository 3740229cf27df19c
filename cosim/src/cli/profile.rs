//! `cosim profile`: where the cycles of one decoded token or one prefill chunk go.

use super::prepare;
use anyhow::{Context, Result, bail};
use clap::Args;
use sagen_compile::CompileOptions;
use sagen_cosim::axi::Profile;
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::streamed::timeline::{Part, Summary, Timeline, svg, table, trace};
use sagen_cosim::verilate::Variant;
use sagen_engine::Session;
use sagen_engine::live::Live;
use sagen_host::files::Files;
use sagen_host::outcome::Voice;
use sagen_host::{files, interrupt};
use sagen_runtime::prepare::{Wanted, model};
use sagen_streamed_arch::{Device, ModelProgram, StreamedConfig};
use sagen_streamed_isa::{CHUNK_ROWS, UNITS};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the list of options does not say.
const HELP: &str = "\
Runs one decoded token on the RTL, or with --prefill one chunk of 16 positions, and prints what every unit did: \
executed, was starved (an empty FIFO), blocked (a full one), or waited, and for which unit. The cycles of a unit add \
up to those of the run. Times do not depend on data, so the cache is left at zero and any position is reached at once.

Examples:
  cosim profile smollm2                                   decode at position 32
  cosim profile smollm2 --position 2046 --svg late.svg    a picture, a bar a layer
  cosim profile smollm2 --prefill --trace chunk.json      a trace for ui.perfetto.dev";

/// Options of `cosim profile`.
#[derive(Args)]
#[command(after_help = HELP)]
pub(crate) struct Options {
    /// Model of the registry; an unknown name lists the known ones.
    #[arg(required_unless_present = "model_path")]
    model: Option<String>,
    /// Overlay: name of a config, or path of a YAML file.
    #[arg(long, default_value = "d16_100mhz_w128_p6")]
    config: String,
    /// Tokens before the one that is decoded, or before the chunk.
    #[arg(long, value_name = "N", default_value_t = 32)]
    position: usize,
    /// Profile a chunk of prefill instead of a decoded token; the position is a multiple of 16.
    #[arg(long)]
    prefill: bool,
    /// Write totals, layers, losses and every descriptor here.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a Chrome trace for Perfetto here; one microsecond of it is one clock cycle.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write a picture here: what compute did, a bar a layer.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Longest sequence that the program is compiled for, a multiple of 16.
    #[arg(long, default_value_t = 2048)]
    context: usize,
    /// Memory behind the ports: ideal, board (that of the overlay) or random:SEED.
    #[arg(long, default_value = "board")]
    memory: Profile,
    /// Use this GGUF file or Hugging Face directory instead of the registry's; MODEL is then only its name.
    #[arg(long, value_name = "PATH")]
    model_path: Option<PathBuf>,
    /// Verilator to use, instead of the one that would be found.
    #[arg(long, value_name = "PATH")]
    verilator: Option<PathBuf>,
    /// Folder that holds build folders.
    #[arg(long, default_value = "build")]
    out: PathBuf,
}

/// The token of every position: times do not depend on it.
const TOKEN: u32 = 1;

/// Profile and print.
pub(crate) fn run(options: &Options) -> Result<()> {
    check(options)?;
    let voice = places(options)?;
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let (checkpoint, tokenizer) = model(wanted(options), &*interrupt::listen()?)?;
    let compile_options = CompileOptions { context: options.context, ..CompileOptions::default() };
    let compiled = prepare::program(&checkpoint, &tokenizer, &overlay, &compile_options)?;
    drop(checkpoint);
    let interrupted = interrupt::listen()?;
    let timeline = simulate(options, &overlay, &compiled, interrupted.flag())?;
    drop(interrupted);
    let summary = Summary::new(&timeline);
    let title = title(options, &overlay, &summary);
    write_files(options, &timeline, &summary, &title)?;
    Ok(voice.print(&format!("{title}\n\n{}\n", table::table(&summary)))?)
}

fn wanted(options: &Options) -> Wanted<'_> {
    Wanted::new(options.model.as_deref(), options.model_path.as_deref())
}

/// Refuse places that cannot be written; where the table goes.
fn places(options: &Options) -> Result<Voice> {
    let mut files = Files::default();
    files.reads("--model-path", options.model_path.as_deref());
    files.writes("--svg", options.svg.as_deref())?;
    files.writes("--json", options.json.as_deref())?;
    files.writes("--trace", options.trace.as_deref())?;
    files::folder("--out", &options.out)?;
    Ok(files.voice())
}

/// What would not fit, before anything is built.
fn check(options: &Options) -> Result<()> {
    let (position, context) = (options.position, options.context);
    if options.prefill && !position.is_multiple_of(CHUNK_ROWS) {
        bail!("--position {position}: a chunk of prefill begins at a multiple of {CHUNK_ROWS}");
    }
    let length = position.saturating_add(if options.prefill { CHUNK_ROWS } else { 1 });
    if length > context {
        bail!("--position {position} needs a context of {length}, --context is {context}");
    }
    Ok(())
}

fn simulate(
    options: &Options,
    overlay: &StreamedConfig,
    compiled: &Arc<ModelProgram>,
    interrupted: Arc<AtomicBool>,
) -> Result<Timeline> {
    let built = prepare::simulator(overlay, &options.out, Variant::default(), options.verilator.as_deref())?;
    let mut device = RtlDevice::new(&built.library, overlay, options.memory, Check::None);
    let live = Live::default();
    let progress = live.clone();
    device.on_progress(Box::new(move |cycles, share| progress.progress(cycles, share)));
    device.stop_when(interrupted);
    device.load(&compiled.program)?;
    device.record_timelines();
    live.begin(what(options), 0);
    let mut session = Session::resume(&mut device, compiled, vec![TOKEN; options.position], |_| {});
    let result = match options.prefill {
        true => session.prefill(&[TOKEN; CHUNK_ROWS]),
        false => session.decode_step(TOKEN),
    };
    drop(session);
    live.end();
    result?;
    // A prefill also runs the head, afterwards.
    device.take_timelines().into_iter().next().context("the device recorded no run")
}

fn what(options: &Options) -> String {
    match options.prefill {
        true => format!("prefill of positions {} to {}", options.position, options.position + CHUNK_ROWS - 1),
        false => format!("decode at position {}", options.position),
    }
}

fn title(options: &Options, overlay: &StreamedConfig, summary: &Summary) -> String {
    let (model, config) = (wanted(options).name(), overlay.name());
    format!("{model} on {config}: {}, {} cycles", what(options), summary.cycles)
}

fn write_files(options: &Options, timeline: &Timeline, summary: &Summary, title: &str) -> Result<()> {
    if let Some(path) = &options.json {
        files::write(path, &serde_json::to_string_pretty(&report(options, timeline, summary))?)?;
    }
    if let Some(path) = &options.trace {
        files::write(path, &trace::trace(timeline, title).to_string())?;
    }
    if let Some(path) = &options.svg {
        files::write(path, &svg::svg(summary, title))?;
    }
    Ok(())
}

fn report(options: &Options, timeline: &Timeline, summary: &Summary) -> Value {
    let part = |p: &Part| match p {
        Part::Before | Part::After => json!(p.to_string()),
        Part::Layer(layer) => json!(layer),
    };
    let parts = summary.parts.iter().map(|p| json!({ "layer": part(&p.part), "units": units(&p.units) }));
    json!({
        "schema": 1,
        "model": wanted(options).name(),
        "config": options.config,
        "routine": if options.prefill { "prefill" } else { "decode" },
        "position": options.position,
        "cycles": summary.cycles,
        "units": units(&summary.units),
        "layers": parts.collect::<Vec<_>>(),
        "losses": summary.losses,
        "descriptors": timeline.spans,
    })
}

fn units(tallies: &[sagen_cosim::streamed::timeline::Tally; UNITS.len()]) -> Value {
    let by_name: Map<String, Value> = UNITS.iter().map(|u| (u.name().to_string(), json!(tallies[u.index()]))).collect();
    Value::Object(by_name)
}
