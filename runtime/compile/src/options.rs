//! What a person may choose when compiling, and the limits of what the hardware can do.

use sagen_streamed_arch::StreamedConfig;
use sagen_streamed_isa::{AMAX_GROUPS, BLOCK_ROWS, CHUNK_ROWS, GROUP};
use serde::{Deserialize, Serialize};

use super::CompileError;
use sagen_checkpoint::model::ModelConfig;

/// Passes that change speed and memory but not one bit of any result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fusion {
    /// Streams of adjacent weights become one descriptor, across operations and layers.
    pub streams: bool,
    /// Gate and up are one projection.
    pub gate_up: bool,
    /// RoPE and gate record the magnitudes that the quantiser needs, instead of a pass of their own.
    pub amax: bool,
}

impl Fusion {
    /// Every pass.
    pub const ALL: Self = Self { streams: true, gate_up: true, amax: true };
    /// No pass.
    pub const NONE: Self = Self { streams: false, gate_up: false, amax: false };
}

/// How to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompileOptions {
    /// Longest sequence, a multiple of 16.
    pub context: usize,
    /// The head writes all logits to DDR besides choosing the greatest.
    pub logits: bool,
    /// Passes.
    pub fuse: Fusion,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self { context: 2048, logits: false, fuse: Fusion::ALL }
    }
}

impl CompileOptions {
    pub(crate) fn check(&self, config: &ModelConfig, overlay: &StreamedConfig) -> Result<(), CompileError> {
        let refuse = |rule: String| Err(CompileError::rule("context", self.context, rule));
        if self.context == 0 || !self.context.is_multiple_of(CHUNK_ROWS) {
            return refuse(format!("must be a positive multiple of {CHUNK_ROWS}"));
        }
        if self.context > overlay.score_rows() {
            let (name, rows) = (overlay.name(), overlay.score_rows());
            return refuse(format!("{name} has scratchpad.score_rows = {rows}"));
        }
        if self.context > config.context {
            return refuse(format!("the model was trained for at most {}", config.context));
        }
        Ok(())
    }
}

/// Refuses models whose shape the overlay's operations cannot express.
pub(crate) fn check_shape(config: &ModelConfig) -> Result<(), CompileError> {
    if config.qk_norm {
        let rule = "norms over query and key heads cannot be expressed by the overlay's operations";
        return Err(CompileError::rule("qk_norm", true, rule));
    }
    let widest = AMAX_GROUPS * GROUP;
    let widths = [
        ("hidden", config.hidden),
        ("ffn", config.ffn),
        ("head_dim", config.head_dim),
        ("heads * head_dim", config.q_width()),
    ];
    for (field, found) in widths {
        if !found.is_multiple_of(GROUP) || found > widest {
            let rule = format!("must be a multiple of {GROUP}, at most {widest}");
            return Err(CompileError::rule(field, found, rule));
        }
    }
    // Head counts and the words of a head are counted in 8 bits.
    for (field, found) in [("heads", config.heads), ("head_dim / 16", config.head_dim / BLOCK_ROWS)] {
        if found > 255 {
            return Err(CompileError::rule(field, found, "must be at most 255"));
        }
    }
    if config.vocab > 1 << 20 {
        return Err(CompileError::rule("vocab", config.vocab, format!("must be at most {}", 1 << 20)));
    }
    Ok(())
}
