//! Signs of life on standard error: a line that moves on a terminal, elsewhere a line now and then.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often a line is printed where there is no terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(30);
/// How often the line moves on a terminal.
const TICK: Duration = Duration::from_millis(100);

/// A line about work that goes on; gone when dropped.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    lines: Option<Lines>,
}

impl Progress {
    /// Work whose length is unknown.
    pub fn spinner(doing: impl Into<String>) -> Self {
        Self::new(ProgressBar::new_spinner(), "{spinner} {msg} [{elapsed}]", doing)
    }

    /// Bytes to be moved.
    pub fn bytes(size: u64, doing: impl Into<String>) -> Self {
        let template = "{msg} [{bar:30}] {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
        Self::new(ProgressBar::new(size), template, doing)
    }

    /// Things to be done; `what` is ahead of the bar and `things` behind their number.
    pub fn count(number: u64, what: &str, things: &str) -> Self {
        let template = format!("{{spinner}} {what} [{{bar:24}}] {{pos}}/{{len}} {things} [{{elapsed}}] {{msg}}");
        Self::new(ProgressBar::new(number), &template, what)
    }

    fn new(bar: ProgressBar, template: &str, doing: impl Into<String>) -> Self {
        let style = ProgressStyle::with_template(template).expect("the template is valid").progress_chars("=> ");
        let bar = bar.with_style(style).with_message(doing.into());
        let lines = bar.is_hidden().then(|| Lines::start(bar.clone(), NOW_AND_THEN));
        bar.enable_steady_tick(TICK);
        Self { bar, lines }
    }

    /// Say what is being done.
    pub fn say(&self, doing: impl Into<String>) {
        self.bar.set_message(doing.into());
    }

    /// So much is done.
    pub fn reach(&self, position: u64) {
        self.bar.set_position(position);
    }

    /// One thing more is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        drop(self.lines.take());
    }
}

/// A thread that prints where a bar is.
#[derive(Debug)]
struct Lines {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lines {
    fn start(bar: ProgressBar, period: Duration) -> Self {
        let (stop, stopped) = channel();
        let print = move || {
            while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                crate::outcome::complain(&line(&bar));
            }
        };
        // Without a thread there are no lines, which harms nobody.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(print).ok();
        Self { stop: Some(stop), thread }
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        drop(self.stop.take());
        // A panic in there was printed already.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn line(bar: &ProgressBar) -> String {
    let share = bar.length().filter(|length| *length > 0).map(|length| 100 * bar.position() / length);
    let share = share.map_or(String::new(), |percent| format!(", {percent} %"));
    format!("{} [{} s{share}]", bar.message(), bar.elapsed().as_secs())
}

#[cfg(test)]
mod tests {
    use super::{Progress, line};

    #[test]
    fn a_line_says_what_is_done_for_how_long_and_how_much_of_it() {
        let spinner = Progress::spinner("compiling");
        assert_eq!(line(&spinner.bar), "compiling [0 s]");
        let bytes = Progress::bytes(200, "downloading pkg==1.0.0");
        bytes.reach(50);
        assert_eq!(line(&bytes.bar), "downloading pkg==1.0.0 [0 s, 25 %]");
        let count = Progress::count(3, "yosys", "modules");
        count.step();
        count.say("top");
        assert_eq!(line(&count.bar), "top [0 s, 33 %]");
    }
}
