//! State of the program: where it lies, whether it runs, how far it is, its first error.

use crate::interface::{Completions, Faults, Launch};
use sagen_blocks::register_bus::RegisterWrite;
use sagen_lang::{Bundle, Layout, Module, Reg, Renamed, Signal, bit, cat, high, lit, low, unsigned};
use sagen_streamed_isa::csr::control;
use sagen_streamed_isa::csr::error::{FETCHED, SOURCE};
use sagen_streamed_isa::{Csr, ErrorSource, UNITS};

/// What the registers tell of the program.
pub(super) struct Program {
    pub(super) running: Signal,
    pub(super) status: Signal,
    pub(super) error: Signal,
    pub(super) low: Signal,
    pub(super) high: Signal,
    pub(super) length: Signal,
    pub(super) fetched: Signal,
    pub(super) cycles: Signal,
    /// By unit.
    pub(super) done_counts: Vec<Signal>,
}

impl Program {
    pub(super) fn new(m: &Module, write: &RegisterWrite) -> Self {
        let word = |csr: Csr| {
            let reg = m.reg(csr.name(), unsigned(32)).reset(0);
            m.when(write.to(csr.offset()), || m.set(reg, write.data));
            reg
        };
        let [low, high, length] = [Csr::ProgramLow, Csr::ProgramHigh, Csr::ProgramLength].map(word);
        let run = Run::new(m, write, length);
        let error = first_error(m, run.start, run.fetched);
        let launch = m.master(Renamed("", launch_port), Launch::layout());
        launch.start.drive(run.start);
        launch.address.drive(cat(&[high.slice(0, 8), low.q()]));
        launch.length.drive(length.slice(0, 24));
        let done_count = |unit: &sagen_streamed_isa::Unit| {
            m.slave(format!("{}_", unit.name()), Completions::layout()).done_count.extend(32)
        };
        let done_counts = UNITS.iter().map(done_count).collect();
        let status = cat(&[error.slice(0, 8).reduce_or(), run.done.q(), run.running.q()]).extend(32);
        Self {
            running: run.running.q(),
            status,
            error,
            low: low.q(),
            high: high.q(),
            length: length.q(),
            fetched: run.fetched.q(),
            cycles: run.cycles.q(),
            done_counts,
        }
    }
}

fn launch_port(field: &str) -> String {
    match field {
        "address" => "program_address".into(),
        "length" => "program_descriptors".into(),
        other => other.into(),
    }
}

/// From start to done.
struct Run {
    start: Signal,
    running: Reg,
    done: Reg,
    fetched: Reg,
    cycles: Reg,
}

impl Run {
    fn new(m: &Module, write: &RegisterWrite, length: Reg) -> Self {
        let running = m.reg("running", bit()).reset(0);
        let done = m.reg("finished", bit()).reset(0);
        let start = m.net("start_now", write.to(Csr::Control.offset()) & write.data.bit(control::START.lo) & !running);
        let fetched = m.reg("fetched", unsigned(32)).reset(0);
        let cycles = m.reg("cycles", unsigned(32)).reset(0);
        let (took, all_done) = (m.input("desc_taken", bit()), m.input("all_done", bit()));
        m.when(running, || m.set(cycles, cycles.add_lit(1)));
        m.when(took, || m.set(fetched, fetched.add_lit(1)));
        m.when(running & all_done & fetched.eq(length.q()), || {
            m.set(running, low());
            m.set(done, high());
        });
        m.when(start, || {
            m.set(running, high());
            m.set(done, low());
            m.set(cycles, lit(32, 0));
            m.set(fetched, lit(32, 0));
        });
        Self { start, running, done, fetched, cycles }
    }
}

/// The first error since the start: source and the number of descriptors fetched by then.
fn first_error(m: &Module, start: Signal, fetched: Reg) -> Signal {
    let error = m.reg("error", unsigned(32)).reset(0);
    for (source, fault) in ErrorSource::ALL.iter().zip(Faults::layout().inputs(m, "").signals()) {
        let found = || cat(&[fetched.slice(0, FETCHED.width), lit(SOURCE.width, *source as u64)]);
        m.when(fault & error.is_zero(), || m.set(error, found()));
    }
    m.when(start, || m.set(error, lit(32, 0)));
    error.q()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sagen_lang::{Each, Type};

    #[test]
    fn faults_are_those_of_the_error_register_in_the_same_order() {
        let port = |source: &ErrorSource| match source {
            ErrorSource::Fetch => "fetch_error",
            ErrorSource::Stream => "stream_error",
            ErrorSource::Load => "load_error",
            ErrorSource::Store => "store_error",
            ErrorSource::Opcode => "unknown_opcode",
        };
        let mut names = Vec::new();
        Faults::layout().each("", &mut |name, _: Type| names.push(name.to_string()));
        assert_eq!(names, ErrorSource::ALL.iter().map(port).collect::<Vec<_>>());
    }
}
