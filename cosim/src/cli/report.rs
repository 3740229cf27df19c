//! The JSON report of a run, and the closing table.

use anyhow::Result;
use sagen_host::files;
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::COUNTERS;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Prefill of the prompt.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Prefill {
    pub(crate) tokens: usize,
    pub(crate) cycles: Option<u64>,
    pub(crate) tok_per_s: Option<f64>,
}

/// One decoded token.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Decode {
    pub(crate) position: usize,
    pub(crate) token: u32,
    pub(crate) cycles: Option<u64>,
    pub(crate) tok_per_s: Option<f64>,
    pub(crate) stream_bytes: u64,
    pub(crate) stream_share: Option<f64>,
    /// Event counters of the run, by name; empty where the device has none.
    pub(crate) counters: BTreeMap<&'static str, u64>,
}

/// What was compared with golden.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Checked {
    pub(crate) descriptors: u64,
    pub(crate) bytes: u64,
}

/// The simulator.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Simulator {
    pub(crate) cycles: u64,
    pub(crate) khz: f64,
    pub(crate) wall_s: f64,
    pub(crate) verilator: String,
    pub(crate) compile_s: f64,
}

/// Everything about a run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) schema: u32,
    pub(crate) config: String,
    pub(crate) model: String,
    pub(crate) clock_mhz: u32,
    pub(crate) prompt_tokens: usize,
    pub(crate) tokens: Vec<u32>,
    pub(crate) text: String,
    pub(crate) prefill: Prefill,
    pub(crate) decode: Vec<Decode>,
    /// Absent where nothing was compared, or the comparison did not come to its end.
    pub(crate) bit_exact: Option<bool>,
    pub(crate) checked: Checked,
    pub(crate) sim: Option<Simulator>,
}

/// Cycles per second over cycles per token.
pub(crate) fn tok_per_s(overlay: &StreamedConfig, tokens: usize, cycles: u64) -> f64 {
    f64::from(overlay.clock_mhz()) * 1e6 * tokens as f64 / cycles as f64
}

/// Share of what the stream ports could have delivered.
pub(crate) fn stream_share(overlay: &StreamedConfig, bytes: u64, cycles: u64) -> f64 {
    bytes as f64 / (cycles as f64 * overlay.beat_bytes() as f64)
}

impl Report {
    /// Nothing has run.
    pub(crate) fn is_empty(&self) -> bool {
        self.prefill.tokens == 0 && self.decode.is_empty() && self.sim.is_none()
    }

    /// Write as JSON.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        Ok(files::write(path, &(serde_json::to_string_pretty(self)? + "\n"))?)
    }

    /// The closing table.
    pub(crate) fn print(&self) {
        println!();
        let clock = format!("at {} MHz", self.clock_mhz);
        println!(
            "{:<10} {:>8} {:>12} {:>14} {:>10} {:>13}",
            "", "tokens", "cycles", "cycles/token", "tok/s", "stream share"
        );
        let prefill_each = self.prefill.cycles.map(|c| c / self.prefill.tokens.max(1) as u64);
        row("prefill", self.prefill.tokens, self.prefill.cycles, prefill_each, self.prefill.tok_per_s, None);
        let cycles: Option<u64> = self.decode.iter().map(|d| d.cycles).sum();
        let cycles = cycles.filter(|c| *c > 0);
        let count = self.decode.len().max(1);
        let rate = cycles.map(|c| f64::from(self.clock_mhz) * 1e6 * count as f64 / c as f64);
        let shares: Option<f64> = self.decode.iter().map(|d| d.stream_share).sum();
        let share = shares.filter(|_| cycles.is_some()).map(|s| s / count as f64);
        row("decode", self.decode.len(), cycles, cycles.map(|c| c / count as u64), rate, share);
        self.print_counters();
        println!();
        match self.bit_exact {
            Some(true) => println!(
                "bit-exact with golden: {} descriptors, {} bytes compared",
                self.checked.descriptors, self.checked.bytes
            ),
            Some(false) => println!("NOT bit-exact with golden"),
            None if self.checked.descriptors > 0 => println!(
                "incomplete: equal to golden so far, {} descriptors, {} bytes compared",
                self.checked.descriptors, self.checked.bytes
            ),
            None => println!("not compared with golden"),
        }
        if let Some(sim) = &self.sim {
            println!(
                "simulated {:.1} M cycles in {:.1} s: {:.0} kHz ({}); tok/s are {clock}",
                sim.cycles as f64 / 1e6,
                sim.wall_s,
                sim.khz,
                sim.verilator
            );
        }
    }
}

impl Report {
    /// Where the cycles of the last token went.
    fn print_counters(&self) {
        let Some((last, cycles)) = self.decode.last().and_then(|d| Some((d, d.cycles?))) else { return };
        println!();
        println!("cycles of the token at position {}, by unit (units run concurrently)", last.position);
        for counter in COUNTERS {
            let Some(count) = last.counters.get(counter.name) else { continue };
            let share = 100.0 * *count as f64 / cycles as f64;
            println!("{:<18} {count:>10} {share:>6.1} %  {}", counter.name, counter.doc);
        }
    }
}

fn row(name: &str, tokens: usize, cycles: Option<u64>, each: Option<u64>, rate: Option<f64>, share: Option<f64>) {
    let count = |c: Option<u64>| c.map_or("-".to_string(), |c| c.to_string());
    let rate = rate.map_or("-".to_string(), |r| format!("{r:.2}"));
    let share = share.map_or("-".to_string(), |s| format!("{:.1} %", 100.0 * s));
    println!("{name:<10} {tokens:>8} {:>12} {:>14} {rate:>10} {share:>13}", count(cycles), count(each));
}
