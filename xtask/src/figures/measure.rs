//! The measurements: which command gives which figure.

use super::record::{Cycles, Estimate, Measured, Record, Resources, Sums, Unit};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

/// What a measurement runs.
#[derive(Clone, Copy)]
enum Work {
    /// One decode step of a shape with random weights, compared with golden: `cosim verify`.
    Verify(&'static str),
    /// Prefill of 64 tokens of SmolLM2, its head included: `cosim run`.
    Prefill,
    /// Resources and levels: `sagen estimate`.
    Estimate,
    /// The transcript of the README.
    Transcript,
}

struct Measurement {
    name: String,
    overlay: &'static str,
    work: Work,
}

const MAIN: &str = "d16_100mhz_w128_p6";
const FOUR_ARRAYS: &str = "d16_100mhz_w128_p6_a4";
const WIDE: &str = "d32_100mhz_w128_p6";
const FAST: &str = "d16_250mhz_w128_p6";
/// Tokens of the measured prompt. Cycles do not depend on which: any text will do.
const PROMPT_TOKENS: u32 = 64;
const PROMPT: &str = "runtime/compile/src/calibration.txt";

fn all() -> Vec<Measurement> {
    let prefill = [MAIN, FOUR_ARRAYS, WIDE, FAST].map(|overlay| Measurement {
        name: format!("prefill of {PROMPT_TOKENS} on {overlay}"),
        overlay,
        work: Work::Prefill,
    });
    let verify = [("smollm2", MAIN), ("qwen3-0.6b", MAIN), ("llama-3.2-1b", "llama_d16_100mhz_w128_p6")].map(
        |(shape, overlay)| Measurement {
            name: format!("{shape} decode at 32 on {overlay}"),
            overlay,
            work: Work::Verify(shape),
        },
    );
    let estimated = ["d8_100mhz", "d8_50mhz_z1", MAIN, FOUR_ARRAYS, WIDE, FAST];
    let estimate =
        estimated.map(|overlay| Measurement { name: format!("resources of {overlay}"), overlay, work: Work::Estimate });
    let transcript = Measurement { name: "transcript".to_owned(), overlay: MAIN, work: Work::Transcript };
    prefill.into_iter().chain(verify).chain(estimate).chain([transcript]).collect()
}

/// Names of measurements that are missing, or were made on other Verilog.
pub(crate) fn names_of_stale(sums: &Sums, record: &Record) -> Vec<String> {
    all().into_iter().filter(|m| m.is_stale(sums, record)).map(|m| m.name).collect()
}

/// Measure what is stale; `keep` is called after each, so that an interrupted run loses nothing.
pub(crate) fn stale(
    root: &Path,
    sums: &Sums,
    record: &mut Record,
    only: Option<&str>,
    keep: impl Fn(&Record) -> Result<()>,
) -> Result<()> {
    let wanted = |m: &Measurement| only.map_or(m.is_stale(sums, record), |part| m.name.contains(part));
    let list: Vec<Measurement> = all().into_iter().filter(wanted).collect();
    let count = list.len();
    for (i, measurement) in list.into_iter().enumerate() {
        let began = Instant::now();
        eprintln!("[{}/{count}] {}", i + 1, measurement.name);
        measurement.run(root, sums, record).with_context(|| measurement.name.clone())?;
        eprintln!("        {:.0} s", began.elapsed().as_secs_f64());
        keep(record)?;
    }
    Ok(())
}

impl Measurement {
    fn sum_kept<'a>(&self, record: &'a Record) -> Option<&'a str> {
        let name = &self.name;
        let kept = match self.work {
            Work::Verify(_) | Work::Prefill => record.cycles.get(name).map(|m| &m.verilog),
            Work::Estimate => record.resources.get(name).map(|m| &m.verilog),
            Work::Transcript => record.transcripts.get(name).map(|m| &m.verilog),
        };
        kept.map(String::as_str)
    }

    fn is_stale(&self, sums: &Sums, record: &Record) -> bool {
        self.sum_kept(record).is_none_or(|kept| sums.of(self.overlay) != Some(kept))
    }

    /// The command as a person types it; a report goes to a temporary file besides.
    fn command(&self) -> String {
        let overlay = self.overlay;
        match self.work {
            Work::Verify(shape) => format!("cosim verify {shape} --config {overlay}"),
            Work::Prefill => {
                format!(
                    "cosim run smollm2 --config {overlay} --prompt-file {PROMPT} --prompt-tokens {PROMPT_TOKENS} --tokens 1"
                )
            }
            Work::Estimate => format!("sagen estimate --config {overlay}"),
            Work::Transcript => "cosim run smollm2 --prompt \"The capital of France is\" --tokens 4".to_owned(),
        }
    }

    fn run(&self, root: &Path, sums: &Sums, record: &mut Record) -> Result<()> {
        let verilog = sums.of(self.overlay).with_context(|| format!("configs/{}.sha256 is missing", self.overlay))?;
        let (overlay, verilog) = (self.overlay.to_owned(), verilog.to_owned());
        let command = self.command();
        let name = self.name.clone();
        match self.work {
            Work::Verify(_) | Work::Prefill => {
                let found = self.cycles(&reported(root, &command)?)?;
                record.cycles.insert(name, Measured { overlay, verilog, command, found });
            }
            Work::Estimate => {
                let found = estimate(&spoken(root, &format!("{command} --json"))?)?;
                record.resources.insert(name, Measured { overlay, verilog, command, found });
            }
            Work::Transcript => {
                let text = spoken(root, &command)?;
                let found = text.lines().map(str::to_owned).collect();
                record.transcripts.insert(name, Measured { overlay, verilog, command, found });
            }
        }
        Ok(())
    }

    fn cycles(&self, report: &Value) -> Result<Cycles> {
        let clock_mhz = number(report, "/clock_mhz")? as u32;
        match self.work {
            Work::Verify(_) => {
                let (predicted, share) = (number(report, "/predicted_cycles")?, float(report, "/stream_share")?);
                let per_token = number(report, "/cycles")?;
                Ok(Cycles { per_token, predicted: Some(predicted), share: Some(share), clock_mhz })
            }
            Work::Prefill => {
                let (cycles, tokens) = (number(report, "/prefill/cycles")?, number(report, "/prefill/tokens")?);
                ensure!(tokens == u64::from(PROMPT_TOKENS), "{tokens} tokens were prefilled, not {PROMPT_TOKENS}");
                ensure!(report["bit_exact"] == Value::Bool(true), "the run was not compared with golden to its end");
                let per_token = (cycles + tokens / 2) / tokens;
                Ok(Cycles { per_token, predicted: None, share: None, clock_mhz })
            }
            Work::Estimate | Work::Transcript => unreachable!("has no cycles"),
        }
    }
}

