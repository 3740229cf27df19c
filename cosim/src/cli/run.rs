//! `cosim run`: a prompt in, tokens out, on the RTL or on the golden machine.

use super::prepare;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use sagen_compile::CompileOptions;
use sagen_cosim::axi::Profile;
use sagen_cosim::bridge::TraceWindow;
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::verilate::{Built, Variant};
use sagen_engine::live::Live;
use sagen_engine::report::{Checked, Report, Simulator};
use sagen_host::files::Files;
use sagen_host::interrupt::Will;
use sagen_host::outcome::Voice;
use sagen_host::progress::Progress;
use sagen_host::{digest, files, interrupt, outcome};
use sagen_runtime::prepare::{Wanted, model};
use sagen_runtime::prompt;
use sagen_runtime::run::{Job, PrefillBy, Request, SharedReport};
use sagen_streamed_arch::{Device, ModelProgram, StreamedConfig};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// What executes the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The emitted Verilog under Verilator.
    Rtl,
    /// The golden machine: the same tokens in seconds.
    Golden,
}

/// How closely RTL and golden are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckOption {
    /// Every byte that every descriptor leaves behind.
    Descriptor,
    /// DDR at the end of every run.
    End,
    /// Not at all.
    None,
}

/// What computes the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrefillOption {
    /// The systolic array, 16 positions at a time.
    Array,
    /// The GEMV unit, position by position: the same bits.
    Gemv,
    /// The golden machine, whose keys and values are then copied: long contexts in seconds.
    Golden,
}

/// Options of `cosim run`.
#[derive(Args)]
pub(crate) struct Options {
    /// Model of the registry; an unknown name lists the known ones.
    #[arg(required_unless_present = "model_path")]
    model: Option<String>,
    /// Overlay: name of a config, or path of a YAML file.
    #[arg(long, default_value = "d16_100mhz_w128_p6")]
    config: String,
    /// Prompt; the model's own by default.
    #[arg(long, conflicts_with = "prompt_file")]
    prompt: Option<String>,
    /// Read the prompt from this file, UTF-8.
    #[arg(long, value_name = "FILE")]
    prompt_file: Option<PathBuf>,
    /// Use only the first so many tokens of the prompt.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    prompt_tokens: Option<u64>,
    /// Wrap the prompt in the model's chat template as a user message.
    #[arg(long)]
    chat: bool,
    /// Let control tokens that the prompt spells, such as an end of turn, be what they say; otherwise they are text.
    #[arg(long)]
    special: bool,
    /// Tokens to decode; fewer where the model ends earlier.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..))]
    tokens: u64,
    /// Longest sequence that the program is compiled for, a multiple of 16.
    #[arg(long, default_value_t = 2048)]
    context: usize,
    /// What executes the program.
    #[arg(long, value_enum, default_value_t = Backend::Rtl)]
    backend: Backend,
    /// How closely the RTL is compared with golden.
    #[arg(long, value_enum, default_value_t = CheckOption::Descriptor)]
    check: CheckOption,
    /// Memory behind the ports: ideal, board (that of the overlay) or random:SEED.
    #[arg(long, default_value = "board")]
    memory: Profile,
    /// What computes the prompt.
    #[arg(long, value_enum, default_value_t = PrefillOption::Array)]
    prefill: PrefillOption,
    /// Print the answer alone on standard output, as it is generated; everything else goes to standard error.
    #[arg(long)]
    quiet: bool,
    /// Write a JSON report here, `-` for standard output; a partial one after Ctrl-C.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Use this GGUF file or Hugging Face directory instead of the registry's; MODEL is then only its name.
    #[arg(long, value_name = "PATH")]
    model_path: Option<PathBuf>,
    /// Write an FST trace of these clock cycles, counted from reset.
    #[arg(long, value_name = "A..B", value_parser = window)]
    trace_window: Option<std::ops::Range<u64>>,
    /// Where the trace goes.
    #[arg(long, value_name = "FILE", default_value = "trace.fst")]
    trace_file: PathBuf,
    /// Verilator to use, instead of the one that would be found.
    #[arg(long, value_name = "PATH")]
    verilator: Option<PathBuf>,
    /// Folder that holds build folders.
    #[arg(long, default_value = "build")]
    out: PathBuf,
}

