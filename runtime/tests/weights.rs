//! Weights out of the usual range: a model with them runs and agrees with the float reference, or is refused with the
//! tensor, the place, the value and what is allowed.

use std::sync::Arc;

use sagen_checkpoint::model::{LayerNorm, LayerTensor, ModelConfig, NormGain, TensorName};
use sagen_checkpoint::reference::Reference;
use sagen_checkpoint::weights::Checkpoint;
use sagen_compile::{Calibration, CompileOptions, compile};
use sagen_runtime::quality::{self, Quality};
use sagen_streamed_arch::StreamedConfig;
use small::{LARGE, overlay};

mod small;
#[path = "../checkpoint/tests/tiny/mod.rs"]
mod tiny;

/// One tensor of each kind, by name in a Hugging Face checkpoint.
const KINDS: [TensorName; 12] = [
    TensorName::Embed,
    TensorName::Head,
    TensorName::Norm(NormGain::Final),
    TensorName::Norm(NormGain::Layer(0, LayerNorm::Attention)),
    TensorName::Norm(NormGain::Layer(0, LayerNorm::FeedForward)),
    TensorName::Layer(0, LayerTensor::Q),
    TensorName::Layer(0, LayerTensor::K),
    TensorName::Layer(0, LayerTensor::V),
    TensorName::Layer(0, LayerTensor::O),
    TensorName::Layer(0, LayerTensor::Gate),
    TensorName::Layer(0, LayerTensor::Up),
    TensorName::Layer(0, LayerTensor::Down),
];

/// Four query heads, so that one can be pruned, and a head of its own.
fn shape() -> ModelConfig {
    ModelConfig { hidden: 64, ffn: 64, heads: 4, kv_heads: 2, vocab: 96, tied_embeddings: false, ..small::config() }
}

struct Bench {
    overlay: StreamedConfig,
    folder: tempfile::TempDir,
    tensors: tiny::HfTensors,
}

impl Bench {
    fn new() -> Self {
        let tensors = tiny::hf_tensors_of(&Checkpoint::random(shape(), 3).unwrap());
        let folder = tempfile::tempdir().unwrap();
        Self { overlay: overlay(LARGE), folder, tensors }
    }

    /// The model after a change of one tensor: how well it runs, or why it does not.
    fn run(&self, name: TensorName, change: impl Fn(&mut [f32])) -> Result<Quality, String> {
        let mut tensors = self.tensors.clone();
        change(&mut tensors.get_mut(&tiny::hf_name(name)).unwrap().1);
        tiny::write_hf(self.folder.path(), &tiny::hf_config_of(&shape()), &tensors);
        let checkpoint = Checkpoint::open(self.folder.path()).unwrap();
        let tokens: Vec<u32> = (0..20).map(|i| i * 61 % 96).collect();
        let reference = Reference::load(&checkpoint).map_err(|e| e.to_string())?;
        let calibration = Calibration::measure_tokens(&reference, std::slice::from_ref(&tokens));
        let calibration = calibration.map_err(|e| e.to_string())?;
        let options = CompileOptions { logits: true, ..small::options() };
        let compiled = compile(&checkpoint, &calibration, &self.overlay, &options).map_err(|e| e.to_string())?;
        Ok(quality::on_golden(&self.overlay, &Arc::new(compiled), &checkpoint, &tokens).unwrap())
    }
}

fn scaled(factor: f32) -> impl Fn(&mut [f32]) {
    move |weights| weights.iter_mut().for_each(|w| *w *= factor)
}

fn close(quality: &Quality) -> bool {
    quality.positions == 20 && quality.kl.is_finite() && quality.kl < 0.02
}

#[test]
fn tensors_that_are_zero_or_tiny_run_as_in_the_reference() {
    let bench = Bench::new();
    for name in KINDS {
        for factor in [0.0, 1e-45, 1e-38, 1e-30, 1e-20, 1e-12, 1e-6, 0.1] {
            let quality = bench.run(name, scaled(factor)).unwrap();
            // A small embedding has few of the fixed point's bits; that it runs is what is asked for.
            assert!(close(&quality) || name == TensorName::Embed, "{name} x {factor:e}: {quality:?}");
        }
    }
}

#[test]
fn pruned_rows_and_heads_run_as_in_the_reference() {
    let bench = Bench::new();
    for name in KINDS {
        // A row of every projection has 64 columns; a head is as many rows.
        for count in [1, 64, 64 * 64] {
            let quality = bench.run(name, |w| {
                let count = count.min(w.len());
                w[..count].fill(0.0);
            });
            assert!(close(quality.as_ref().unwrap()), "{name}, {count} zeros: {quality:?}");
        }
    }
}

#[test]
fn great_weights_run_or_are_refused_by_tensor_value_and_range() {
    let bench = Bench::new();
    for name in KINDS {
        for factor in [10.0, 1e3, 1e6, 1e9, 1e12, 1e20, 1e30, 1e38, f32::MAX] {
            match bench.run(name, scaled(factor)) {
                Ok(quality) => assert!(quality.kl.is_finite() && factor < 1e20, "{name} x {factor:e}: {quality:?}"),
                // Where the product of two tensors is too great, the second is named.
                Err(message) => assert!(message.contains("tensor `") && message.contains("must be"), "{message}"),
            }
        }
        assert!(bench.run(name, scaled(3.0)).is_ok(), "{name}");
    }
}

#[test]
fn single_weights_that_are_no_numbers_or_too_great_are_refused_by_place() {
    let bench = Bench::new();
    for name in KINDS {
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1e38, 1e30] {
            let message = bench.run(name, |weights| weights[5] = value).unwrap_err();
            for part in [&tiny::hf_name(name), "row 0, column 5", "must be within -1e9..=1e9"] {
                assert!(message.contains(part), "{name} = {value}: {message}");
            }
        }
    }
}
