//! State of the program: where it lies, whether it runs, how far it is, its first error; and the way out of one that
//! cannot end.
//!
//! A drain holds every unit in reset, and the guards of the memory ports end what is in flight. It begins with a reset,
//! with `control.drain`, and with an error after which no descriptor can be trusted; it ends when the ports are quiet.
//! It takes at least as long as clearing the step registers, so that every pipeline is empty afterwards.

use crate::interface::{Completions, Faults, LENGTH_BITS, Launch};
use sagen_blocks::register_bus::RegisterWrite;
use sagen_lang::{Bundle, Layout, Module, Reg, Renamed, Signal, bit, cat, high, lit, low, unsigned};
use sagen_streamed_isa::csr::control;
use sagen_streamed_isa::csr::error::{FETCHED, SOURCE};
use sagen_streamed_isa::{Csr, ErrorSource, Field, UNITS};

/// Bits of the counter of a drain's least length.
const DRAIN_BITS: u32 = 5;

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
        let error = run.error;
        let launch = m.master(Renamed("", launch_port), Launch::layout());
        launch.start.drive(run.start);
        launch.address.drive(cat(&[high.slice(0, 8), low.q()]));
        launch.length.drive(length.slice(0, LENGTH_BITS));
        launch.dispatch.drive(run.running & !run.draining);
        let done_count = |unit: &sagen_streamed_isa::Unit| {
            m.slave(format!("{}_", unit.name()), Completions::layout()).done_count.extend(32)
        };
        let done_counts = UNITS.iter().map(done_count).collect();
        let failed = m.net("has_error", error.slice(0, SOURCE.width).reduce_or());
        m.output("failed", failed | run.fault);
        m.output("drain", run.draining);
        let status = cat(&[run.draining.q(), failed, run.done.q(), run.running.q()]).extend(32);
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
    draining: Reg,
    fetched: Reg,
    cycles: Reg,
    error: Signal,
    /// An error is reported.
    fault: Signal,
}

impl Run {
    fn new(m: &Module, write: &RegisterWrite, length: Reg) -> Self {
        let running = m.reg("running", bit()).reset(0);
        let done = m.reg("finished", bit()).reset(0);
        let control = |part: Field| write.to(Csr::Control.offset()) & write.data.bit(part.lo);
        // At power-up too: until the first reset no unit is in a known state.
        let draining = m.reg("draining", bit()).reset(1).initial(1);
        let start = m.net("start_now", control(control::START) & !running & !draining);
        let fetched = m.reg("fetched", unsigned(32)).reset(0);
        let cycles = m.reg("cycles", unsigned(32)).reset(0);
        // Of the program that runs: the register may be written meanwhile.
        let length = m.reg_en("running_length", start, length.slice(0, LENGTH_BITS));
        let (took, all_done) = (m.input("desc_taken", bit()), m.input("all_done", bit()));
        let faults = Faults::layout().inputs(m, "").signals();
        let error = first_error(m, start, fetched, &faults);
        let lost = |(source, fault): (&ErrorSource, &Signal)| source.ends_program().then_some(*fault);
        let lost = ErrorSource::ALL.iter().zip(&faults).filter_map(lost).reduce(|a, b| a | b);
        let drained = drain(m, draining, control(control::DRAIN) | lost.expect("some do") & running);
        m.when(running, || m.set(cycles, cycles.add_lit(1)));
        m.when(took, || m.set(fetched, fetched.add_lit(1)));
        let complete = all_done & fetched.eq(length.extend(32)) & !draining;
        m.when(running & (complete | drained), || {
            m.set(running, low());
            // A program that was given up without an error has not ended by itself.
            m.set(done, !draining | error.slice(0, SOURCE.width).reduce_or());
        });
        m.when(start, || {
            m.set(running, high());
            m.set(done, low());
            m.set(cycles, lit(32, 0));
            m.set(fetched, lit(32, 0));
        });
        let fault = faults.into_iter().reduce(|a, b| a | b).expect("there are sources");
        Self { start, running, done, draining, fetched, cycles, error, fault }
    }
}

/// From the request until the ports are quiet; high in the last cycle.
fn drain(m: &Module, draining: Reg, request: Signal) -> Signal {
    let spent = m.reg("drain_cycles", unsigned(DRAIN_BITS)).reset(0);
    let quiet = m.input("quiet", bit());
    let long = spent.reduce_and();
    let drained = m.net("drained", draining & long & quiet);
    m.when(draining & !long, || m.set(spent, spent.add_lit(1)));
    m.when(drained, || m.set(draining, low()));
    m.when(request, || {
        m.set(draining, high());
        m.set(spent, lit(DRAIN_BITS, 0));
    });
    drained
}

/// The first error since the start: source and the number of descriptors fetched by then.
fn first_error(m: &Module, start: Signal, fetched: Reg, faults: &[Signal]) -> Signal {
    let error = m.reg("error", unsigned(32)).reset(0);
    for (source, fault) in ErrorSource::ALL.iter().zip(faults) {
        let found = || cat(&[fetched.slice(0, FETCHED.width), lit(SOURCE.width, *source as u64)]);
        m.when(*fault & error.is_zero(), || m.set(error, found()));
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
