//! `cosim run`: a prompt in, tokens out, on the RTL or on the golden machine.

use super::live::Live;
use super::prepare;
use super::report::{self, Checked, Decode, Prefill, Report, Simulator};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use sagen_checkpoint::registry;
use sagen_compile::CompileOptions;
use sagen_cosim::axi::Profile;
use sagen_cosim::bridge::TraceWindow;
use sagen_cosim::device::{Check, RtlDevice};
use sagen_cosim::verilate::{Built, Variant};
use sagen_engine::{Run, Session};
use sagen_host::progress::Progress;
use sagen_host::{files, interrupt};
use sagen_streamed_arch::Compiled;
use sagen_streamed_arch::{Device, RoutineKind, StreamedConfig};
use sagen_streamed_golden::Machine;
use sagen_streamed_isa::COUNTERS;
use sagen_tokenizer::{Message, Tokenizer};
use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

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
    model: String,
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
    /// Write a JSON report here; a partial one after Ctrl-C.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Use this GGUF file or Hugging Face directory instead of the registry's.
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
    let interrupted = interrupt::listen()?;

    if options.trace_window.is_some() && options.backend == Backend::Golden {
        bail!("--trace-window needs --backend rtl: the golden machine has no clock cycles");
    }
    if let Some(path) = &options.report {
        files::check("--report", path)?;
    }
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let prompt = prompt(options)?;
    let (checkpoint, tokenizer) = prepare::model(&options.model, options.model_path.as_deref(), &interrupted)?;
    let mut ids = encode(&tokenizer, &prompt, options.chat)?;
    ids.truncate(options.prompt_tokens.map_or(usize::MAX, |n| n as usize));
    let longest = ids.len() + options.tokens as usize;
    if longest > options.context + 1 {
        bail!("{} prompt tokens and {} more do not fit --context {}", ids.len(), options.tokens, options.context);
    }
    let compile_options = CompileOptions { context: options.context, ..CompileOptions::default() };
    let compiled = prepare::program(&checkpoint, &tokenizer, &overlay, &compile_options)?;
    drop(checkpoint);

    let mut job = Job::new(options, &overlay, &tokenizer, &compiled, ids, interrupted.flag());
    let result = match options.backend {
        Backend::Golden => job.on_golden(),
        Backend::Rtl => job.on_rtl(),
    };
    job.close(result)
}

/// What the user wrote, or the model's own prompt.
fn prompt(options: &Options) -> Result<String> {
    let prompt = match (&options.prompt, &options.prompt_file, &options.model_path) {
        (Some(prompt), _, _) => prompt.clone(),
        (None, Some(path), _) => {
            let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
            String::from_utf8(bytes).map_err(|e| {
                anyhow::anyhow!("{}: not UTF-8 at byte {}", path.display(), e.utf8_error().valid_up_to())
            })?
        }
        (None, None, Some(_)) => bail!("--model-path needs --prompt or --prompt-file"),
        (None, None, None) => registry::find(&options.model)?.prompt().to_string(),
    };
    if prompt.is_empty() {
        bail!("the prompt is empty; at least one token is needed");
    }
    Ok(prompt)
}

fn encode(tokenizer: &Tokenizer, prompt: &str, chat: bool) -> Result<Vec<u32>> {
    let text = match chat {
        false => prompt.to_string(),
        true => {
            let template = tokenizer.chat().context("--chat: this model has no chat template")?;
            template.render(&[Message { role: "user".to_string(), content: prompt.to_string() }])?
        }
    };
    Ok(tokenizer.encode(&text, !chat)?)
}

struct Job<'a> {
    options: &'a Options,
    overlay: &'a StreamedConfig,
    tokenizer: &'a Tokenizer,
    compiled: &'a Compiled,
    prompt: Vec<u32>,
    interrupted: Arc<AtomicBool>,
    live: Live,
    report: RefCell<Report>,
    /// Decoded tokens whose text is not printed yet.
    text: RefCell<String>,
    seconds: Cell<f64>,
}

