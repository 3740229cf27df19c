//! Simulators of the repository's overlays, as they are or with one line of their Verilog changed.
#![allow(dead_code, unreachable_pub, reason = "every test binary uses its own part")]

use sagen_cosim::axi::Profile;
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::streamed::timeline::Timeline;
use sagen_cosim::verilate::{Built, Cache, Design, Tools, TopPort, Variant, verilate};
use sagen_streamed_arch::{Device, DeviceError, StreamedConfig};
use sagen_streamed_fuzz::program::{RandomProgram, random_program};
use sagen_streamed_isa::{COUNTERS, UNITS};
use std::path::{Path, PathBuf};

/// Cycles of a descriptor that a unit may count otherwise.
const EDGE: u64 = 2;

/// A number from the environment.
pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |v| v.parse().unwrap_or_else(|_| panic!("{name} = {v} is not a number")))
}

/// Every config of the repository.
pub fn configs() -> Vec<String> {
    sagen_config::find::names(&sagen_config::find::configs().unwrap()).unwrap()
}

/// An overlay of the repository.
pub fn overlay(name: &str) -> StreamedConfig {
    sagen_streamed_arch::config::named(name).unwrap()
}

/// Emit an overlay into a folder of its own.
pub fn emit(overlay: &StreamedConfig, tag: &str) -> (PathBuf, Vec<TopPort>) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("overlays-{tag}"));
    let built = sagen::build::build(&sagen_streamed_rtl::overlay::overlay(overlay), &out).unwrap();
    let ports = TopPort::of(&built.manifest);
    (built.folder, ports)
}

/// The simulator of a folder that `emit` made.
pub fn simulator(folder: &Path, ports: &[TopPort], variant: Variant) -> Built {
    let design = Design::read(folder, sagen_streamed_rtl::top::SIM_TOP, ports).unwrap();
    let cache = Cache::at(Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    verilate(&design, variant, &Tools::find(None).unwrap(), &cache).unwrap()
}

/// The random program of a seed; its size follows from the seed.
pub fn program(overlay: &StreamedConfig, seed: u64) -> RandomProgram {
    random_program(overlay, seed, 4 + (seed % 20) as usize)
}

/// Run a random program with every descriptor checked; the memory's behaviour follows from the seed.
pub fn run(library: &Path, overlay: &StreamedConfig, random: &RandomProgram, seed: u64) -> Result<(), DeviceError> {
    let profile = match seed % 4 {
        0 => Profile::Ideal,
        1 => Profile::Board,
        _ => Profile::Random(seed),
    };
    let mut device = RtlDevice::new(library, overlay, profile, Check::Descriptor).with_seed(seed as u32);
    device.load(&random.program)?;
    for (index, value) in &random.registers {
        device.set_register(*index, *value)?;
    }
    device.record_timelines();
    let stats = device.run(&random.routine)?;
    counters_agree(&stats.counters, &device.take_timelines()[0])
}

/// The event counters against what was seen from outside. When a unit takes up or ends a descriptor is its own matter:
/// such counters may differ by a few cycles a descriptor.
pub fn counters_agree(counted: &[u64], timeline: &Timeline) -> Result<(), DeviceError> {
    for ((counter, counted), seen) in COUNTERS.iter().zip(counted).zip(timeline.events) {
        let unit = UNITS.iter().find(|u| counter.name.starts_with(u.name()));
        let edges = counter.name.ends_with("_busy") || counter.name.ends_with("_wait");
        let descriptors = timeline.spans.iter().filter(|s| edges && Some(&s.unit) == unit).count() as u64;
        if counted.abs_diff(seen) > EDGE * descriptors {
            let text = format!("counter {}: {counted}, seen {seen}, {descriptors} descriptors", counter.name);
            return Err(DeviceError::Failed(text));
        }
    }
    Ok(())
}
