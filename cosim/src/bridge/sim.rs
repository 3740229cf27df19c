//! `Sim`: one loaded design and its clock.

use super::ffi::{Bus, Entry, Loaded, Port, Word};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Why a design could not be loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum BridgeError {
    /// The shared object could not be opened.
    #[error("{path}: cannot load the design: {reason}")]
    Load {
        /// The shared object.
        path: PathBuf,
        /// The loader's words.
        reason: String,
    },
    /// The design raised an error while it ran.
    #[error("cycle {cycle}: the simulated design stopped: {reason}")]
    Stopped {
        /// Clock cycles since the design was loaded.
        cycle: u64,
        /// Verilator's words.
        reason: String,
    },
    /// The trace cannot be written.
    #[error("{path}: cannot write the trace: {source}")]
    Trace {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The design was built without traces.
    #[error("this build of the design cannot trace; build it with `trace`")]
    NoTrace,
    /// The design has no such port.
    #[error("the design has no port `{name}`")]
    NoPort {
        /// The name looked for.
        name: String,
    },
    /// The port is stored differently.
    #[error("port `{name}` is {found} bits wide, which is not stored in {expected} bits")]
    PortWidth {
        /// The port.
        name: String,
        /// Its width.
        found: u32,
        /// Bits of the type asked for.
        expected: u32,
    },
}

/// Which cycles to write to an FST file.
#[derive(Debug, Clone)]
pub struct TraceWindow {
    /// Cycles counted from loading; the end is excluded.
    pub cycles: Range<u64>,
    /// The file to write.
    pub path: PathBuf,
}

/// A loaded design with its clock.
pub struct Sim {
    model: Rc<Loaded>,
    clk: Port<u8>,
    cycle: u64,
    /// True while `observe` has something to do, so that the usual loop pays one test per evaluation.
    observed: bool,
    trace: Option<Trace>,
    stimulus: Option<Vec<u8>>,
}

struct Trace {
    window: TraceWindow,
    open: bool,
}

impl Sim {
    /// Loads a design built by [`crate::verilate`]. `seed` chooses the power-up values in builds with
    /// `XInitial::Unique` and has no effect in others.
    pub fn load(library: &Path, seed: u32) -> Result<Self, BridgeError> {
        let failed = |reason: String| BridgeError::Load { path: library.to_owned(), reason };
        let name = library.to_str().ok_or_else(|| failed("the path is not UTF-8".into()))?;
        let model = Rc::new(Loaded::open(name, seed).map_err(|e| failed(e.to_string()))?);
        let clk = find(&model, "clk").and_then(|entry| typed(&model, entry))?;
        Ok(Self { model, clk, cycle: 0, observed: false, trace: None, stimulus: None })
    }

    /// Clock cycles since loading.
    #[inline]
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Lowers the clock and lets the driven inputs take effect. Outputs may be sampled afterwards.
    #[inline]
    pub fn settle(&mut self) -> Result<(), BridgeError> {
        self.clk.set(0);
        self.eval()?;
        if self.observed { self.observe(false) } else { Ok(()) }
    }

    /// The rising edge that ends the cycle. Inputs of the next cycle may be driven afterwards.
    #[inline]
    pub fn edge(&mut self) -> Result<(), BridgeError> {
        self.clk.set(1);
        self.eval()?;
        if self.observed {
            self.observe(true)?;
        }
        self.cycle += 1;
        Ok(())
    }

    /// One cycle: settle, `sample` the outputs, edge.
    #[inline]
    pub fn clock(&mut self, sample: impl FnOnce()) -> Result<(), BridgeError> {
        self.settle()?;
        sample();
        self.edge()
    }

    /// Runs the final blocks and closes the trace.
    pub fn finish(&mut self) -> Result<(), BridgeError> {
        self.close_trace()?;
        self.model.finish().map_err(|e| self.stopped(&e))
    }

    /// A port of up to 64 bits, stored as `T`: u8 up to 8 bits, u16 up to 16, u32 up to 32, u64 up to 64.
    pub fn port<T: Word>(&self, name: &str) -> Result<Port<T>, BridgeError> {
        typed(&self.model, find(&self.model, name)?)
    }

    /// A port of any width, as little-endian bytes.
    pub fn bus(&self, name: &str) -> Result<Bus, BridgeError> {
        let entry = find(&self.model, name)?;
        Bus::new(&self.model, entry).ok_or_else(|| BridgeError::NoPort { name: name.to_owned() })
    }

    /// True when the design has a port of this name.
    pub fn has_port(&self, name: &str) -> bool {
        find(&self.model, name).is_ok()
    }

    /// The width of a port in bits.
    pub fn width(&self, name: &str) -> Result<u32, BridgeError> {
        find(&self.model, name).map(|entry| entry.width)
    }

    /// Names, widths and whether it is an input, of all ports in declaration order.
    pub fn ports(&self) -> impl Iterator<Item = (&str, u32, bool)> {
        self.model.ports.iter().map(|p| (p.name.as_str(), p.width, p.input))
    }

    /// Writes the cycles of `window` to an FST file. Needs a build with `trace`.
    pub fn trace(&mut self, window: TraceWindow) -> Result<(), BridgeError> {
        if !self.model.can_trace() {
            return Err(BridgeError::NoTrace);
        }
        self.close_trace()?;
        self.trace = Some(Trace { window, open: false });
        self.observed = true;
        Ok(())
    }

    /// Keeps the inputs of every cycle from now on, for [`Sim::replay`].
    pub fn record(&mut self) {
        self.stimulus = Some(Vec::new());
        self.observed = true;
    }

    /// Ends a recording and returns it.
    pub fn take_recording(&mut self) -> Vec<u8> {
        self.observed = self.trace.is_some();
        self.stimulus.take().unwrap_or_default()
    }

    /// Runs `cycles` cycles in a bare C++ loop that drives the recorded inputs: the speed to compare with.
    pub fn replay(&mut self, stimulus: &[u8], cycles: u64) -> Result<(), BridgeError> {
        self.model.replay(stimulus, cycles).map_err(|e| self.stopped(&e))?;
        self.cycle += cycles;
        Ok(())
    }

    #[inline]
    fn eval(&self) -> Result<(), BridgeError> {
        self.model.eval().map_err(|e| self.stopped(&e))
    }

    #[cold]
    fn stopped(&self, e: &cxx::Exception) -> BridgeError {
        BridgeError::Stopped { cycle: self.cycle, reason: e.to_string() }
    }

    /// Time in the trace: two steps per cycle, clock low then high.
    #[cold]
    fn observe(&mut self, high: bool) -> Result<(), BridgeError> {
        if !high && let Some(stimulus) = &mut self.stimulus {
            self.model.record(stimulus);
        }
        let Some(trace) = &mut self.trace else {
            return Ok(());
        };
        if trace.window.cycles.contains(&self.cycle) {
            if !trace.open {
                self.open_trace()?;
            }
            let time = 2 * self.cycle + u64::from(high);
            self.model.trace_dump(time).map_err(|e| self.stopped(&e))
        } else if self.cycle >= trace.window.cycles.end {
            self.close_trace()
        } else {
            Ok(())
        }
    }

    fn open_trace(&mut self) -> Result<(), BridgeError> {
        let Some(trace) = &mut self.trace else {
            return Ok(());
        };
        let path = &trace.window.path;
        // Not every Verilator reports a file that it cannot write.
        if let Err(source) = std::fs::File::create(path) {
            let path = path.clone();
            return Err(BridgeError::Trace { path, source });
        }
        trace.open = true;
        let opened = self.model.trace_open(&path.to_string_lossy());
        opened.map_err(|e| self.stopped(&e))
    }

    fn close_trace(&mut self) -> Result<(), BridgeError> {
        self.observed = self.stimulus.is_some();
        match self.trace.take() {
            Some(Trace { open: true, .. }) => self.model.trace_close().map_err(|e| self.stopped(&e)),
            Some(Trace { open: false, .. }) | None => Ok(()),
        }
    }
}

impl Drop for Sim {
    /// A run that ends early still leaves a readable trace.
    fn drop(&mut self) {
        if let Err(e) = self.close_trace() {
            eprintln!("closing the trace: {e}");
        }
    }
}

fn find<'a>(model: &'a Loaded, name: &str) -> Result<&'a Entry, BridgeError> {
    model.ports.iter().find(|p| p.name == name).ok_or_else(|| BridgeError::NoPort { name: name.to_owned() })
}

fn typed<T: Word>(model: &Rc<Loaded>, entry: &Entry) -> Result<Port<T>, BridgeError> {
    Port::new(model, entry).ok_or_else(|| BridgeError::PortWidth {
        name: entry.name.clone(),
        found: entry.width,
        expected: T::BITS,
    })
}