impl<'a> Job<'a> {
    fn new(
        options: &'a Options,
        overlay: &'a StreamedConfig,
        tokenizer: &'a Tokenizer,
        compiled: &'a Compiled,
        prompt: Vec<u32>,
        interrupted: Arc<AtomicBool>,
    ) -> Self {
        let report = Report {
            schema: 1,
            config: overlay.name().to_string(),
            model: options.model.clone(),
            clock_mhz: overlay.clock_mhz(),
            prompt_tokens: prompt.len(),
            tokens: Vec::new(),
            text: String::new(),
            prefill: Prefill::default(),
            decode: Vec::new(),
            bit_exact: None,
            checked: Checked::default(),
            sim: None,
        };
        let live = Live::new();
        let (report, text, seconds) = (RefCell::new(report), RefCell::default(), Cell::new(0.0));
        Self { options, overlay, tokenizer, compiled, prompt, interrupted, live, report, text, seconds }
    }

    fn on_golden(&mut self) -> Result<()> {
        let mut machine = Machine::new(self.overlay);
        machine.load(&self.compiled.program)?;
        self.generate(&mut machine)
    }

    fn on_rtl(&mut self) -> Result<()> {
        let trace = self.options.trace_window.is_some();
        let variant = Variant { trace, ..Variant::default() };
        let verilator = self.options.verilator.as_deref();
        let built = prepare::simulator(self.overlay, &self.options.out, variant, verilator)?;
        let check = match self.options.check {
            CheckOption::Descriptor => Check::Descriptor,
            CheckOption::End => Check::End,
            CheckOption::None => Check::None,
        };
        let mut device = RtlDevice::new(&built.library, self.overlay, self.options.memory, check);
        let live = self.live.clone();
        device.on_progress(Box::new(move |cycles, share| live.progress(cycles, share)));
        device.stop_when(Arc::clone(&self.interrupted));
        let bar = Progress::spinner("loading the DDR image");
        device.load(&self.compiled.program)?;
        drop(bar);
        if let (Some(cycles), Some(rig)) = (self.options.trace_window.clone(), device.rig()) {
            rig.sim_mut().trace(TraceWindow { cycles, path: self.options.trace_file.clone() })?;
        }
        let result = self.generate(&mut device);
        if let Some(rig) = device.rig() {
            rig.sim_mut().finish()?;
        }
        let exact = match (check, result.is_ok(), device.differs()) {
            (Check::None, _, _) | (_, false, false) => None,
            (_, ok, _) => Some(ok),
        };
        self.record(&device, &built, exact);
        result
    }

    /// What only the RTL knows.
    fn record(&self, device: &RtlDevice, built: &Built, exact: Option<bool>) {
        let mut report = self.report.borrow_mut();
        let (cycles, wall_s) = (device.cycles(), self.seconds.get());
        let checked = device.checked();
        report.checked = Checked { descriptors: checked.descriptors, bytes: checked.bytes };
        report.bit_exact = exact;
        report.sim = Some(Simulator {
            cycles,
            khz: cycles as f64 / wall_s.max(1e-9) / 1e3,
            wall_s,
            verilator: built.verilator.clone(),
            compile_s: built.compile_seconds,
        });
    }

    fn generate(&self, device: &mut dyn Device) -> Result<()> {
        let count = self.options.tokens as usize;
        self.live.print(&self.tokenizer.decode(&self.prompt)?);
        let begun = Instant::now();
        let borrowed = match self.options.prefill {
            PrefillOption::Golden => Some(self.prefill_on_golden(device)?),
            PrefillOption::Array | PrefillOption::Gemv => None,
        };
        let known = borrowed.map_or(Vec::new(), |_| self.prompt.clone());
        let mut session = Session::resume(device, self.compiled, known, |run| self.observe(run));
        let mut stream = self.tokenizer.stream();
        self.live.begin(format!("prefill of {} tokens", self.prompt.len()), 0);
        let result = (|| {
            let mut next = match (borrowed, self.options.prefill) {
                (Some(next), _) => next,
                (None, PrefillOption::Gemv) => session.prefill_by_decode(&self.prompt)?,
                (None, _) => session.prefill(&self.prompt)?,
            };
            for left in (0..count).rev() {
                if self.tokenizer.end().contains(&next) {
                    break;
                }
                let piece = stream.push(next)?;
                self.report.borrow_mut().tokens.push(next);
                self.say(&piece);
                if left > 0 {
                    self.live.begin(format!("token {} of {count}", count - left + 1), left - 1);
                    next = session.decode_step(next)?;
                }
            }
            self.say(&stream.finish());
            anyhow::Ok(())
        })();
        self.seconds.set(begun.elapsed().as_secs_f64());
        result
    }

