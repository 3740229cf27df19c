//! The tables, as Markdown.

use super::numbers::{grouped, halves, millions, percent, rate};
use super::record::{Clocks, Cycles, Estimate, Goldens, Measured, Record, Resources};
use anyhow::{Context, Result, bail};
use std::fmt::Write;

/// The lines of a block.
pub(crate) fn table(name: &str, figures: &Figures<'_>) -> Result<String> {
    match name {
        "transcript" => figures.transcript(),
        "measured" => figures.measured(),
        "cycles" => figures.cycles_table(),
        "quality" => figures.quality(),
        "resources" => figures.resources(),
        "units" => figures.units("d16_100mhz_w128_p6"),
        "shapes" => figures.shapes(),
        _ => bail!("no such table; known: transcript, measured, cycles, quality, resources, units, shapes"),
    }
}

/// Where figures come from.
pub(crate) struct Figures<'a> {
    pub(crate) record: &'a Record,
    pub(crate) goldens: &'a Goldens,
    pub(crate) clocks: &'a Clocks,
}

const MAIN: &str = "d16_100mhz_w128_p6";
const FAST: &str = "d16_250mhz_w128_p6";
/// Published for the reference system on its board, same clock and ports.
const REFERENCE: Published = Published {
    decode_at_32: "3.70 M",
    decode_at_2047: "9.1 M",
    prefill_of_64: "1.36 M",
    share: "57 %",
    top1: "90.7 % on its own checkpoint",
};

struct Published {
    decode_at_32: &'static str,
    decode_at_2047: &'static str,
    prefill_of_64: &'static str,
    share: &'static str,
    top1: &'static str,
}

fn per_second(clock_mhz: u32, cycles: u64) -> f64 {
    f64::from(clock_mhz) * 1e6 / cycles as f64
}

