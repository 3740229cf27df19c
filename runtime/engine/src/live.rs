//! The live line: what runs now, how far it is, how fast the simulator goes.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sagen_host::outcome::{self, PrintError, Voice};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// Shared between the command and the device's progress callback.
#[derive(Clone)]
pub struct Live {
    bar: ProgressBar,
    state: Rc<RefCell<State>>,
    voice: Voice,
    /// Steps are told as they come.
    steps: bool,
    /// Why nothing more was printed.
    failed: Rc<RefCell<Option<PrintError>>>,
}

struct State {
    doing: String,
    begun: Instant,
    runs_left: usize,
}

impl Default for Live {
    /// A line on standard error, where that is a terminal.
    fn default() -> Self {
        let style = ProgressStyle::with_template("{msg} [{bar:24}] {percent:>3} %").expect("the template is valid");
        let bar = ProgressBar::new(1000).with_style(style.progress_chars("=> "));
        let state = State { doing: String::new(), begun: Instant::now(), runs_left: 0 };
        Self { bar, state: Rc::new(RefCell::new(state)), voice: Voice::default(), steps: true, failed: Rc::default() }
    }
}

impl Live {
    /// Lines for people go there.
    #[must_use]
    pub fn speaking(voice: Voice) -> Self {
        Self { voice, ..Self::default() }
    }

    /// Nothing but the answer while it comes: on a terminal, lines about steps would tear it.
    #[must_use]
    pub fn answering(voice: Voice) -> Self {
        let live = Self { steps: false, ..Self::speaking(voice) };
        live.bar.set_draw_target(ProgressDrawTarget::hidden());
        live
    }

    /// A run begins; `runs_left` more of its length follow.
    pub fn begin(&self, doing: impl Into<String>, runs_left: usize) {
        *self.state.borrow_mut() = State { doing: doing.into(), begun: Instant::now(), runs_left };
        self.bar.set_position(0);
    }

    /// Cycles of the present run and its share done.
    pub fn progress(&self, cycles: u64, share: f64) {
        let state = self.state.borrow();
        let seconds = state.begun.elapsed().as_secs_f64();
        let khz = cycles as f64 / seconds / 1e3;
        let left = seconds / share.max(1e-3) * (1.0 - share + state.runs_left as f64);
        self.bar.set_position((1000.0 * share) as u64);
        self.bar.set_message(format!(
            "{}: {:.2} M cycles, {khz:.0} kHz, {left:.0} s left",
            state.doing,
            cycles as f64 / 1e6
        ));
    }

    /// Print a line above the live one.
    pub fn print(&self, line: &str) {
        if self.steps {
            self.write(|| self.voice.print(&format!("{line}\n")));
        }
    }

    /// Print a piece of the answer on standard output, whatever else is said elsewhere.
    pub fn answer(&self, piece: &str) {
        self.write(|| outcome::print(piece));
    }

    fn write(&self, write: impl FnOnce() -> Result<(), PrintError>) {
        if self.failed.borrow().is_none() {
            *self.failed.borrow_mut() = self.bar.suspend(write).err();
        }
    }

    /// Fails when something could not be printed.
    pub fn check(&self) -> Result<(), PrintError> {
        self.failed.borrow_mut().take().map_or(Ok(()), Err)
    }

    /// Remove the line.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}
