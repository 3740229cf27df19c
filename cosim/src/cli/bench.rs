//! `cosim bench`: simulator speed, against a bare C++ loop around the same design with the same inputs.

use super::prepare;
use anyhow::{Context, Result, ensure};
use clap::Args;
use sagen_compile::CompileOptions;
use sagen_cosim::axi::Profile;
use sagen_cosim::bridge::Sim;
use sagen_cosim::streamed::device::{Check, RtlDevice};
use sagen_cosim::verilate::Variant;
use sagen_engine::Session;
use sagen_host::outcome::print;
use sagen_host::progress::Progress;
use sagen_host::{files, interrupt};
use sagen_runtime::prepare::{Wanted, model};
use sagen_streamed_arch::{Device, ModelProgram, StreamedConfig};
use sagen_streamed_golden::Machine;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Options of `cosim bench`.
#[derive(Args)]
pub(crate) struct Options {
    /// Model of the registry; smollm2 by default.
    #[arg(default_value_if("model_path", clap::builder::ArgPredicate::IsPresent, None), default_value = "smollm2")]
    model: Option<String>,
    /// Overlay: name of a config, or path of a YAML file.
    #[arg(long, default_value = "d16_100mhz_w128_p6")]
    config: String,
    /// Use this GGUF file or Hugging Face directory instead of the registry's.
    #[arg(long, value_name = "PATH")]
    model_path: Option<PathBuf>,
    /// Folder that holds build folders.
    #[arg(long, default_value = "build")]
    out: PathBuf,
}

/// The token that every run decodes, at position 0.
const TOKEN: u32 = 1;
/// Measurements of simulator and bare loop, in turns: what else the computer does then meets both.
const PAIRS: usize = 3;
/// Processors that others keep busy on a quiet computer, at most.
const QUIET: f64 = 0.3;
/// The kernel's unit of processor time.
const TICKS_PER_SECOND: f64 = 100.0;
/// The greatest ratio over the least, where nothing disturbed.
const SPREAD: f64 = 1.1;
/// Tokens that golden decodes and prefills.
const GOLDEN_TOKENS: u32 = 32;

/// Measure and print.
pub(crate) fn run(options: &Options) -> Result<()> {
    files::folder("--out", &options.out)?;
    let overlay = sagen_streamed_arch::config::named(&options.config)?;
    let wanted = Wanted::new(options.model.as_deref(), options.model_path.as_deref());
    let (checkpoint, tokenizer) = model(wanted, &*interrupt::listen()?)?;
    let compiled = prepare::program(&checkpoint, &tokenizer, &overlay, &CompileOptions::default())?;
    drop(checkpoint);
    golden(&overlay, &compiled)?;
    let built = prepare::simulator(&overlay, &options.out, Variant::default(), None)?;
    print(&format!("simulator build     {:>9.1} s ({})\n", built.compile_seconds, built.compiler))?;
    let recording = record(&overlay, &compiled, &built.library)?;
    let (mut pairs, load) = (Vec::new(), Load::now());
    for pair in 1..=PAIRS {
        let _busy = Progress::spinner(format!("simulator and bare loop, pair {pair} of {PAIRS}"));
        let simulator = simulator(&overlay, &compiled, &built.library)?;
        pairs.push(Pair { simulator, bare: recording.replay(&built.library)? });
    }
    Ok(print(&table(pairs, load.and_then(Load::others)))?)
}

fn golden(overlay: &StreamedConfig, compiled: &Arc<ModelProgram>) -> Result<()> {
    let mut machine = Machine::new(overlay);
    machine.load(&compiled.program)?;
    let prompt: Vec<u32> = (1..=GOLDEN_TOKENS).collect();
    let mut session = Session::new(&mut machine, compiled, |_| {});
    let rate = |begun: Instant| f64::from(GOLDEN_TOKENS) / begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let mut next = session.prefill(&prompt)?;
    print(&format!("golden prefill      {:>9.1} tok/s\n", rate(begun)))?;
    let begun = Instant::now();
    for _ in 0..GOLDEN_TOKENS {
        next = session.decode_step(next)?;
    }
    Ok(print(&format!("golden decode       {:>9.1} tok/s\n", rate(begun)))?)
}

fn device(overlay: &StreamedConfig, compiled: &ModelProgram, library: &Path) -> Result<RtlDevice> {
    let mut device = RtlDevice::new(library, overlay, Profile::Board, Check::None);
    device.load(&compiled.program)?;
    Ok(device)
}

/// Cycles per second of the product.
fn simulator(overlay: &StreamedConfig, compiled: &Arc<ModelProgram>, library: &Path) -> Result<f64> {
    let mut device = device(overlay, compiled, library)?;
    let first = device.cycles();
    let begun = Instant::now();
    Session::new(&mut device, compiled, |_| {}).decode_step(TOKEN)?;
    Ok((device.cycles() - first) as f64 / begun.elapsed().as_secs_f64())
}

/// Inputs of every cycle, and the outputs at the end.
struct Recording {
    stimulus: Vec<u8>,
    cycles: u64,
    expected: Vec<u8>,
}