fn window(text: &str) -> Result<std::ops::Range<u64>, String> {
    let parts = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    parts.filter(|r: &std::ops::Range<u64>| r.start < r.end).ok_or_else(|| format!("`{text}` is not A..B with A < B"))
}

/// Run a model.
pub(crate) fn run(options: &Options) -> Result<()> {
    let voice = check(options)?;
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let wanted = Wanted::new(options.model.as_deref(), options.model_path.as_deref());
    let text = prompt::read(options.prompt.as_deref(), options.prompt_file.as_deref(), wanted.registered())?;
    let report = Arc::new(Mutex::new(Report::new(&overlay, wanted.name())));
    let cut_off = options.report.clone().map(|path| cut_off(path, Arc::clone(&report)));
    let result = execute(options, voice, &overlay, wanted, &text, report);
    if interrupt::raised() {
        cut_off.into_iter().for_each(Will::execute);
    }
    result
}

fn execute(
    options: &Options,
    voice: Voice,
    overlay: &StreamedConfig,
    wanted: Wanted<'_>,
    text: &str,
    report: SharedReport,
) -> Result<()> {
    let (checkpoint, tokenizer) = model(wanted, &*interrupt::listen()?)?;
    identify(&report, checkpoint.path())?;
    let style = prompt::Style { chat: options.chat, special: options.special };
    let prompt::Encoded { mut ids, repeated_bos } = prompt::encode(&tokenizer, text, style)?;
    if repeated_bos {
        eprintln!("warning: the prompt begins with more than one begin-of-sequence token; one is kept");
    }
    ids.truncate(options.prompt_tokens.map_or(usize::MAX, |n| n as usize));
    prompt::fits(ids.len(), options.tokens as usize, options.context)?;
    let compile_options = CompileOptions { context: options.context, ..CompileOptions::default() };
    let compiled = prepare::program(&checkpoint, &tokenizer, overlay, &compile_options)?;
    drop(checkpoint);

    let interrupted = interrupt::listen()?;
    let live = if options.quiet { Live::answering(voice) } else { Live::speaking(voice) };
    let flag = interrupted.flag();
    let job = Job::new(overlay, &tokenizer, &compiled, request(options, ids), report, live, flag);
    let result = match options.backend {
        Backend::Golden => job.on_golden().map_err(Into::into),
        Backend::Rtl => on_rtl(options, overlay, &compiled, &job, interrupted.flag()),
    };
    close(options, voice, job, result)
}

/// Refuse what cannot be done or written; where text for people goes.
fn check(options: &Options) -> Result<Voice> {
    if options.trace_window.is_some() && options.backend == Backend::Golden {
        bail!("--trace-window needs --backend rtl: the golden machine has no clock cycles");
    }
    let mut files = Files::default();
    files.reads("--prompt-file", options.prompt_file.as_deref());
    files.reads("--model-path", options.model_path.as_deref());
    files.seeks("--trace-file", options.trace_window.as_ref().map(|_| options.trace_file.as_path()))?;
    files.writes("--report", options.report.as_deref())?;
    if options.backend == Backend::Rtl {
        files::folder("--out", &options.out)?;
    }
    match (options.quiet, files.voice()) {
        (true, Voice::Error) => bail!("--quiet prints the answer on standard output, where --report would go too"),
        (true, Voice::Output) => Ok(Voice::Error),
        (false, voice) => Ok(voice),
    }
}

/// What is written should a signal end the process at once.
fn cut_off(path: PathBuf, report: SharedReport) -> Will {
    interrupt::will(move || {
        let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
        report.interrupted = true;
        if let Err(error) = files::write(&path, &report.json()) {
            outcome::complain(&format!("Error: {error}"));
        }
    })
}

