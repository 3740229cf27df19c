//! Cycles of prefill and decode without running anything, for shapes without weights.

use std::fmt::Write;
use std::path::PathBuf;

use sagen_checkpoint::shape::{Published, Shape, ShapeError};
use sagen_compile::{CompileError, CompileOptions, outline};
use sagen_engine::Step;
use sagen_streamed_arch::{ModelProgram, StreamedConfig};
use sagen_streamed_timing::{MemoryTiming, PredictError, Prediction, Predictor};
use serde_json::Value;

use crate::plot::{self, Curve};

/// What is asked about a shape.
#[derive(Clone, Debug)]
pub struct Questions {
    /// Positions at which a token is decoded.
    pub positions: Vec<usize>,
    /// Tokens of the prompt that is prefilled.
    pub prompt_tokens: usize,
    /// Longest sequence that the program is compiled for.
    pub context: usize,
}

/// A question without an answer.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// Longer than the program is compiled for.
    #[error("position {last} or {prompt} prompt tokens do not fit --context {context}")]
    Context {
        /// Last position asked for.
        last: usize,
        /// Tokens of the prompt.
        prompt: usize,
        /// Longest sequence.
        context: usize,
    },
    /// No shape of a model.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The shape does not fit the overlay.
    #[error("{shape} on {overlay}: {reason}")]
    Compile {
        /// Name of the shape.
        shape: String,
        /// Name of the overlay.
        overlay: String,
        /// Why.
        reason: Box<CompileError>,
    },
    /// The program would not come to its end.
    #[error(transparent)]
    Predict(#[from] PredictError),
    /// A report of a run that cannot be drawn.
    #[error("{}: {reason}", path.display())]
    Report {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl Questions {
    /// Refuses what does not fit the context.
    pub fn check(&self) -> Result<(), QuestionError> {
        let last = self.positions.iter().copied().max().unwrap_or(0);
        let (prompt, context) = (self.prompt_tokens, self.context);
        if last >= context || prompt > context {
            return Err(QuestionError::Context { last, prompt, context });
        }
        Ok(())
    }
}

/// A shape compiled for an overlay.
pub struct Subject<'a> {
    shape: &'a Shape,
    overlay: &'a StreamedConfig,
    compiled: ModelProgram,
}

impl<'a> Subject<'a> {
    /// Compile a shape for sequences of a context.
    pub fn new(shape: &'a Shape, overlay: &'a StreamedConfig, context: usize) -> Result<Self, QuestionError> {
        let options = CompileOptions { context, ..CompileOptions::default() };
        let failed = |reason| {
            let (shape, overlay) = (shape.name.clone(), overlay.name().to_owned());
            QuestionError::Compile { shape, overlay, reason: Box::new(reason) }
        };
        let compiled = outline(&shape.config()?, overlay, &options).map_err(failed)?;
        Ok(Self { shape, overlay, compiled })
    }

    fn predictor(&self) -> Predictor<'_> {
        Predictor::new(self.overlay, &self.compiled.program, MemoryTiming::of(self.overlay))
    }

    /// Cycles and beats of a token at a position.
    fn decode(&self, position: usize) -> Result<(u64, u64), PredictError> {
        let predictor = self.predictor();
        let of = |part: fn(Prediction) -> u64| {
            self.shape.blend(position, |at| predictor.cost(&Step::decode_at(at)).map(part))
        };
        Ok((of(|p| p.cycles)?, of(|p| p.beats)?))
    }

    /// What is published of such an overlay.
    fn published(&self) -> Option<Published> {
        let comparable = self.overlay.beat_bytes() == 64 && self.overlay.clock_mhz() == 100;
        self.shape.reference.filter(|_| comparable)
    }

    fn clock(&self) -> f64 {
        f64::from(self.overlay.clock_mhz()) * 1e6
    }

    /// The answers. The limit of decode is that of the stream ports, the limit of prefill that of the arrays.
    pub fn table(&self, questions: &Questions) -> Result<String, QuestionError> {
        let [bytes, limit, cycles, rate, time, share] =
            ["MB/token", "limit", "cycles/token", "tok/s", "ms/token", "of limit"];
        let mut out = format!(
            "{} on {}\n  {:<18}{bytes:>10}{limit:>13}{cycles:>13}{rate:>9}{time:>9}{share:>10}{:>12}{:>10}\n",
            self.shape.name,
            self.overlay.name(),
            "",
            "ref. tok/s",
            "ref. ms"
        );
        for position in &questions.positions {
            out += &self.decode_line(*position)?;
        }
        out += &self.prefill_line(questions.prompt_tokens)?;
        let left_out = self.shape.left_out.join(", ");
        if !left_out.is_empty() {
            let _ = writeln!(out, "  without: {left_out}");
        }
        Ok(out)
    }

    fn decode_line(&self, position: usize) -> Result<String, QuestionError> {
        let (cycles, beats) = self.decode(position)?;
        let megabytes = beats as f64 * self.overlay.beat_bytes() as f64 / 1e6;
        let published = self.published();
        let reference = match position {
            32 => published.map_or(String::new(), |p| format!("{:>12}", p.decode_tok_per_s)),
            2047 | 2048 => published.map_or(String::new(), |p| format!("{:>22}", p.step_ms_at_2048)),
            _ => String::new(),
        };
        let (rate, share) = (self.clock() / cycles as f64, 100.0 * beats as f64 / cycles as f64);
        let (what, time) = (format!("decode at {position}"), 1e3 / rate);
        Ok(format!(
            "  {what:<18}{megabytes:>10.1}{beats:>13}{cycles:>13}{rate:>9.2}{time:>9.2}{share:>8.1} %{reference}\n"
        ))
    }

    /// Limits: weights streamed once a chunk, and products of the arrays.
    fn prefill_line(&self, tokens: usize) -> Result<String, QuestionError> {
        let cycles = self.predictor().prefill(tokens)?;
        let (each, rate) = (cycles as f64 / tokens as f64, self.clock() * tokens as f64 / cycles as f64);
        let config = self.shape.config()?;
        let body = config.parameters() - (config.vocab * config.hidden) as u64;
        let macs = (self.overlay.side() * self.overlay.side() * self.overlay.arrays()) as f64;
        let limit = body as f64 / macs;
        let published = self.published().filter(|_| tokens == 64);
        let reference = published.map_or(String::new(), |p| format!("{:>12}", p.prefill_tok_per_s));
        let (what, time, share) = (format!("prefill of {tokens}"), 1e3 / rate, 100.0 * limit / each);
        Ok(format!("  {what:<18}{:>10}{limit:>13.0}{each:>13.0}{rate:>9.2}{time:>9.2}{share:>8.1} %{reference}\n", ""))
    }

    /// A picture of cycles against position, with the decode steps of reports as points.
    pub fn svg(&self, measured: &[PathBuf]) -> Result<String, QuestionError> {
        let last = self.compiled.context - 1;
        let (mut predicted, mut limit) = (Vec::new(), Vec::new());
        for at in (0..=LINE).map(|i| last * i / LINE) {
            let (cycles, beats) = self.decode(at)?;
            predicted.push((at as f64, cycles as f64));
            limit.push((at as f64, beats as f64));
        }
        let mut points = Vec::new();
        for path in measured {
            let text = std::fs::read(path).map_err(|e| e.to_string());
            let found = text.and_then(|text| steps(&text));
            points.extend(found.map_err(|reason| QuestionError::Report { path: path.clone(), reason })?);
        }
        let title = format!("{} on {}: cycles of a decoded token", self.shape.name, self.overlay.name());
        let curves = [
            Curve { name: "predicted", points: &predicted, color: "#1f5fa8", dots: false },
            Curve { name: "limit of the stream ports", points: &limit, color: "#999999", dots: false },
            Curve { name: "RTL", points: &points, color: "#c8321e", dots: true },
        ];
        Ok(plot::svg(&title, "position", "million cycles", 1e6, &curves))
    }
}

/// Positions on the predicted line.
const LINE: usize = 32;

/// Position and cycles of the decode steps of a report.
fn steps(report: &[u8]) -> Result<Vec<(f64, f64)>, String> {
    let report: Value = serde_json::from_slice(report).map_err(|e| e.to_string())?;
    let steps = report["decode"].as_array().ok_or("no decode steps")?;
    Ok(steps.iter().filter_map(|s| Some((s["position"].as_f64()?, s["cycles"].as_f64()?))).collect())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn questions_beyond_the_context_are_refused() {
        let questions = Questions { positions: vec![3, 64], prompt_tokens: 16, context: 64 };
        expect!["position 64 or 16 prompt tokens do not fit --context 64"]
            .assert_eq(&questions.check().unwrap_err().to_string());
        assert!(Questions { positions: vec![3, 63], ..questions }.check().is_ok());
    }

    #[test]
    fn a_report_without_decode_steps_is_refused() {
        expect!["no decode steps"].assert_eq(&steps(b"{}").unwrap_err());
        let found = steps(br#"{"decode": [{"position": 3, "cycles": 5}, {"position": 4, "cycles": null}]}"#);
        assert_eq!(found, Ok(vec![(3.0, 5.0)]));
    }
}
