//! The report of a run: as JSON, and as the table that closes it.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use sagen_streamed_arch::{RunStats, StreamedConfig};
use sagen_streamed_isa::{CHUNK_ROWS, COUNTERS};
use serde::Serialize;

/// Prefill of the prompt.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Prefill {
    /// Tokens that were computed.
    pub tokens: usize,
    /// Chunks that they were computed in; 0 where they were computed one by one.
    pub chunks: usize,
    /// Clock cycles, where the device counts them.
    pub cycles: Option<u64>,
    /// At the clock of the overlay.
    pub tok_per_s: Option<f64>,
}

/// Seconds that the device took on this computer, by the clock on the wall.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Wall {
    /// For the prompt.
    pub prefill_s: f64,
    /// For the tokens decoded.
    pub decode_s: f64,
}

/// One decoded token.
#[derive(Clone, Debug, Serialize)]
pub struct Decode {
    /// Position of the token that was put in.
    pub position: usize,
    /// The token.
    pub token: u32,
    /// Clock cycles, where the device counts them.
    pub cycles: Option<u64>,
    /// At the clock of the overlay.
    pub tok_per_s: Option<f64>,
    /// Bytes taken from the stream ports.
    pub stream_bytes: u64,
    /// Share of what these could have delivered.
    pub stream_share: Option<f64>,
    /// Event counters of the run, by name; empty where the device has none.
    pub counters: BTreeMap<&'static str, u64>,
}

/// What was compared with golden.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Checked {
    /// Descriptors after which all was compared.
    pub descriptors: u64,
    /// Bytes compared.
    pub bytes: u64,
}

/// The simulator.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Simulator {
    /// Clock cycles simulated.
    pub cycles: u64,
    /// How fast.
    pub khz: f64,
    /// How long it took.
    pub wall_s: f64,
    /// Version of Verilator.
    pub verilator: String,
    /// How long the simulator took to build.
    pub compile_s: f64,
}

/// Everything about a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Version of this structure.
    pub schema: u32,
    /// Name of the overlay.
    pub config: String,
    /// Name of the model.
    pub model: String,
    /// Its file or folder; absent where it was not reached.
    pub model_path: Option<PathBuf>,
    /// SHA-256 of its file; absent for a folder.
    pub model_sha256: Option<String>,
    /// Clock of the overlay.
    pub clock_mhz: u32,
    /// What the stream ports deliver at most.
    #[serde(skip)]
    pub bytes_per_cycle: usize,
    /// Length of the prompt.
    pub prompt_tokens: usize,
    /// Tokens chosen.
    pub tokens: Vec<u32>,
    /// What they spell.
    pub text: String,
    /// The prompt.
    pub prefill: Prefill,
    /// The tokens decoded.
    pub decode: Vec<Decode>,
    /// Time on this computer.
    pub wall: Wall,
    /// A signal ended the run early.
    pub interrupted: bool,
    /// Absent where nothing was compared, or the comparison did not come to its end.
    pub bit_exact: Option<bool>,
    /// What was compared.
    pub checked: Checked,
    /// The simulator, where one ran.
    pub sim: Option<Simulator>,
}

impl Report {
    /// Of a run on an overlay that has not begun.
    #[must_use]
    pub fn new(overlay: &StreamedConfig, model: String) -> Self {
        Self {
            schema: 1,
            config: overlay.name().to_owned(),
            model,
            model_path: None,
            model_sha256: None,
            clock_mhz: overlay.clock_mhz(),
            bytes_per_cycle: overlay.beat_bytes(),
            prompt_tokens: 0,
            tokens: Vec::new(),
            text: String::new(),
            prefill: Prefill::default(),
            decode: Vec::new(),
            wall: Wall::default(),
            interrupted: false,
            bit_exact: None,
            checked: Checked::default(),
            sim: None,
        }
    }

