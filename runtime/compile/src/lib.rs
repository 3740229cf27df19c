//! From a checkpoint to a [`Program`] for one overlay.
//!
//! The same checkpoint, calibration, overlay and options give the same bytes. What is optional ([`Fusion`]) changes no
//! bit of what the program computes.

mod calibration;
mod calibration_cache;
mod calibration_limits;
mod error;
mod gains;
pub mod graph;
mod image;
mod lower;
mod map;
mod numerics;
mod options;
mod permute;
mod plan;
mod quantise;
mod routines;
#[cfg(test)]
pub(crate) mod tests;

pub use calibration::{Calibration, CalibrationError, LayerRange};
pub use calibration_limits::LimitError;
pub use error::CompileError;
pub use options::{CompileOptions, Fusion};

use sagen_streamed_arch::{Cache, Logits, ModelProgram, Program, Segment, StreamedConfig};
use sagen_streamed_isa::CHUNK_ROWS;
use std::collections::BTreeMap;

use crate::graph::{Graph, GraphOptions};
use lower::Model;
use map::Map;
use numerics::Numerics;
use plan::Plan;
use sagen_checkpoint::model::{ModelConfig, NormGain};
use sagen_checkpoint::weights::Checkpoint;

/// Compile a model.
pub fn compile(
    checkpoint: &Checkpoint,
    calibration: &Calibration,
    overlay: &StreamedConfig,
    options: &CompileOptions,
) -> Result<ModelProgram, CompileError> {
    let (gain_bytes, gains) = image::gains(checkpoint)?;
    let (embedding_bytes, embedding) = image::embedding(checkpoint)?;
    let tables = Tables { gains, embedding };
    let Outline { mut compiled, graph, map, numerics, descriptors } =
        routines_of(checkpoint.config(), calibration, &tables, overlay, options)?;
    let mut image = vec![
        Segment { base: map.gains, bytes: gain_bytes },
        Segment { base: map.embedding, bytes: embedding_bytes },
        Segment { base: map.rope, bytes: image::rope(checkpoint.config(), options.context) },
    ];
    let ports = image::weights(checkpoint, &graph, &map, &numerics)?;
    image.extend((0..).zip(ports).map(|(port, bytes)| {
        let base = map.weights.base + port * map.weights.stride;
        Segment { base, bytes }
    }));
    image.push(descriptors);
    compiled.program.image = image;
    Ok(compiled)
}

/// Compile a shape of which no weights are at hand: everything but the initial contents of DDR.
pub fn outline(
    config: &ModelConfig,
    overlay: &StreamedConfig,
    options: &CompileOptions,
) -> Result<ModelProgram, CompileError> {
    let tables = Tables {
        gains: gains::all(config).map(|gain| (gain, TYPICAL_FRACTION)).collect(),
        embedding: TYPICAL_FRACTION,
    };
    let outline = routines_of(config, &Calibration::assumed(config), &tables, overlay, options)?;
    Ok(outline.compiled)
}

/// Fraction bits of parameters near one in 16 bits.
const TYPICAL_FRACTION: i32 = 14;

/// Fraction bits of what lies in DDR in 16 bits.
struct Tables {
    gains: BTreeMap<NormGain, i32>,
    embedding: i32,
}

/// A program without its image, and what the image is made from.
struct Outline {
    compiled: ModelProgram,
    graph: Graph,
    map: Map,
    numerics: Numerics,
    descriptors: Segment,
}

fn routines_of(
    config: &ModelConfig,
    calibration: &Calibration,
    tables: &Tables,
    overlay: &StreamedConfig,
    options: &CompileOptions,
) -> Result<Outline, CompileError> {
    options::check_shape(config)?;
    options.check(config, overlay)?;
    let Fit { graph, prefill, decode } = fit(config, overlay, options)?;
    let mut map = Map::new(config, &graph, overlay, options);
    calibration.check(config)?;
    let numerics = Numerics::new(config, calibration, tables.embedding);
    let model = Model {
        config,
        overlay,
        graph: &graph,
        map: &map,
        numerics: &numerics,
        gains: &tables.gains,
        embedding: tables.embedding,
        join_streams: options.fuse.streams,
    };
    let drafts = routines::draft(&model, &prefill, &decode, options.context)?;
    let base = map.finish(overlay, options.context, routines::bytes(&drafts))?;
    let (routines, bytes) = routines::place(drafts, base)?;
    let logits = map.logits.map(|address| Logits { address, fraction: numerics::LOGIT_FRACTION });
    let cache = Cache { base: map.kv.base, port_stride: map.kv.stride, layout: map.kv_layout };
    let regions = map.regions.clone();
    let program = Program { regions, routines, ..Program::of(overlay) };
    let compiled = ModelProgram {
        program,
        context: options.context,
        vocab: config.vocab,
        rows: 1,
        slots: 1,
        logits,
        cache,
        stop: Vec::new(),
    };
    Ok(Outline { compiled, graph, map, numerics, descriptors: Segment { base, bytes } })
}

/// Compile seeded random weights in the shape of a model whose files are not at hand, for counting cycles.
pub fn compile_shape(
    config: ModelConfig,
    seed: u64,
    overlay: &StreamedConfig,
    options: &CompileOptions,
) -> Result<ModelProgram, CompileError> {
    let checkpoint = Checkpoint::random(config, seed)?;
    let calibration = Calibration::assumed(checkpoint.config());
    compile(&checkpoint, &calibration, overlay, options)
}

/// A graph and where its values lie, in prefill and in decode.
struct Fit {
    graph: Graph,
    prefill: Plan,
    decode: Plan,
}

/// The graph with the largest feed-forward tiles that fit the overlay.
fn fit(config: &ModelConfig, overlay: &StreamedConfig, options: &CompileOptions) -> Result<Fit, CompileError> {
    let tiles = (1..=config.ffn / CHUNK_ROWS)
        .filter(|tiles| config.ffn.is_multiple_of(tiles * CHUNK_ROWS))
        .map(|tiles| config.ffn / tiles);
    let mut result = None;
    for ffn_tile in tiles {
        let graph = Graph::new(
            config,
            GraphOptions {
                join_gate_up: options.fuse.gate_up,
                fuse_amax: options.fuse.amax,
                ffn_tile,
                logits: options.logits,
            },
        );
        let plan = |rows| Plan::new(config, &graph, ffn_tile, overlay, rows);
        let plans = plan(CHUNK_ROWS).and_then(|prefill| Ok((prefill, plan(1)?)));
        match plans {
            Ok((prefill, decode)) => {
                return Ok(Fit { graph, prefill, decode });
            }
            Err(e) => result = Some(e),
        }
    }
    Err(result.expect("one tile is always tried"))
}
