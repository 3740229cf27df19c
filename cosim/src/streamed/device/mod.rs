//! The Verilated overlay as a [`Device`]: loads a program by the back door, starts it through the CSR block, and
//! compares what every descriptor leaves behind with the golden machine while it runs.

mod check;
mod hang;
mod observe;
mod taps;

use crate::axi::{Conditions, Ddr, Memory, Profile, Region};
use crate::bridge::{Port, Sim};
use crate::rig::{Rig, RigError};
use crate::streamed::timeline::Timeline;
use check::Checker;
use observe::Observer;
use sagen_streamed_arch::{Device, DeviceError, Program, Routine, RunStats, StreamedConfig};
use sagen_streamed_isa::protocol::{self, State};
use sagen_streamed_isa::{COUNTERS, PAGE_BYTES, Register, UNITS};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use taps::Taps;

/// Cycles between two looks at progress, interrupt and watchdog.
const SLICE: u64 = 8192;
/// Cycles without a completed descriptor or a transferred beat after which a design counts as hung.
const PATIENCE: u64 = 8 * SLICE;
/// Cycles that the reset is held.
const RESET_CYCLES: u64 = 8;

/// Looks at the status register until a drain must have ended: the slowest memory answers all that may be in flight.
const DRAIN_LOOKS: u32 = 50_000;

/// How closely a run is compared with the golden machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Every byte that every descriptor leaves in DDR, scratchpad, code memory and scale file.
    Descriptor,
    /// DDR and step registers at the end of every routine.
    End,
    /// Nothing.
    None,
}

/// What was compared so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Descriptors.
    pub descriptors: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Called now and then while a routine runs, with the cycles so far and the share of descriptors done.
pub type Progress = Box<dyn FnMut(u64, f64)>;

/// The overlay under Verilator.
pub struct RtlDevice {
    rig: Option<Rig>,
    library: std::path::PathBuf,
    seed: u32,
    profile: Profile,
    overlay: StreamedConfig,
    check: Check,
    checker: Option<Checker>,
    checked: Checked,
    differs: bool,
    interrupt: Arc<AtomicBool>,
    progress: Option<Progress>,
    /// One for every run, while they are recorded.
    timelines: Option<Vec<Timeline>>,
}

impl RtlDevice {
    /// A device that runs the shared object `library`, built from `overlay`.
    pub fn new(library: &Path, overlay: &StreamedConfig, profile: Profile, check: Check) -> Self {
        Self {
            rig: None,
            library: library.to_owned(),
            seed: 1,
            profile,
            overlay: overlay.clone(),
            check,
            checker: None,
            checked: Checked::default(),
            differs: false,
            interrupt: Arc::default(),
            progress: None,
            timelines: None,
        }
    }

    /// Choose the power-up values of builds with unique initial values.
    #[must_use]
    pub fn with_seed(mut self, seed: u32) -> Self {
        self.seed = seed;
        self
    }

    /// Stop a run soon after this flag becomes true.
    pub fn stop_when(&mut self, interrupted: Arc<AtomicBool>) {
        self.interrupt = interrupted;
    }

    /// Report progress.
    pub fn on_progress(&mut self, progress: Progress) {
        self.progress = Some(progress);
    }

    /// Record where the cycles of every run go, from now on.
    pub fn record_timelines(&mut self) {
        self.timelines = Some(Vec::new());
    }

    /// The timelines of the runs since recording began.
    pub fn take_timelines(&mut self) -> Vec<Timeline> {
        self.timelines.take().unwrap_or_default()
    }

    /// What was compared since the program was loaded.
    pub fn checked(&self) -> Checked {
        self.checked
    }

    /// A difference from golden was found.
    pub fn differs(&self) -> bool {
        self.differs
    }

    /// Clock cycles simulated.
    pub fn cycles(&self) -> u64 {
        self.rig.as_ref().map_or(0, |rig| rig.sim().cycle())
    }

    /// The bench, for traces and port statistics; absent until a program is loaded.
    pub fn rig(&mut self) -> Option<&mut Rig> {
        self.rig.as_mut()
    }

    /// Reset the overlay, but not its memory, as a board does; what a program left half done is given up.
    pub fn reset(&mut self) -> Result<(), DeviceError> {
        let bench = self.bench()?;
        bench.reset(RESET_CYCLES).map_err(failed)?;
        quiet(protocol::quiet(bench, DRAIN_LOOKS))
    }

    /// Give up what runs and bring the overlay back to idle.
    pub fn drain(&mut self) -> Result<(), DeviceError> {
        quiet(protocol::drain(self.bench()?, DRAIN_LOOKS))
    }

    /// Give the memory a program's image and forget what golden knew. The overlay stays as it is.
    pub fn reload(&mut self, program: &Program) -> Result<(), DeviceError> {
        program.belongs_to(&self.overlay)?;
        let (ddr, regions) = image(program, &self.overlay)?;
        let replaced = self.bench()?.memory_mut().replace(ddr, regions);
        replaced.map_err(|e| DeviceError::Failed(e.to_string()))?;
        self.follow(program)
    }