/// Say in the report which model it is.
fn identify(report: &SharedReport, path: &Path) -> Result<()> {
    let path = path.canonicalize().with_context(|| path.display().to_string())?;
    let sha256 = path.is_file().then(|| digest::of_file(&path)).transpose();
    let sha256 = sha256.with_context(|| path.display().to_string())?.map(|(_, sha256)| sha256);
    let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
    (report.model_path, report.model_sha256) = (Some(path), sha256);
    Ok(())
}

fn request(options: &Options, prompt: Vec<u32>) -> Request {
    let prefill = match options.prefill {
        PrefillOption::Array => PrefillBy::Array,
        PrefillOption::Gemv => PrefillBy::Gemv,
        PrefillOption::Golden => PrefillBy::Golden,
    };
    let (tokens, chat, quiet) = (options.tokens as usize, options.chat, options.quiet);
    Request { prompt, tokens, prefill, chat, quiet }
}

fn on_rtl(
    options: &Options,
    overlay: &StreamedConfig,
    compiled: &ModelProgram,
    job: &Job<'_>,
    interrupted: Arc<AtomicBool>,
) -> Result<()> {
    let variant = Variant { trace: options.trace_window.is_some(), ..Variant::default() };
    let built = prepare::simulator(overlay, &options.out, variant, options.verilator.as_deref())?;
    let check = match options.check {
        CheckOption::Descriptor => Check::Descriptor,
        CheckOption::End => Check::End,
        CheckOption::None => Check::None,
    };
    let mut device = RtlDevice::new(&built.library, overlay, options.memory, check);
    let live = job.live();
    device.on_progress(Box::new(move |cycles, share| live.progress(cycles, share)));
    device.stop_when(interrupted);
    let bar = Progress::spinner("loading the DDR image");
    device.load(&compiled.program)?;
    drop(bar);
    if let (Some(cycles), Some(rig)) = (options.trace_window.clone(), device.rig()) {
        rig.sim_mut().trace(TraceWindow { cycles, path: options.trace_file.clone() })?;
    }
    let result = job.generate(&mut device);
    if let Some(rig) = device.rig() {
        rig.sim_mut().finish()?;
    }
    let exact = match (check, result.is_ok(), device.differs()) {
        (Check::None, _, _) | (_, false, false) => None,
        (_, ok, _) => Some(ok),
    };
    record(job, &device, &built, exact);
    Ok(result?)
}

/// What only the RTL knows.
fn record(job: &Job<'_>, device: &RtlDevice, built: &Built, exact: Option<bool>) {
    let (cycles, wall_s, checked) = (device.cycles(), job.seconds(), device.checked());
    job.note(|report| {
        report.checked = Checked { descriptors: checked.descriptors, bytes: checked.bytes };
        report.bit_exact = exact;
        report.sim = Some(Simulator {
            cycles,
            khz: cycles as f64 / wall_s.max(1e-9) / 1e3,
            wall_s,
            verilator: built.verilator.clone(),
            compile_s: built.compile_seconds,
        });
    });
}

/// Write and print what there is, also after a failure.
fn close(options: &Options, voice: Voice, job: Job<'_>, result: Result<()>) -> Result<()> {
    let mut closing = job.close()?;
    // Whatever the reason: a report of less than was asked for says so.
    closing.report.interrupted |= result.is_err();
    let report = closing.report.json();
    let written = options.report.as_ref().map_or(Ok(()), |path| files::write(path, &report));
    if options.quiet {
        outcome::print("\n")?;
    }
    voice.print(&closing.to_string())?;
    written?;
    if closing.cancelled {
        let file = options.report.as_ref().map_or(String::new(), |p| format!(" and in {}", p.display()));
        bail!("interrupted; what was measured by then is above{file}");
    }
    result
}
