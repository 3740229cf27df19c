//! What the commands need around the library: where calibrations are kept, and how the family becomes an overlay.

use anyhow::Result;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::CompileOptions;
use sagen_cosim::simulator;
use sagen_cosim::verilate::{Built, Variant};
use sagen_streamed_arch::{ModelProgram, StreamedConfig};
use sagen_streamed_rtl::overlay::overlay;
use sagen_tokenizer::Tokenizer;
use std::path::Path;
use std::sync::Arc;

/// Calibrate (once per checkpoint) and compile.
pub(crate) fn program(
    checkpoint: &Checkpoint,
    tokenizer: &Tokenizer,
    config: &StreamedConfig,
    options: &CompileOptions,
) -> Result<Arc<ModelProgram>> {
    let folder = sagen_host::cache::folder()?.join("calibration");
    Ok(sagen_runtime::prepare::program(checkpoint, tokenizer, config, options, &folder)?)
}

/// Emit an overlay and turn it into a simulator.
pub(crate) fn simulator(
    config: &StreamedConfig,
    out: &Path,
    variant: Variant,
    verilator: Option<&Path>,
) -> Result<Built> {
    Ok(simulator::simulator(&overlay(config), out, variant, verilator)?)
}