    /// Nothing has run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.prefill.tokens == 0 && self.decode.is_empty() && self.sim.is_none()
    }

    /// Add a chunk of the prompt and what it cost.
    pub fn add_chunk(&mut self, tokens: usize, stats: &RunStats) {
        self.prefill.chunks += 1;
        self.add_prefill(tokens, stats);
    }

    /// Add a prompt's tokens and what they cost.
    pub fn add_prefill(&mut self, tokens: usize, stats: &RunStats) {
        self.prefill.tokens += tokens;
        self.prefill.cycles = stats.cycles.map(|c| c + self.prefill.cycles.unwrap_or(0));
        self.prefill.tok_per_s = self.prefill.cycles.map(|c| self.tok_per_s(self.prefill.tokens, c));
    }

    /// Add a decoded token.
    pub fn add_decode(&mut self, position: usize, token: u32, stats: &RunStats) -> &Decode {
        let share = |cycles| stats.stream_bytes as f64 / (cycles as f64 * self.bytes_per_cycle as f64);
        self.decode.push(Decode {
            position,
            token,
            cycles: stats.cycles,
            tok_per_s: stats.cycles.map(|c| self.tok_per_s(1, c)),
            stream_bytes: stats.stream_bytes,
            stream_share: stats.cycles.map(share),
            counters: COUNTERS.iter().map(|c| c.name).zip(stats.counters.iter().copied()).collect(),
        });
        &self.decode[self.decode.len() - 1]
    }

    /// As JSON, with a line end.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a report is plain numbers and texts") + "\n"
    }

    /// Cycles per second over cycles per token.
    fn tok_per_s(&self, tokens: usize, cycles: u64) -> f64 {
        f64::from(self.clock_mhz) * 1e6 * tokens as f64 / cycles as f64
    }
}

/// The closing table.
impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let counted = self.prefill.cycles.is_some() || self.decode.iter().any(|d| d.cycles.is_some());
        if counted {
            self.by_cycles(f)?
        } else {
            self.by_seconds(f)?
        }
        self.steps(f)?;
        writeln!(f)?;
        self.comparison(f)?;
        let Some(sim) = &self.sim else { return Ok(()) };
        writeln!(
            f,
            "simulated {:.1} M cycles in {:.1} s: {:.0} kHz ({}); tok/s are at {} MHz",
            sim.cycles as f64 / 1e6,
            sim.wall_s,
            sim.khz,
            sim.verilator,
            self.clock_mhz
        )
    }
}

impl Report {
    /// What the overlay would take.
    fn by_cycles(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = ["", "tokens", "cycles", "cycles/token", "tok/s", "stream share"];
        let [name, tokens, cycles, each, rate, share] = names;
        writeln!(f, "{name:<10} {tokens:>8} {cycles:>12} {each:>14} {rate:>10} {share:>13}")?;
        let prefill_each = self.prefill.cycles.map(|c| c / self.prefill.tokens.max(1) as u64);
        row(f, "prefill", self.prefill.tokens, self.prefill.cycles, prefill_each, self.prefill.tok_per_s, None)?;
        let cycles: Option<u64> = self.decode.iter().map(|d| d.cycles).sum();
        let cycles = cycles.filter(|c| *c > 0);
        let count = self.decode.len().max(1);
        let rate = cycles.map(|c| self.tok_per_s(count, c));
        let shares: Option<f64> = self.decode.iter().map(|d| d.stream_share).sum();
        let share = shares.filter(|_| cycles.is_some()).map(|s| s / count as f64);
        row(f, "decode", self.decode.len(), cycles, cycles.map(|c| c / count as u64), rate, share)?;
        self.counters(f)
    }

    /// What a device without a clock took.
    fn by_seconds(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<10} {:>8} {:>10} {:>10}", "", "tokens", "seconds", "tok/s")?;
        let Wall { prefill_s, decode_s } = self.wall;
        for (name, tokens, seconds) in
            [("prefill", self.prefill.tokens, prefill_s), ("decode", self.decode.len(), decode_s)]
        {
            let rate = if tokens > 0 { format!("{:.2}", tokens as f64 / seconds.max(1e-9)) } else { "-".to_owned() };
            writeln!(f, "{name:<10} {tokens:>8} {seconds:>10.2} {rate:>10}")?;
        }
        writeln!(f, "seconds and tok/s are those of the golden machine on this computer, not of the overlay")
    }

    /// Why the numbers of tokens are what they are.
    fn steps(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.prefill.chunks > 0 {
            let (tokens, chunks) = (self.prefill.tokens, self.prefill.chunks);
            let places = chunks * CHUNK_ROWS;
            writeln!(f, "a prompt is computed in chunks of {CHUNK_ROWS}: {tokens} tokens cost as much as {places}")?;
        }
        if self.tokens.len() == self.decode.len() + 1 {
            writeln!(f, "the first of {} tokens comes out of the prefill, the others are decoded", self.tokens.len())?;
        }
        Ok(())
    }
}