    /// Prefill on a golden machine and copy what it wrote; the first token.
    fn prefill_on_golden(&self, device: &mut dyn Device) -> Result<u32> {
        let bar = Progress::spinner(format!("prefill of {} tokens on the golden machine", self.prompt.len()));
        let mut golden = Machine::new(self.overlay);
        golden.load(&self.compiled.program)?;
        let next = Session::new(&mut golden, self.compiled, |_| {}).prefill(&self.prompt)?;
        for region in self.compiled.program.regions.iter().filter(|r| r.writable()) {
            let mut bytes = vec![0; region.bytes as usize];
            golden.read_ddr(region.base, &mut bytes)?;
            device.write_ddr(region.base, &bytes)?;
        }
        drop(bar);
        self.report.borrow_mut().prefill.tokens = self.prompt.len();
        Ok(next)
    }

    fn say(&self, piece: &str) {
        self.report.borrow_mut().text.push_str(piece);
        self.text.borrow_mut().push_str(piece);
    }

    /// Called after every routine.
    fn observe(&self, run: &Run) {
        let mut report = self.report.borrow_mut();
        let cycles = run.stats.cycles;
        let in_prompt = run.position + run.tokens.max(1) <= self.prompt.len();
        if in_prompt {
            report.prefill.tokens += run.tokens;
            report.prefill.cycles = cycles.map(|c| c + report.prefill.cycles.unwrap_or(0));
            let tokens = report.prefill.tokens;
            report.prefill.tok_per_s = report.prefill.cycles.map(|c| report::tok_per_s(self.overlay, tokens, c));
            let first = self.prompt.len() == run.position + run.tokens.max(1) && run.kind != RoutineKind::Prefill;
            if first && let Some(c) = report.prefill.cycles {
                self.live.print(&format!(
                    "prefill     {:>4} tokens {:>11} cycles {:>8.2} tok/s",
                    tokens,
                    c,
                    report::tok_per_s(self.overlay, tokens, c)
                ));
            }
            return;
        }
        let token = report.tokens.last().copied().unwrap_or_default();
        let decode = Decode {
            position: run.position,
            token,
            cycles,
            tok_per_s: cycles.map(|c| report::tok_per_s(self.overlay, 1, c)),
            stream_bytes: run.stats.stream_bytes,
            stream_share: cycles.map(|c| report::stream_share(self.overlay, run.stats.stream_bytes, c)),
            counters: COUNTERS.iter().map(|c| c.name).zip(run.stats.counters.iter().copied()).collect(),
        };
        let text = std::mem::take(&mut *self.text.borrow_mut());
        let figures = match (decode.cycles, decode.tok_per_s, decode.stream_share) {
            (Some(c), Some(rate), Some(share)) => {
                format!("{c:>11} cycles {rate:>8.2} tok/s {:>6.1} % of the stream ports", 100.0 * share)
            }
            _ => String::new(),
        };
        self.live.print(&format!("decode  at {:>4} {:<16} {figures}", run.position, format!("{text:?}")));
        report.decode.push(decode);
    }

    /// Print and write what there is, also after a failure.
    fn close(self, result: Result<()>) -> Result<()> {
        self.live.end();
        let report = self.report.into_inner();
        if !report.is_empty() {
            println!();
            println!("{}{}", self.tokenizer.decode(&self.prompt)?, report.text);
            report.print();
        }
        if let Some(path) = &self.options.report {
            report.write(path)?;
        }
        match (result, self.interrupted.load(Ordering::Relaxed)) {
            (_, true) => bail!("interrupted; what was measured by then is above{}", partial(self.options)),
            (result, false) => result,
        }
    }
}

fn partial(options: &Options) -> String {
    options.report.as_ref().map_or(String::new(), |p| format!(" and in {}", p.display()))
}
