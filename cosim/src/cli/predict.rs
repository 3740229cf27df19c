//! `cosim predict`: cycles of prefill and decode without simulating, for models or for shapes without weights.

use anyhow::{Result, bail, ensure};
use clap::Args;
use sagen_checkpoint::shape::Shape;
use sagen_host::files::{self, Files};
use sagen_host::outcome::Voice;
use sagen_runtime::predict::{QuestionError, Questions, Subject};
use sagen_streamed_arch::StreamedConfig;
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
    /// Shape, or path of a YAML file that describes one; all known ones by default.
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

/// Draw the picture; print the table.
pub(crate) fn run(options: &Options) -> Result<()> {
    let (questions, voice) = (questions(options)?, places(options)?);
    let names = options.model.clone().map_or_else(Shape::names, |name| vec![name]);
    let mut failed = 0;
    for name in &options.config {
        let overlay = sagen_streamed_arch::config::named(name)?;
        for name in &names {
            match table(name, &overlay, options.context, &questions) {
                Ok(table) => voice.print(&format!("{table}\n"))?,
                // In a table of many, one that does not fit is a line of it.
                Err(e) if options.model.is_none() => {
                    failed += 1;
                    voice.print(&format!("{e}\n\n"))?;
                }
                Err(e) => return Err(e.into()),
            }
        }
    }
    if let Some(path) = &options.svg {
        let overlay = sagen_streamed_arch::config::named(&options.config[0])?;
        files::write(
            path,
            &Subject::new(&Shape::find(&names[0])?, &overlay, options.context)?.svg(&options.measured)?,
        )?;
    }
    ensure!(failed == 0, "{failed} of {} predictions failed", names.len() * options.config.len());
    Ok(())
}

fn table(
    shape: &str,
    overlay: &StreamedConfig,
    context: usize,
    questions: &Questions,
) -> Result<String, QuestionError> {
    Subject::new(&Shape::find(shape)?, overlay, context)?.table(questions)
}

/// Refuse places that cannot be written; where the table goes.
fn places(options: &Options) -> Result<Voice> {
    let mut files = Files::default();
    files.reads("SHAPE", options.model.as_deref().map(Path::new));
    options.measured.iter().for_each(|path| files.reads("--measured", Some(path)));
    files.writes("--svg", options.svg.as_deref())?;
    Ok(files.voice())
}

fn questions(options: &Options) -> Result<Questions> {
    let positions = options.positions.clone();
    let questions = Questions { positions, prompt_tokens: options.prompt_tokens as usize, context: options.context };
    questions.check()?;
    if options.svg.is_some() && (options.model.is_none() || options.config.len() > 1) {
        bail!("--svg draws one model on one overlay");
    }
    Ok(questions)
}
