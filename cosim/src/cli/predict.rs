//! `cosim predict`: cycles of prefill and decode without simulating, for models or for shapes without weights.

use super::plot::{self, Curve};
use anyhow::{Context, Result, bail};
use clap::Args;
use sagen_compile::{CompileOptions, outline};
use sagen_host::files;
use sagen_runtime::shape::Shape;
use sagen_streamed_arch::Compiled;
use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_timing::{MemoryTiming, Predictor};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Options of `cosim predict`.
///
/// Examples:
///   cosim predict                                       every shape, beside the reference system's published figures
///   cosim predict smollm2 --config d8_100mhz            one shape on the small overlay
///   cosim predict smollm2 --positions 0,100,2000
///   cosim predict smollm2 --svg cycles.svg --measured run.json      with the decode steps of `cosim run --report`
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Options {
    /// Shape; all of them by default, an unknown name lists the known ones.
    model: Option<String>,
    /// Overlay: name of a config, or path of a YAML file; may be repeated.
    #[arg(long, default_value = "d16_100mhz_w128_p6")]
    config: Vec<String>,
    /// Positions at which a token is decoded.
    #[arg(long, value_delimiter = ',', default_value = "32,512,2047")]
    positions: Vec<usize>,
    /// Tokens of the prompt that is prefilled.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    prompt_tokens: u64,
    /// Longest sequence that the program is compiled for, a multiple of 16.
    #[arg(long, default_value_t = 2048)]
    context: usize,
    /// Draw cycles against position here: one model, one overlay.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Reports of `cosim run` whose decode steps are drawn as points.
    #[arg(long, value_name = "FILE", requires = "svg")]
    measured: Vec<PathBuf>,
}

/// Print the table; draw the picture.
pub(crate) fn run(options: &Options) -> Result<()> {
    check(options)?;
    let shapes = match &options.model {
        Some(name) => vec![Shape::find(name)?],
        None => Shape::all()?,
    };
    for name in &options.config {
        let overlay = sagen_streamed_arch::config::named(name)?;
        for shape in &shapes {
            match Subject::new(shape, &overlay, options) {
                Ok(subject) => subject.print(options)?,
                // In a table of many, one that does not fit is a line of it.
                Err(e) if options.model.is_none() => println!("{e:#}\n"),
                Err(e) => return Err(e),
            }
        }
    }
    if let Some(path) = &options.svg {
        let overlay = sagen_streamed_arch::config::named(&options.config[0])?;
        draw(&Subject::new(&shapes[0], &overlay, options)?, options, path)?;
    }
    Ok(())
}

fn check(options: &Options) -> Result<()> {
    let last = options.positions.iter().copied().max().unwrap_or(0);
    if last >= options.context || options.prompt_tokens as usize > options.context {
        bail!("position {last} or {} prompt tokens do not fit --context {}", options.prompt_tokens, options.context);
    }
    if options.svg.is_some() && (options.model.is_none() || options.config.len() > 1) {
        bail!("--svg draws one model on one overlay");
    }
    Ok(())
}

/// A shape compiled for an overlay.
struct Subject<'a> {
    shape: &'a Shape,
    overlay: &'a StreamedConfig,
    compiled: Compiled,
}

impl<'a> Subject<'a> {
    fn new(shape: &'a Shape, overlay: &'a StreamedConfig, options: &Options) -> Result<Self> {
        let compile_options = CompileOptions { context: options.context, ..CompileOptions::default() };
        let compiled = outline(&shape.config()?, overlay, &compile_options)
            .with_context(|| format!("{} on {}", shape.name, overlay.name()))?;
        Ok(Self { shape, overlay, compiled })
    }

