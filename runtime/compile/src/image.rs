//! Initial contents of DDR: weight blocks, gains and tables. Built once, in parallel, straight into their place.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;
use sagen_arith::scale::Scale;
use sagen_streamed_isa::BLOCK_ROWS;

use super::map::{Map, rope_bytes};
use super::numerics::{LayerNumerics, Numerics};
use super::{gains, permute, quantise};
use crate::graph::Graph;
use sagen_checkpoint::model::{LayerTensor, ModelConfig, NormGain, TensorName};
use sagen_checkpoint::weights::{Checkpoint, Matrix, WeightsError};
use sagen_streamed_arch::layout::{Beat, Block};

/// Rows of one tensor and where they go in each port's region.
struct Piece<'a> {
    block: Block,
    rows: Range<usize>,
    ports: Vec<&'a mut [u8]>,
}

/// Contents of each port's weight region.
pub(crate) fn weights(
    checkpoint: &Checkpoint,
    graph: &Graph,
    map: &Map,
    numerics: &Numerics,
) -> Result<Vec<Vec<u8>>, WeightsError> {
    let beat = map.kv_layout.beat;
    let bytes = map.matrices.last().map_or(0, |m| m.at + m.bytes);
    let mut ports = vec![vec![0; bytes]; beat.ports];
    let mut by_tensor: BTreeMap<TensorName, Vec<Piece<'_>>> = BTreeMap::new();
    let mut rest: Vec<&mut [u8]> = ports.iter_mut().map(Vec::as_mut_slice).collect();
    for (matrix, placed) in graph.matrices.iter().zip(&map.matrices) {
        for part in &matrix.parts {
            let bytes = part.rows.len().div_ceil(BLOCK_ROWS) * placed.block.bytes(beat);
            let taken = rest.iter_mut().map(|port| cut(port, bytes)).collect();
            by_tensor.entry(part.tensor).or_default().push(Piece {
                block: placed.block,
                rows: part.rows.clone(),
                ports: taken,
            });
        }
    }
    let config = checkpoint.config();
    by_tensor.into_par_iter().try_for_each(|(name, pieces)| {
        let tensor = checkpoint.tensor(name)?;
        let rows = Rows { config, numerics, name, tensor: &tensor };
        pieces.into_iter().for_each(|piece| rows.fill(beat, piece));
        Ok(())
    })?;
    Ok(ports)
}

fn cut<'a>(rest: &mut &'a mut [u8], bytes: usize) -> &'a mut [u8] {
    rest.split_off_mut(..bytes).expect("the region holds all matrices")
}

/// A tensor's rows in the order and size in which the hardware wants them.
struct Rows<'a> {
    config: &'a ModelConfig,
    numerics: &'a Numerics,
    name: TensorName,
    tensor: &'a Matrix,
}

impl Rows<'_> {
    fn fill(&self, beat: Beat, mut piece: Piece<'_>) {
        let columns = self.tensor.columns;
        let (block, bytes) = (piece.block, piece.block.bytes(beat));
        let count = piece.rows.len().div_ceil(BLOCK_ROWS);
        let mut blocks: Vec<Vec<&mut [u8]>> = (0..count).map(|_| Vec::new()).collect();
        for port in &mut piece.ports {
            for (ports, part) in blocks.iter_mut().zip(port.chunks_exact_mut(bytes)) {
                ports.push(part);
            }
        }
        let space = || vec![0i8; BLOCK_ROWS * columns];
        blocks.into_par_iter().enumerate().for_each_init(space, |codes, (index, mut ports)| {
            let first = piece.rows.start + index * BLOCK_ROWS;
            let mut rows = codes.chunks_exact_mut(columns);
            let scales = std::array::from_fn(|i| {
                let codes = rows.next().expect("a block has 16 rows");
                if first + i < piece.rows.end {
                    return self.row(first + i, codes);
                }
                codes.fill(0);
                Scale::default()
            });
            block.pack(beat, codes, &scales, &mut ports);
        });
    }

    /// Row `row` as the hardware counts.
    fn row(&self, row: usize, codes: &mut [i8]) -> Scale {
        let (layer, tensor) = match self.name {
            TensorName::Layer(layer, tensor) => (layer, tensor),
            TensorName::Embed | TensorName::Norm(_) | TensorName::Head => {
                return quantise::row(self.tensor.row(row), 1.0, codes);
            }
        };
        let (config, layer) = (self.config, &self.numerics.layers[layer]);
        let (source, fold): (usize, Fold) = match tensor {
            LayerTensor::Q => (self.turned(row), LayerNumerics::query_fold),
            LayerTensor::K => (self.turned(row), LayerNumerics::key_fold),
            LayerTensor::V => (row, LayerNumerics::value_fold),
            LayerTensor::O | LayerTensor::Gate | LayerTensor::Up | LayerTensor::Down => {
                return quantise::row(self.tensor.row(row), 1.0, codes);
            }
        };
        quantise::row(self.tensor.row(source), fold(layer, config, source), codes)
    }

    /// The checkpoint's row that becomes `row` after the channels of each head are put in RoPE's order.
    fn turned(&self, row: usize) -> usize {
        let head_dim = self.config.head_dim;
        let (head, channel) = (row / head_dim, row % head_dim);
        head * head_dim + permute::source(self.config.rope.pairing, head_dim, channel)
    }
}