    /// Compare what runs from now on with golden.
    fn follow(&mut self, program: &Program) -> Result<(), DeviceError> {
        self.checked = Checked::default();
        self.checker = match self.check {
            Check::None => None,
            Check::Descriptor | Check::End => Some(Checker::new(&self.overlay, program)?),
        };
        Ok(())
    }

    fn bench(&mut self) -> Result<&mut Rig, DeviceError> {
        self.rig.as_mut().ok_or_else(|| DeviceError::Failed("no program is loaded".to_string()))
    }

    /// Run until every descriptor is done, comparing on the way.
    fn execute(&mut self, routine: &Routine) -> Result<(), DeviceError> {
        let rig = self.rig.as_mut().ok_or_else(|| DeviceError::Failed("no program is loaded".to_string()))?;
        let tap = |name: &str| rig.sim().port::<u8>(name).map_err(|e| failed(e.into()));
        let (done, broken) = (tap("tap_done")?, tap("tap_failed")?);
        let mut taps = match self.check {
            Check::Descriptor => Some(Taps::attach(rig.sim(), self.overlay.data_port()).map_err(|e| failed(e.into()))?),
            Check::End | Check::None => None,
        };
        let mut observer = match &self.timelines {
            Some(_) => Some(Observer::attach(rig.sim(), routine).map_err(|e| failed(e.into()))?),
            None => None,
        };
        rig.memory_mut().log_writes(taps.is_some());
        let mut run = Run { counts: [0; UNITS.len()], total: routine.steps.len() as u64, finished: 0 };
        let begin = rig.sim().cycle();
        let mut watch = hang::Watch::new(rig, begin);
        while run.finished < run.total {
            let pulses = step(rig, &done, taps.as_mut(), observer.as_mut()).map_err(|e| run.explain(e, routine))?;
            if broken.get() == 1 {
                return Err(give_up(rig));
            }
            if pulses != 0 {
                if let (Some(taps), Some(checker)) = (taps.as_mut(), self.checker.as_mut()) {
                    checker.completed(pulses, taps, rig, &mut self.checked).inspect_err(|_| self.differs = true)?;
                }
                run.complete(pulses);
            }
            let cycle = rig.sim().cycle();
            if cycle % SLICE == 0 {
                if self.interrupt.load(Ordering::Relaxed) {
                    return Err(DeviceError::Failed("interrupted".to_string()));
                }
                if let Some(progress) = self.progress.as_mut() {
                    progress(cycle - begin, run.finished as f64 / run.total as f64);
                }
                if watch.is_hung(rig, run.finished, PATIENCE) {
                    return Err(DeviceError::Failed(hang::describe(rig, routine, &run.counts, PATIENCE)));
                }
            }
        }
        if let Some(unclaimed) = taps.and_then(|taps| taps.results.into_iter().next()) {
            self.differs = true;
            return Err(DeviceError::Failed(format!("the RTL wrote an argmax that golden did not: {unclaimed:?}")));
        }
        if let (Some(timelines), Some(observer)) = (self.timelines.as_mut(), observer) {
            timelines.push(observer.finish());
        }
        Ok(())
    }

    fn stats(&mut self) -> Result<RunStats, DeviceError> {
        let bench = self.bench()?;
        let cycles = u64::from(protocol::cycles(bench).map_err(failed)?);
        let counters = protocol::counters(bench).map_err(failed)?.map(u64::from).to_vec();
        let beats = COUNTERS.iter().position(|c| c.name == "compute_beats").expect("beats are counted");
        let stream_bytes = counters[beats] * self.overlay.beat_bytes() as u64;
        Ok(RunStats { cycles: Some(cycles), counters, stream_bytes })
    }

    fn status(&mut self) -> Result<(), DeviceError> {
        // The last descriptor's completion reaches the status register a few cycles later.
        for _ in 0..16 {
            match protocol::poll(self.bench()?).map_err(failed)? {
                State::Running => {}
                State::Done => return Ok(()),
                State::Failed(failure) => return Err(DeviceError::Failed(failure.to_string())),
            }
        }
        Err(DeviceError::Failed("all descriptors completed, but the status register does not say done".to_string()))
    }
}

struct Run {
    counts: [u64; UNITS.len()],
    total: u64,
    finished: u64,
}

impl Run {
    fn complete(&mut self, pulses: u8) {
        for (i, count) in self.counts.iter_mut().enumerate() {
            *count += u64::from(pulses >> i & 1);
        }
        self.finished += u64::from(pulses.count_ones());
    }

    /// A violation, with what the units were doing.
    fn explain(&self, error: RigError, routine: &Routine) -> DeviceError {
        DeviceError::Failed(format!("{error}\n{}", hang::units(routine, &self.counts)))
    }
}

/// One cycle; what the taps show belongs to it.
#[inline]
fn step(
    rig: &mut Rig,
    done: &Port<u8>,
    taps: Option<&mut Taps>,
    observer: Option<&mut Observer>,
) -> Result<u8, RigError> {
    rig.settle()?;
    let pulses = done.get();
    if let Some(taps) = taps {
        taps.sample();
    }
    if let Some(observer) = observer {
        observer.sample(pulses);
    }
    rig.edge()?;
    Ok(pulses)
}