/// The recording begins with a reset of its own, so that the bare loop starts from the same state.
fn record(overlay: &StreamedConfig, compiled: &Arc<ModelProgram>, library: &Path) -> Result<Recording> {
    let _busy = Progress::spinner("recording what the bare loop replays");
    let mut recorded = device(overlay, compiled, library)?;
    let rig = recorded.rig().context("a program is loaded")?;
    rig.sim_mut().record();
    let first = rig.sim().cycle();
    recorded.reset()?;
    Session::new(&mut recorded, compiled, |_| {}).decode_step(TOKEN)?;
    let rig = recorded.rig().context("a program is loaded")?;
    let cycles = rig.sim().cycle() - first;
    let stimulus = rig.sim_mut().take_recording();
    Ok(Recording { stimulus, cycles, expected: outputs(rig.sim())? })
}

impl Recording {
    /// Cycles per second of the bare loop.
    fn replay(&self, library: &Path) -> Result<f64> {
        let mut bare = Sim::load(library, 1)?;
        let begun = Instant::now();
        bare.replay(&self.stimulus, self.cycles)?;
        let rate = self.cycles as f64 / begun.elapsed().as_secs_f64();
        let same = outputs(&bare)? == self.expected;
        ensure!(same, "the bare loop did not end in the same state: its speed means nothing");
        Ok(rate)
    }
}

/// Cycles per second of both, one right after the other.
struct Pair {
    simulator: f64,
    bare: f64,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.simulator / self.bare
    }
}

/// The pair in the middle, and whether the computer was quiet enough for it to mean something.
fn table(mut pairs: Vec<Pair>, others: Option<f64>) -> String {
    pairs.sort_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    let (middle, first, last) = (&pairs[pairs.len() / 2], &pairs[0], &pairs[pairs.len() - 1]);
    let mut text = format!("simulator decode    {:>9.0} kHz\n", middle.simulator / 1e3);
    text += &format!("bare C++ loop       {:>9.0} kHz\n", middle.bare / 1e3);
    let (from, to) = (first.ratio(), last.ratio());
    text += &format!("ratio               {:>9.2} ({from:.2} to {to:.2} in {} pairs)\n", middle.ratio(), pairs.len());
    if let Some(others) = others.filter(|busy| *busy > QUIET) {
        text += &format!("this computer was loaded: others kept {others:.1} processors busy; measure again\n");
    } else if to > from * SPREAD {
        text += "the pairs differ: something else took time meanwhile; measure again\n";
    }
    text
}

/// What all processors and this process have worked, in ticks, since some time.
struct Load {
    since: Instant,
    all: u64,
    own: u64,
}

impl Load {
    fn now() -> Option<Self> {
        let sum = |fields: &[&str]| fields.iter().map(|n| n.parse::<u64>().ok()).sum::<Option<u64>>();
        let stat = std::fs::read_to_string("/proc/stat").ok()?;
        // User, nice, system; then idle and waiting; then interrupts and those of virtual machines.
        let all: Vec<&str> = stat.lines().next()?.split_whitespace().skip(1).collect();
        let own = std::fs::read_to_string("/proc/self/stat").ok()?;
        let own: Vec<&str> = own.rsplit(") ").next()?.split(' ').collect();
        let all = sum(all.get(..3)?)? + sum(all.get(5..8)?)?;
        Some(Self { since: Instant::now(), all, own: sum(own.get(11..13)?)? })
    }

    /// Processors that others kept busy since then.
    fn others(self) -> Option<f64> {
        let now = Self::now()?;
        let ticks = (now.all - self.all).saturating_sub(now.own - self.own);
        Some(ticks as f64 / TICKS_PER_SECOND / self.since.elapsed().as_secs_f64())
    }
}

/// Every output of a design.
fn outputs(sim: &Sim) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for (name, _, input) in sim.ports() {
        if !input {
            let bus = sim.bus(name)?;
            let at = all.len();
            all.resize(at + bus.len(), 0);
            bus.copy_to(&mut all[at..]);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::{Pair, table};

    fn pairs(ratios: [f64; 3]) -> Vec<Pair> {
        ratios.map(|ratio| Pair { simulator: ratio * 1e5, bare: 1e5 }).into()
    }

    #[test]
    fn the_ratio_is_that_of_the_pair_in_the_middle_and_a_loaded_computer_is_named() {
        let quiet = table(pairs([1.02, 0.98, 1.0]), Some(0.1));
        assert!(quiet.ends_with("ratio                    1.00 (0.98 to 1.02 in 3 pairs)\n"), "{quiet}");
        let loaded = table(pairs([1.02, 0.98, 1.0]), Some(2.0));
        assert!(loaded.ends_with("this computer was loaded: others kept 2.0 processors busy; measure again\n"));
        let uneven = table(pairs([2.3, 1.0, 1.1]), None);
        assert!(uneven.contains("1.10 (1.00 to 2.30") && uneven.contains("the pairs differ"), "{uneven}");
    }
}