fn number(report: &Value, path: &str) -> Result<u64> {
    report.pointer(path).and_then(Value::as_u64).with_context(|| format!("the report has no number at {path}"))
}

fn float(report: &Value, path: &str) -> Result<f64> {
    report.pointer(path).and_then(Value::as_f64).with_context(|| format!("the report has no number at {path}"))
}

/// Run a command with `--report`, and read the report.
fn reported(root: &Path, command: &str) -> Result<Value> {
    let file = tempfile::NamedTempFile::new()?;
    spoken(root, &format!("{command} --report {}", file.path().display()))?;
    let text = std::fs::read_to_string(file.path())?;
    serde_json::from_str(&text).with_context(|| format!("the report of `{command}`"))
}

/// Run a command of ours in release mode; what it says on standard output.
fn spoken(root: &Path, command: &str) -> Result<String> {
    let words = words(command);
    let (program, arguments) = words.split_first().context("a command has a name")?;
    let package = if program == "cosim" { "sagen-cosim" } else { "sagen" };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--release", "--quiet", "--package", package, "--bin", program, "--"]).args(arguments);
    let Output { status, stdout, .. } =
        cargo.current_dir(root).stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    ensure!(status.success(), "`{command}` failed: {status}");
    Ok(String::from_utf8(stdout)?)
}

/// Words of a command; quotes keep blanks together.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(i, part)| match i % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

fn estimate(json: &str) -> Result<Estimate> {
    let report: Value = serde_json::from_str(json)?;
    let resources = |path: &str| -> Result<Resources> {
        let value = report.pointer(path).with_context(|| format!("the estimate has no {path}"))?;
        Ok(serde_json::from_value(value.clone())?)
    };
    let units = report["units"].as_array().context("the estimate has units")?;
    let unit = |u: &Value| -> Result<Unit> { Ok(serde_json::from_value(u.clone())?) };
    Ok(Estimate {
        board: report["board"].as_str().context("the estimate has a board")?.to_owned(),
        available: resources("/available")?,
        total: resources("/total")?,
        units: units.iter().map(unit).collect::<Result<_>>()?,
        level_limit: number(&report, "/level_limit")? as u32,
        levels: number(&report, "/worst/levels")? as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_of_other_verilog_is_stale() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("configs/large")).unwrap();
        let pin = |sum: &str| {
            std::fs::write(folder.path().join(format!("configs/{MAIN}.sha256")), format!("{sum}\n")).unwrap();
            Sums::read(folder.path()).unwrap()
        };
        let mut record = Record::default();
        let transcript = |sums: &Sums, record: &Record| names_of_stale(sums, record).contains(&"transcript".to_owned());
        assert!(transcript(&pin("a"), &record), "what was never measured is stale");
        let measured = Measured {
            overlay: MAIN.to_owned(),
            verilog: "a".to_owned(),
            command: String::new(),
            found: vec![String::new()],
        };
        record.transcripts.insert("transcript".to_owned(), measured);
        assert!(!transcript(&pin("a"), &record));
        assert!(transcript(&pin("b"), &record));
    }

    #[test]
    fn quoted_words_stay_together() {
        assert_eq!(words("run \"a b\" --x 1"), ["run", "a b", "--x", "1"]);
    }
}
