//! Where the gains of norms lie, in DDR and on the chip: those of a layer follow each other in the order of their use,
//! layer after layer, and the final norm counts as the layer after the last. A gain has 16 bits.

use sagen_checkpoint::model::{LayerNorm, ModelConfig, NormGain};

/// Norms of a layer in their order; the layer after the last has the final norm.
pub(crate) fn of_layer(config: &ModelConfig, layer: usize) -> Vec<NormGain> {
    if layer == config.layers {
        return vec![NormGain::Final];
    }
    let heads: &[LayerNorm] = if config.qk_norm { &[LayerNorm::Query, LayerNorm::Key] } else { &[] };
    let norms = [LayerNorm::Attention].into_iter().chain(heads.iter().copied()).chain([LayerNorm::FeedForward]);
    norms.map(|norm| NormGain::Layer(layer, norm)).collect()
}

/// All norms in the order of their gains.
pub(crate) fn all(config: &ModelConfig) -> impl Iterator<Item = NormGain> + '_ {
    (0..=config.layers).flat_map(|layer| of_layer(config, layer))
}

/// Bytes of the gains of one norm.
fn bytes(config: &ModelConfig, gain: NormGain) -> usize {
    2 * config.norm_width(gain)
}

/// Bytes of the gains of one layer.
pub(crate) fn layer_bytes(config: &ModelConfig, layer: usize) -> usize {
    of_layer(config, layer).into_iter().map(|gain| bytes(config, gain)).sum()
}

/// Bytes before the gains of a layer.
pub(crate) fn layer_at(config: &ModelConfig, layer: usize) -> usize {
    (0..layer).map(|layer| layer_bytes(config, layer)).sum()
}

/// Layer of a norm's gains, and bytes before them among that layer's.
pub(crate) fn at(config: &ModelConfig, gain: NormGain) -> (usize, usize) {
    let layer = match gain {
        NormGain::Layer(layer, _) => layer,
        NormGain::Final => config.layers,
    };
    let before = of_layer(config, layer).into_iter().take_while(|other| *other != gain);
    (layer, before.map(|gain| bytes(config, gain)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::config;

    #[test]
    fn gains_follow_each_other_without_gaps_and_the_final_norm_is_last() {
        for qk_norm in [false, true] {
            let config = ModelConfig { qk_norm, ..config() };
            let mut next = 0;
            for gain in all(&config) {
                let (layer, before) = at(&config, gain);
                assert_eq!(layer_at(&config, layer) + before, next, "{gain:?}");
                next += bytes(&config, gain);
            }
            assert_eq!(all(&config).last(), Some(NormGain::Final));
            assert_eq!(layer_at(&config, config.layers + 1), next);
        }
    }
}
