//! A prompt in, tokens out, on any device; what happens is shown while it does, and reported.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use sagen_engine::live::Live;
use sagen_engine::report::Report;
use sagen_engine::{Done, EngineError, Session, Step};
use sagen_host::interrupt;
use sagen_host::outcome::PrintError;
use sagen_host::progress::Progress;
use sagen_streamed_arch::{Device, DeviceError, ModelProgram, RunStats, StreamedConfig};
use sagen_streamed_golden::Machine;
use sagen_tokenizer::{TokenizeError, Tokenizer};

/// What computes the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefillBy {
    /// The arrays, 16 positions at a time.
    Array,
    /// The GEMV unit, position by position: the same bits.
    Gemv,
    /// The golden machine, whose keys and values are then copied.
    Golden,
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Request {
    /// The prompt.
    pub prompt: Vec<u32>,
    /// Tokens to decode; fewer where the model ends earlier.
    pub tokens: usize,
    /// What computes the prompt.
    pub prefill: PrefillBy,
    /// The prompt is a conversation: the closing text leaves out its template, which was printed before.
    pub chat: bool,
    /// Standard output carries the answer alone, as it is generated.
    pub quiet: bool,
}

/// A report that others see too while it grows.
pub type SharedReport = Arc<Mutex<Report>>;

/// A run that did not come to its end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The sequence could not be extended.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A token that the tokenizer does not know.
    #[error(transparent)]
    Tokenize(#[from] TokenizeError),
    /// Nobody takes what is generated.
    #[error("the answer was not printed")]
    Print(#[from] PrintError),
}

/// A request on its way.
pub struct Job<'a> {
    overlay: &'a StreamedConfig,
    tokenizer: &'a Tokenizer,
    program: &'a Arc<ModelProgram>,
    request: Request,
    cancelled: Arc<AtomicBool>,
    live: Live,
    report: SharedReport,
    /// Decoded tokens whose text is not printed yet.
    text: RefCell<String>,
    seconds: Cell<f64>,
}

impl<'a> Job<'a> {
    /// Nothing has run; it ends early when `cancelled` becomes true. The report is filled in as it goes.
    #[must_use]
    pub fn new(
        overlay: &'a StreamedConfig,
        tokenizer: &'a Tokenizer,
        program: &'a Arc<ModelProgram>,
        request: Request,
        report: SharedReport,
        live: Live,
        cancelled: Arc<AtomicBool>,
    ) -> Self {
        let (text, seconds) = (RefCell::default(), Cell::new(0.0));
        let job = Self { overlay, tokenizer, program, request, cancelled, live, report, text, seconds };
        job.report().prompt_tokens = job.request.prompt.len();
        job
    }

    fn report(&self) -> MutexGuard<'_, Report> {
        // Whatever a panic left is what is known.
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The live line, for a device that tells its progress.
    #[must_use]
    pub fn live(&self) -> Live {
        self.live.clone()
    }