/// The overlay reports an error: what it says, after it was brought back to idle.
fn give_up(rig: &mut Rig) -> DeviceError {
    // The register follows the fault by a cycle.
    let found = rig.step().and_then(|()| protocol::poll(rig));
    let drained = quiet(protocol::drain(rig, DRAIN_LOOKS));
    match (found, drained) {
        (Err(error), _) => failed(error),
        (Ok(_), Err(error)) => error,
        (Ok(State::Failed(failure)), Ok(())) => DeviceError::Failed(failure.to_string()),
        (Ok(state), Ok(())) => {
            DeviceError::Failed(format!("the overlay reports an error, but its status is {state:?}"))
        }
    }
}

/// Whether the overlay is idle again.
fn quiet(result: Result<bool, RigError>) -> Result<(), DeviceError> {
    match result.map_err(failed)? {
        true => Ok(()),
        false => Err(DeviceError::Failed(format!("the overlay still drains after {DRAIN_LOOKS} looks at its status"))),
    }
}

fn failed(error: RigError) -> DeviceError {
    DeviceError::Failed(error.to_string())
}

fn image(program: &Program, overlay: &StreamedConfig) -> Result<(Ddr, Vec<Region>), DeviceError> {
    let fail = |e: crate::axi::DdrError| DeviceError::Failed(e.to_string());
    let page = PAGE_BYTES;
    let end = program.regions.iter().map(|r| r.base + r.bytes).max().unwrap_or(page).next_multiple_of(page);
    let base = overlay.board().ddr.reserved.base;
    let mut ddr = Ddr::new(base, end - base).map_err(fail)?;
    for segment in &program.image {
        ddr.load(segment.base, &segment.bytes).map_err(fail)?;
    }
    for region in program.regions.iter().filter(|r| r.zeroed()) {
        ddr.mark_written(region.base, region.bytes).map_err(fail)?;
    }
    let region = |r: &sagen_streamed_arch::Region| Region {
        name: r.name.clone(),
        base: r.base,
        len: r.bytes,
        readable: true,
        writable: r.writable(),
    };
    Ok((ddr, program.regions.iter().map(region).collect()))
}

impl Device for RtlDevice {
    fn load(&mut self, program: &Program) -> Result<(), DeviceError> {
        let fail = |e: &dyn std::fmt::Display| DeviceError::Failed(e.to_string());
        program.belongs_to(&self.overlay)?;
        let (ddr, regions) = image(program, &self.overlay)?;
        let sim = Sim::load(&self.library, self.seed).map_err(|e| fail(&e))?;
        let clock_hz = u64::from(self.overlay.clock_mhz()) * 1_000_000;
        let conditions = Conditions { profile: self.profile, ddr: self.overlay.board().ddr.timing, clock_hz };
        let memory = Memory::attach(&sim, ddr, regions, conditions).map_err(|e| fail(&e))?;
        let mut rig = Rig::new(sim, memory).map_err(failed)?;
        rig.reset(RESET_CYCLES).map_err(failed)?;
        quiet(protocol::quiet(&mut rig, DRAIN_LOOKS))?;
        self.rig = Some(rig);
        self.follow(program)
    }

    fn set_register(&mut self, register: Register, value: u32) -> Result<(), DeviceError> {
        protocol::set_register(self.bench()?, register, value).map_err(failed)?;
        self.checker.as_mut().map_or(Ok(()), |c| c.golden.set_register(register, value))
    }

    fn register(&mut self, register: Register) -> Result<u32, DeviceError> {
        protocol::register(self.bench()?, register).map_err(failed)
    }

    fn run(&mut self, routine: &Routine) -> Result<RunStats, DeviceError> {
        if let (Check::Descriptor, Some(checker)) = (self.check, self.checker.as_mut()) {
            checker.begin(routine);
        }
        protocol::start(self.bench()?, routine.address, routine.steps.len() as u32).map_err(failed)?;
        self.execute(routine)?;
        self.status()?;
        let stats = self.stats()?;
        if let (Some(checker), Some(rig)) = (self.checker.as_mut(), self.rig.as_mut()) {
            match self.check {
                Check::Descriptor => checker.end(rig).inspect_err(|_| self.differs = true)?,
                Check::End => {
                    let compared = checker.run_and_compare(routine, rig, &mut self.checked);
                    compared.inspect_err(|_| self.differs = true)?;
                }
                Check::None => {}
            }
        }
        Ok(stats)
    }

    fn read_ddr(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let length = bytes.len();
        let outside = |_| DeviceError::Address { address, bytes: length };
        let found = self.bench()?.memory().ddr().bytes(address, length as u64).map_err(outside)?;
        bytes.copy_from_slice(found);
        Ok(())
    }

    fn write_ddr(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let outside = |_| DeviceError::Address { address, bytes: bytes.len() };
        self.bench()?.memory_mut().ddr_mut().load(address, bytes).map_err(outside)?;
        self.checker.as_mut().map_or(Ok(()), |c| c.golden.write_ddr(address, bytes))
    }
}