/// With more the scale of normed codes could leave its exponent's 8 bits.
const MOST_GAIN_FRACTION: i32 = 60;
/// More would fall below the residual stream's own.
const MOST_EMBEDDING_FRACTION: i32 = 30;

type Fold = fn(&LayerNumerics, &ModelConfig, usize) -> f64;

/// Gains of all norms in their order, and the fraction bits of each.
pub(crate) fn gains(checkpoint: &Checkpoint) -> Result<(Vec<u8>, BTreeMap<NormGain, i32>), WeightsError> {
    let (mut bytes, mut fractions) = (Vec::new(), BTreeMap::new());
    for gain in gains::all(checkpoint.config()) {
        let half = quantise::half(&checkpoint.tensor(TensorName::Norm(gain))?.data, MOST_GAIN_FRACTION);
        bytes.extend_from_slice(&half.bytes);
        fractions.insert(gain, half.fraction);
    }
    Ok((bytes, fractions))
}

/// Embedding rows in 16 bits, scaled as the model wants them, and their fraction bits.
pub(crate) fn embedding(checkpoint: &Checkpoint) -> Result<(Vec<u8>, i32), WeightsError> {
    let mut embed = checkpoint.tensor(TensorName::Embed)?;
    let scale = checkpoint.config().embed_scale;
    if scale != 1.0 {
        embed.data.par_iter_mut().for_each(|x| *x *= scale);
    }
    let rows = embed.data.par_chunks(embed.columns);
    let greatest = rows.clone().map(|row| row.iter().fold(0f32, |m, x| m.max(x.abs()))).reduce(|| 0.0, f32::max);
    let fraction = quantise::half_fraction(greatest, MOST_EMBEDDING_FRACTION);
    let mut bytes = vec![0; 2 * embed.data.len()];
    bytes.par_chunks_mut(2 * embed.columns).zip(rows).for_each(|(out, row)| quantise::half_into(row, fraction, out));
    Ok((bytes, fraction))
}

/// Cosines and sines of every position: words of 16 cosines, then 16 sines.
pub(crate) fn rope(config: &ModelConfig, context: usize) -> Vec<u8> {
    let mut bytes = vec![0; context * rope_bytes(config)];
    let frequencies = config.rope.frequencies(config.head_dim);
    bytes.par_chunks_exact_mut(rope_bytes(config)).enumerate().for_each(|(position, row)| {
        for (word, pairs) in row.chunks_exact_mut(64).zip(frequencies.chunks_exact(16)) {
            for (lane, frequency) in pairs.iter().enumerate() {
                let (sin, cos) = (frequency * position as f64).sin_cos();
                word[2 * lane..][..2].copy_from_slice(&quantise::q15(cos).to_le_bytes());
                word[32 + 2 * lane..][..2].copy_from_slice(&quantise::q15(sin).to_le_bytes());
            }
        }
    });
    bytes
}