    /// Seconds that the device was at work.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds.get()
    }

    /// Add what only the device knows.
    pub fn note(&self, note: impl FnOnce(&mut Report)) {
        note(&mut self.report());
    }

    /// Run on a golden machine.
    pub fn on_golden(&self) -> Result<(), RunError> {
        let mut machine = Machine::new(self.overlay);
        machine.load(&self.program.program)?;
        self.generate(&mut machine)
    }

    /// Run on a device that holds the program.
    pub fn generate(&self, device: &mut dyn Device) -> Result<(), RunError> {
        self.live.print(&self.tokenizer.decode(&self.request.prompt)?);
        let begun = Instant::now();
        let next = self.prefill(device);
        self.report().wall.prefill_s = begun.elapsed().as_secs_f64();
        let result = next.and_then(|next| self.decode(device, next));
        self.seconds.set(begun.elapsed().as_secs_f64());
        if self.cancelled.load(Ordering::Relaxed) {
            interrupt::heard();
        }
        result
    }

    /// The first token.
    fn prefill(&self, device: &mut dyn Device) -> Result<u32, RunError> {
        let prompt = &self.request.prompt;
        if self.request.prefill != PrefillBy::Golden {
            self.live.begin(format!("prefill of {} tokens", prompt.len()), 0);
        }
        Ok(match self.request.prefill {
            PrefillBy::Array => self.session(device, Vec::new()).prefill(prompt)?,
            PrefillBy::Gemv => self.session(device, Vec::new()).prefill_by_decode(prompt)?,
            PrefillBy::Golden => self.prefill_on_golden(device)?,
        })
    }

    /// A sequence of which the device holds these tokens.
    fn session<'s>(&'s self, device: &'s mut dyn Device, known: Vec<u32>) -> Session<'s> {
        let mut session = Session::resume(device, self.program, known, |done| self.observe(done));
        session.stop_when(Arc::clone(&self.cancelled));
        session
    }

    fn decode(&self, device: &mut dyn Device, mut next: u32) -> Result<(), RunError> {
        let count = self.request.tokens;
        let mut session = self.session(device, self.request.prompt.clone());
        let mut stream = self.tokenizer.stream();
        for left in (0..count).rev() {
            self.live.check()?;
            if self.program.stop.contains(&next) {
                break;
            }
            let piece = stream.push(next)?;
            self.report().tokens.push(next);
            self.say(&piece);
            if left > 0 {
                self.live.begin(format!("token {} of {count}", count - left + 1), left - 1);
                let begun = Instant::now();
                next = session.decode_step(next)?;
                self.report().wall.decode_s += begun.elapsed().as_secs_f64();
            }
        }
        self.say(&stream.finish());
        Ok(self.live.check()?)
    }

    /// Prefill on a golden machine and copy what it wrote; the first token.
    fn prefill_on_golden(&self, device: &mut dyn Device) -> Result<u32, RunError> {
        let prompt = &self.request.prompt;
        let _busy = Progress::spinner(format!("prefill of {} tokens on the golden machine", prompt.len()));
        let mut golden = Machine::new(self.overlay);
        golden.load(&self.program.program)?;
        let next = {
            let mut session = Session::new(&mut golden, self.program, |_| {});
            session.stop_when(Arc::clone(&self.cancelled));
            session.prefill(prompt)?
        };
        for region in self.program.program.regions.iter().filter(|r| r.writable()) {
            let mut bytes = vec![0; region.bytes as usize];
            golden.read_ddr(region.base, &mut bytes)?;
            device.write_ddr(region.base, &bytes)?;
        }
        self.report().prefill.tokens = prompt.len();
        Ok(next)
    }

    fn say(&self, piece: &str) {
        self.report().text.push_str(piece);
        self.text.borrow_mut().push_str(piece);
        if self.request.quiet {
            self.live.answer(piece);
        }
    }

    /// Called after every run.
    fn observe(&self, done: &Done) {
        let end = self.request.prompt.len();
        match &done.step {
            Step::Chunk { tokens, .. } => self.report().add_chunk(tokens.len(), &done.stats),
            Step::Head { .. } => self.prefilled(0, &done.stats, true),
            Step::Decode(rows) => {
                for row in rows {
                    match row.position {
                        at if at < end => self.prefilled(1, &done.stats, at + 1 == end),
                        at => self.decoded(at, &done.stats),
                    }
                }
            }
        }
    }

    fn prefilled(&self, tokens: usize, stats: &RunStats, last: bool) {
        let mut report = self.report();
        report.add_prefill(tokens, stats);
        if let (true, Some(cycles), Some(rate)) = (last, report.prefill.cycles, report.prefill.tok_per_s) {
            let tokens = report.prefill.tokens;
            drop(report);
            self.live.print(&format!("prefill     {tokens:>4} tokens {cycles:>11} cycles {rate:>8.2} tok/s"));
        }
    }

    fn decoded(&self, position: usize, stats: &RunStats) {
        let mut report = self.report();
        let token = report.tokens.last().copied().unwrap_or_default();
        let decode = report.add_decode(position, token, stats);
        let figures = match (decode.cycles, decode.tok_per_s, decode.stream_share) {
            (Some(c), Some(rate), Some(share)) => {
                format!("{c:>11} cycles {rate:>8.2} tok/s {:>6.1} % of the stream ports", 100.0 * share)
            }
            _ => String::new(),
        };
        drop(report);
        let text = format!("{:?}", std::mem::take(&mut *self.text.borrow_mut()));
        self.live.print(&format!("decode  at {position:>4} {text:<16} {figures}"));
    }

    /// The report, when the live line is over; also after a failure.
    pub fn close(self) -> Result<Closing, RunError> {
        self.live.end();
        let cancelled = self.cancelled.load(Ordering::Relaxed);
        let mut report = self.report().clone();
        report.interrupted = cancelled;
        let mut text = format!("{}{}", self.tokenizer.decode(&self.request.prompt)?, report.text);
        if self.request.chat {
            text.clone_from(&report.text);
        }
        let text = if self.request.quiet { String::new() } else { format!("\n{text}\n") };
        Ok(Closing { text, report, cancelled })
    }
}

/// What a job leaves.
#[derive(Clone, Debug)]
pub struct Closing {
    /// Prompt and answer, as far as they are to be shown.
    text: String,
    /// Everything about the run.
    pub report: Report,
    /// Somebody wanted no more.
    pub cancelled: bool,
}

/// Prompt, answer and table; nothing where nothing ran.
impl std::fmt::Display for Closing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.report.is_empty() {
            return Ok(());
        }
        write!(f, "{}\n{}", self.text, self.report)
    }
}