    fn predictor(&self) -> Predictor<'_> {
        Predictor::new(self.overlay, &self.compiled.program, MemoryTiming::of(self.overlay))
    }

    /// Cycles and beats of a token at a position.
    fn decode(&self, position: usize) -> Result<(u64, u64)> {
        let predictor = self.predictor();
        let cycles = self.shape.blend(position, |at| predictor.decode(at).map(|p| p.cycles))?;
        let beats = self.shape.blend(position, |at| predictor.decode(at).map(|p| p.beats))?;
        Ok((cycles, beats))
    }

    /// Whether the published figures are those of such an overlay.
    fn is_comparable(&self) -> bool {
        self.overlay.beat_bytes() == 64 && self.overlay.clock_mhz() == 100
    }

    /// The limit of decode is that of the stream ports, the limit of prefill that of the arrays.
    fn print(&self, options: &Options) -> Result<()> {
        let (clock, published) = (f64::from(self.overlay.clock_mhz()) * 1e6, self.shape.reference);
        println!("{} on {}", self.shape.name, self.overlay.name());
        let columns = ["MB/token", "limit", "cycles", "tok/s", "ms", "of limit"];
        println!(
            "  {:<18}{:>10}{:>13}{:>13}{:>9}{:>9}{:>10}  reference",
            "", columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]
        );
        for position in &options.positions {
            let (cycles, beats) = self.decode(*position)?;
            let bytes = beats as f64 * self.overlay.beat_bytes() as f64;
            let reference = match position {
                _ if !self.is_comparable() => String::new(),
                32 => format!("{} tok/s", published.decode_tok_per_s),
                2047 | 2048 => format!("{} ms", published.step_ms_at_2048),
                _ => String::new(),
            };
            let (rate, share) = (clock / cycles as f64, 100.0 * beats as f64 / cycles as f64);
            let what = format!("decode at {position}");
            println!(
                "  {what:<18}{:>10.1}{beats:>13}{cycles:>13}{rate:>9.2}{:>9.2}{share:>8.1} %  {reference}",
                bytes / 1e6,
                1e3 / rate
            );
        }
        self.print_prefill(options.prompt_tokens as usize, clock)?;
        let left_out = self.shape.left_out.join(", ");
        if !left_out.is_empty() {
            println!("  without: {left_out}");
        }
        println!();
        Ok(())
    }

    /// Limits: weights streamed once a chunk, and products of the arrays.
    fn print_prefill(&self, tokens: usize, clock: f64) -> Result<()> {
        let cycles = self.predictor().prefill(tokens)?;
        let (each, rate) = (cycles as f64 / tokens as f64, clock * tokens as f64 / cycles as f64);
        let config = self.shape.config()?;
        let body = config.parameters() - (config.vocab * config.hidden) as u64;
        let macs = (self.overlay.side() * self.overlay.side() * self.overlay.arrays()) as f64;
        let limit = body as f64 / macs;
        let what = format!("prefill of {tokens}");
        let reference = if tokens == 64 && self.is_comparable() {
            format!("{} tok/s", self.shape.reference.prefill_tok_per_s)
        } else {
            String::new()
        };
        println!(
            "  {what:<18}{:>10}{limit:>13.0}{each:>13.0}{rate:>9.2}{:>9.2}{:>8.1} %  {reference}",
            "",
            1e3 / rate,
            100.0 * limit / each
        );
        Ok(())
    }
}

/// Positions on the predicted line.
const LINE: usize = 32;

fn draw(subject: &Subject<'_>, options: &Options, path: &Path) -> Result<()> {
    let last = options.context - 1;
    let at = |i: usize| last * i / LINE;
    let predicted = (0..=LINE).map(|i| Ok((at(i) as f64, subject.decode(at(i))?.0 as f64)));
    let predicted = predicted.collect::<Result<Vec<_>>>()?;
    let limit = (0..=LINE).map(|i| Ok((at(i) as f64, subject.decode(at(i))?.1 as f64))).collect::<Result<Vec<_>>>()?;
    let mut measured = Vec::new();
    for report in &options.measured {
        measured.extend(steps(report).with_context(|| report.display().to_string())?);
    }
    let title = format!("{} on {}: cycles of a decoded token", subject.shape.name, subject.overlay.name());
    let curves = [
        Curve { name: "predicted", points: &predicted, color: "#1f5fa8", dots: false },
        Curve { name: "limit of the stream ports", points: &limit, color: "#999999", dots: false },
        Curve { name: "RTL", points: &measured, color: "#c8321e", dots: true },
    ];
    let svg = plot::svg(&title, "position", "million cycles", 1e6, &curves);
    Ok(files::write(path, &svg)?)
}

/// Position and cycles of the decode steps of a report.
fn steps(report: &Path) -> Result<Vec<(f64, f64)>> {
    let report: Value = serde_json::from_slice(&std::fs::read(report)?)?;
    let steps = report["decode"].as_array().context("no decode steps")?;
    Ok(steps.iter().filter_map(|s| Some((s["position"].as_f64()?, s["cycles"].as_f64()?))).collect())
}
