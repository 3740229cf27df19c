//! The order of a head's channels that RoPE works on: the first halves of 16 pairs, then their second halves.

use sagen_checkpoint::model::RopePairing;
use sagen_streamed_isa::LANES;

/// The checkpoint's channel that becomes channel `channel` of a head.
pub(crate) fn source(pairing: RopePairing, head_dim: usize, channel: usize) -> usize {
    let (block, within) = (channel / (2 * LANES), channel % (2 * LANES));
    let (second, lane) = (within / LANES, within % LANES);
    let pair = block * LANES + lane;
    match pairing {
        RopePairing::Interleaved => 2 * pair + second,
        RopePairing::HalfSplit => pair + second * head_dim / 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lane_l_of_two_neighbouring_words_is_one_pair() {
        for pairing in [RopePairing::Interleaved, RopePairing::HalfSplit] {
            let order: Vec<usize> = (0..128).map(|c| source(pairing, 128, c)).collect();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..128));
            let pair = |channel| super::super::calibration::pair_of(pairing, 128, channel);
            for block in 0..4 {
                for lane in 0..16 {
                    let (a, b) = (order[32 * block + lane], order[32 * block + 16 + lane]);
                    assert_eq!((pair(a), pair(b)), (16 * block + lane, 16 * block + lane));
                    assert!(a < b);
                }
            }
        }
    }
}