impl Report {
    /// Where the cycles of the last token went.
    fn counters(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some((last, cycles)) = self.decode.last().and_then(|d| Some((d, d.cycles?))) else { return Ok(()) };
        writeln!(f)?;
        writeln!(f, "cycles of the token at position {}, by unit (units run concurrently)", last.position)?;
        for counter in COUNTERS {
            let Some(count) = last.counters.get(counter.name) else { continue };
            let share = 100.0 * *count as f64 / cycles as f64;
            writeln!(f, "{:<18} {count:>10} {share:>6.1} %  {}", counter.name, counter.doc)?;
        }
        Ok(())
    }

    fn comparison(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Checked { descriptors, bytes } = self.checked;
        match self.bit_exact {
            Some(true) => writeln!(f, "bit-exact with golden: {descriptors} descriptors, {bytes} bytes compared"),
            Some(false) => writeln!(f, "NOT bit-exact with golden"),
            None if descriptors > 0 => {
                writeln!(f, "incomplete: equal to golden so far, {descriptors} descriptors, {bytes} bytes compared")
            }
            None => writeln!(f, "not compared with golden"),
        }
    }
}

fn row(
    f: &mut Formatter<'_>,
    name: &str,
    tokens: usize,
    cycles: Option<u64>,
    each: Option<u64>,
    rate: Option<f64>,
    share: Option<f64>,
) -> fmt::Result {
    let count = |c: Option<u64>| c.map_or("-".to_string(), |c| c.to_string());
    let rate = rate.map_or("-".to_string(), |r| format!("{r:.2}"));
    let share = share.map_or("-".to_string(), |s| format!("{:.1} %", 100.0 * s));
    writeln!(f, "{name:<10} {tokens:>8} {:>12} {:>14} {rate:>10} {share:>13}", count(cycles), count(each))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn report() -> Report {
        let overlay = sagen_streamed_arch::config::named("d16_100mhz_w128_p6").unwrap();
        Report::new(&overlay, "m".to_owned())
    }

    #[test]
    fn the_table_sums_up_what_ran() {
        let mut report = report();
        assert!(report.is_empty());
        let stats = |cycles, stream_bytes| RunStats { cycles: Some(cycles), counters: Vec::new(), stream_bytes };
        report.add_chunk(16, &stats(3000, 0));
        report.add_chunk(4, &stats(1000, 0));
        report.add_decode(20, 7, &stats(500, 16_000));
        assert_eq!(report.add_decode(21, 8, &stats(500, 32_000)).stream_share, Some(1.0));
        report.checked = Checked { descriptors: 3, bytes: 99 };
        expect![[r#"
                         tokens       cycles   cycles/token      tok/s  stream share
            prefill          20         4000            200  500000.00             -
            decode            2         1000            500  200000.00        75.0 %

            cycles of the token at position 21, by unit (units run concurrently)
            a prompt is computed in chunks of 16: 20 tokens cost as much as 32

            incomplete: equal to golden so far, 3 descriptors, 99 bytes compared
        "#]]
        .assert_eq(&report.to_string());
    }

    #[test]
    fn a_device_without_a_clock_is_told_by_the_clock_on_the_wall() {
        let mut report = report();
        let stats = RunStats { cycles: None, counters: Vec::new(), stream_bytes: 9 };
        report.add_chunk(5, &stats);
        report.tokens.extend([7, 8, 9, 10]);
        for i in 0..3 {
            report.add_decode(5 + i, 7, &stats);
        }
        report.wall = Wall { prefill_s: 2.0, decode_s: 1.5 };
        expect![[r#"
                         tokens    seconds      tok/s
            prefill           5       2.00       2.50
            decode            3       1.50       2.00
            seconds and tok/s are those of the golden machine on this computer, not of the overlay
            a prompt is computed in chunks of 16: 5 tokens cost as much as 16
            the first of 4 tokens comes out of the prefill, the others are decoded

            not compared with golden
        "#]]
        .assert_eq(&report.to_string());
    }
}
