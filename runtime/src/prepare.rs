//! From names to things that run: checkpoint, tokenizer, calibration, program.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sagen_checkpoint::registry::{self, RegistryError};
use sagen_checkpoint::tokenizer::TokenizerError;
use sagen_checkpoint::weights::{Checkpoint, WeightsError};
use sagen_compile::{Calibration, CalibrationError, CompileError, CompileOptions, compile};
use sagen_host::progress::Progress;
use sagen_streamed_arch::{ModelProgram, StreamedConfig};
use sagen_tokenizer::Tokenizer;

/// A model that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// There is no such model, or it could not be fetched.
    #[error(transparent)]
    Registry(Box<RegistryError>),
    /// Its files are wrong.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// It has no usable tokenizer.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// It could not be calibrated.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// It does not fit the overlay.
    #[error(transparent)]
    Compile(Box<CompileError>),
}

impl From<RegistryError> for PrepareError {
    fn from(reason: RegistryError) -> Self {
        Self::Registry(Box::new(reason))
    }
}

impl From<CompileError> for PrepareError {
    fn from(reason: CompileError) -> Self {
        Self::Compile(Box::new(reason))
    }
}

/// Which model: one of the registry, or the user's own file or folder.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    name: Option<&'a str>,
    path: Option<&'a Path>,
}

impl<'a> Wanted<'a> {
    /// A name, a path, or both: then the name is only what the model is called.
    #[must_use]
    pub fn new(name: Option<&'a str>, path: Option<&'a Path>) -> Self {
        Self { name, path }
    }

    /// The name of a model of the registry, where it is one.
    #[must_use]
    pub fn registered(&self) -> Option<&'a str> {
        self.name.filter(|_| self.path.is_none())
    }

    /// What it is called: without a name, as its file or folder.
    #[must_use]
    pub fn name(&self) -> String {
        let of_path = || Some(self.path?.canonicalize().ok()?.file_stem()?.to_string_lossy().into_owned());
        self.name.map(str::to_owned).or_else(of_path).unwrap_or_default()
    }
}

/// A model's checkpoint and tokenizer.
pub fn model(wanted: Wanted<'_>, interrupted: &AtomicBool) -> Result<(Checkpoint, Tokenizer), PrepareError> {
    let path = match wanted.path {
        Some(path) => path.to_owned(),
        None => registry::fetch(&registry::find(wanted.name.unwrap_or_default())?, interrupted)?,
    };
    let checkpoint = Checkpoint::open(&path)?;
    let tokenizer = checkpoint.tokenizer()?;
    Ok((checkpoint, tokenizer))
}

/// Calibrate, once per checkpoint (`folder` keeps it), and compile.
pub fn program(
    checkpoint: &Checkpoint,
    tokenizer: &Tokenizer,
    overlay: &StreamedConfig,
    options: &CompileOptions,
    folder: &Path,
) -> Result<Arc<ModelProgram>, PrepareError> {
    let calibrating = Progress::spinner("calibrating on the built-in text (once per model)");
    let calibration = Calibration::load_or_measure(checkpoint, tokenizer, folder)?;
    drop(calibrating);
    let _compiling = Progress::spinner(format!("compiling the model for {}", overlay.name()));
    let mut program = compile(checkpoint, &calibration, overlay, options)?;
    program.stop = tokenizer.end().to_vec();
    Ok(Arc::new(program))
}