impl Figures<'_> {
    fn golden(&self, overlay: &str, name: &str, counter: &str) -> Result<u64> {
        let found = self.goldens.get(overlay).and_then(|o| o.get(name)).and_then(|m| m.get(counter));
        found.copied().with_context(|| format!("configs/{overlay}.cycles has no {counter} of `{name}`"))
    }

    fn decode(&self, overlay: &str, position: usize) -> Result<Cycles> {
        let name = format!("smollm2 decode at {position}");
        let (cycles, beats) = (self.golden(overlay, &name, "cycles")?, self.golden(overlay, &name, "compute_beats")?);
        let clock_mhz = *self.clocks.get(overlay).with_context(|| format!("configs/{overlay}.yaml is missing"))?;
        Ok(Cycles { per_token: cycles, predicted: None, share: Some(beats as f64 / cycles as f64), clock_mhz })
    }

    fn measured_cycles(&self, name: &str) -> Result<&Measured<Cycles>> {
        self.record.cycles.get(name).with_context(|| unmeasured(name))
    }

    fn prefill(&self, overlay: &str) -> Result<&Measured<Cycles>> {
        self.measured_cycles(&format!("prefill of 64 on {overlay}"))
    }

    fn estimate(&self, overlay: &str) -> Result<&Estimate> {
        let name = format!("resources of {overlay}");
        Ok(&self.record.resources.get(&name).with_context(|| unmeasured(&name))?.found)
    }

    fn transcript(&self) -> Result<String> {
        let run = self.record.transcripts.get("transcript").with_context(|| unmeasured("transcript"))?;
        let tokens = run.found.iter().take_while(|line| !line.is_empty());
        let verdict =
            run.found.iter().find(|line| line.starts_with("bit-exact")).context("the run was not compared")?;
        let mut text = format!("```\n$ {}\n", run.command);
        for line in tokens {
            writeln!(text, "{line}")?;
        }
        writeln!(text, "...\n{verdict}\n```")?;
        Ok(text)
    }

    fn measured(&self) -> Result<String> {
        let (near, far) = (self.decode(MAIN, 32)?, self.decode(MAIN, 2047)?);
        let quality = self.record.quality.get("smollm2").context("quality of smollm2 was not measured")?;
        let (one, four) = (self.prefill(MAIN)?, self.prefill("d16_100mhz_w128_p6_a4")?);
        let rows = [
            ("decode at position 32, cycles per token", millions(near.per_token), REFERENCE.decode_at_32),
            ("decode at position 2047", millions(far.per_token), REFERENCE.decode_at_2047),
            ("the same at 250 MHz with deep pipelines, position 32", millions(self.decode(FAST, 32)?.per_token), "-"),
            (
                "prefill of 64 tokens, one 16 x 16 array, cycles per token",
                millions(one.found.per_token),
                REFERENCE.prefill_of_64,
            ),
            ("prefill of 64 tokens, four arrays, or one of 32 x 32", millions(four.found.per_token), "-"),
            ("share of the stream ports' peak in decode", percent(near.share.unwrap_or(0.0)), REFERENCE.share),
            ("top-1 agreement with the float model", percent(quality.top1), REFERENCE.top1),
        ];
        let mut text = "| what | sagen | reference system on the board |\n|---|---|---|\n".to_owned();
        for (what, ours, theirs) in rows {
            writeln!(text, "| {what} | {ours} | {theirs} |")?;
        }
        Ok(text)
    }

    fn cycles_table(&self) -> Result<String> {
        let golden = "`cargo test --release -p sagen-cosim --test cycles`";
        let mut text = "| what | overlay | cycles per token | tok/s | of the stream ports | command |\n\
                        |---|---|---|---|---|---|\n"
            .to_owned();
        let mut row = |what: &str, overlay: &str, cycles: Cycles, command: &str| {
            let share = cycles.share.map_or(String::new(), percent);
            let (count, rate) = (grouped(cycles.per_token), rate(per_second(cycles.clock_mhz, cycles.per_token)));
            writeln!(text, "| {what} | {overlay} | {count} | {rate} | {share} | {command} |")
        };
        for overlay in [MAIN, FAST, "d8_100mhz", "d8_50mhz_z1"] {
            for position in [32, 512, 2047] {
                let what = format!("decode at position {position}");
                row(&what, overlay, self.decode(overlay, position)?, golden)?;
            }
        }
        for (name, measured) in &self.record.cycles {
            let what = name.strip_suffix(&format!(" on {}", measured.overlay)).unwrap_or(name);
            let what = match measured.found.share {
                Some(_) => format!("{what}, random weights"),
                None => format!("{what}, head included"),
            };
            row(&what, &measured.overlay, measured.found, &format!("`{}`", measured.command))?;
        }
        Ok(text)
    }

    fn quality(&self) -> Result<String> {
        let mut text = "| model | top-1 agreement | mean KL | perplexity | float | command |\n\
                        |---|---|---|---|---|---|\n"
            .to_owned();
        for (model, q) in &self.record.quality {
            let top1 = percent(q.top1);
            writeln!(text, "| {model} | {top1} | {:.4} | {:.3} | {:.3} | `{}` |", q.kl, q.ppl, q.float_ppl, q.command)?;
        }
        Ok(text)
    }

    fn resources(&self) -> Result<String> {
        let rows = [
            ("d8_50mhz, d8_100mhz", "d8_100mhz", "KV260", "40,275 LUT, 130 BRAM36"),
            ("d8_50mhz_z1", "d8_50mhz_z1", "Zynq-7020", ""),
            (MAIN, MAIN, "KV260", "101,995 LUT, 349 DSP, 138 BRAM36"),
            ("d16_100mhz_w128_p6_a4", "d16_100mhz_w128_p6_a4", "KV260", ""),
            ("d32_100mhz_w128_p6", "d32_100mhz_w128_p6", "KV260", ""),
            (FAST, FAST, "KV260", ""),
        ];
        let mut text = "| overlay | part | LUT | FF | DSP | BRAM36 | URAM | levels | reference, placed and routed |\n\
                        |---|---|---|---|---|---|---|---|---|\n"
            .to_owned();
        for (names, overlay, part, reference) in rows {
            let e = self.estimate(overlay)?;
            let cells = shares(&e.total, &e.available);
            writeln!(text, "| {names} | {part} | {cells} | {} of {} | {reference} |", e.levels, e.level_limit)?;
        }
        Ok(text)
    }

    fn units(&self, overlay: &str) -> Result<String> {
        let estimate = self.estimate(overlay)?;
        let mut text = format!("| unit of {overlay} | LUT | FF | DSP | BRAM36 | URAM |\n|---|---|---|---|---|---|\n");
        let rows = estimate.units.iter().map(|u| (u.name.as_str(), u.resources)).chain([("in all", estimate.total)]);
        for (name, r) in rows {
            let (lut, ff) = (grouped(r.lut), grouped(r.ff));
            writeln!(text, "| {name} | {lut} | {ff} | {} | {} | {} |", r.dsp, halves(r.bram36), r.uram)?;
        }
        Ok(text)
    }

    /// Cycles of shapes with random weights, predicted and on the RTL.
    fn shapes(&self) -> Result<String> {
        let mut text =
            "| decode at position 32 | overlay | predicted cycles | on the RTL | tok/s | of the port limit |\n\
                        |---|---|---|---|---|---|\n"
                .to_owned();
        for (name, measured) in &self.record.cycles {
            let (Some((shape, _)), cycles) = (name.split_once(" decode at 32"), measured.found) else { continue };
            let (count, rate) = (grouped(cycles.per_token), rate(per_second(cycles.clock_mhz, cycles.per_token)));
            let predicted = cycles.predicted.map_or(String::new(), grouped);
            let share = cycles.share.map_or(String::new(), percent);
            writeln!(text, "| {shape} | {} | {predicted} | {count} | {rate} | {share} |", measured.overlay)?;
        }
        Ok(text)
    }
}

fn unmeasured(name: &str) -> String {
    format!("`{name}` was not measured; run `cargo xtask figures --measure`")
}

/// Counts with their share of the part.
fn shares(used: &Resources, available: &Resources) -> String {
    let share = |used: f64, has: f64| match has {
        0.0 => "-".to_owned(),
        _ => format!("{} ({:.0} %)", count(used), 100.0 * used / has),
    };
    let pairs = [
        (used.lut as f64, available.lut as f64),
        (used.ff as f64, available.ff as f64),
        (used.dsp as f64, available.dsp as f64),
        (used.bram36, available.bram36),
        (used.uram as f64, available.uram as f64),
    ];
    pairs.map(|(used, has)| share(used, has)).join(" | ")
}

fn count(number: f64) -> String {
    if number.fract() == 0.0 { grouped(number as u64) } else { halves(number) }
}
