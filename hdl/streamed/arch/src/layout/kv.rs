//! The key and value cache of every layer and head.
//!
//! Keys, per head: `[block of 16 keys][run of B channels][16 keys][B bytes]`, weight blocks without scales. Values, per
//! head: slabs of B channels, `[slab][context keys][B bytes]`. In each port's region heads follow each other, keys
//! before values, layer by layer.

use sagen_streamed_isa::{BLOCK_ROWS, GROUP};

use super::{Beat, Block, WeightFormat};

/// How keys and values are written.
pub(super) const FORMAT: WeightFormat = WeightFormat::Int8;

/// Byte offsets within each port's cache region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KvLayout {
    /// Cut of a beat.
    pub beat: Beat,
    /// Layers.
    pub layers: usize,
    /// Key and value heads of a layer.
    pub heads: usize,
    /// Channels of a head, a multiple of 64.
    pub head_dim: usize,
    /// Longest sequence, a multiple of 16.
    pub context: usize,
}

impl KvLayout {
    /// Beats of one key or value row of a head: runs of channels, slabs.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.head_dim / self.beat.channels(FORMAT)
    }

    /// Bytes of one head's keys, or values.
    #[must_use]
    pub fn head_bytes(&self) -> usize {
        self.runs() * self.context * self.beat.port_bytes
    }

    /// Bytes of a port's region.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.layers * 2 * self.heads * self.head_bytes()
    }

    /// A layer's keys of head 0.
    #[must_use]
    pub fn keys(&self, layer: usize) -> usize {
        layer * 2 * self.heads * self.head_bytes()
    }

    /// A layer's values of head 0.
    #[must_use]
    pub fn values(&self, layer: usize) -> usize {
        self.keys(layer) + self.heads * self.head_bytes()
    }

    /// A block of 16 keys of a head.
    #[must_use]
    pub fn block(&self) -> Block {
        Block::keys(self.head_dim / GROUP)
    }

    /// From one run of channels of a key block to the next.
    #[must_use]
    pub fn run_bytes(&self) -> usize {
        BLOCK_ROWS * self.beat.port_bytes
    }

    /// From one slab of values to the next.
    #[must_use]
    pub fn slab_bytes(&self) -> usize {
        self.context * self.beat.port_bytes
    }

    /// Port and offset of one channel of a key.
    #[must_use]
    pub fn key_at(&self, layer: usize, head: usize, position: usize, channel: usize) -> (usize, usize) {
        let (run, port, byte) = self.split(channel);
        let block = position / BLOCK_ROWS * self.block().bytes(self.beat) + run * self.run_bytes();
        let row = position % BLOCK_ROWS * self.beat.port_bytes;
        (port, self.keys(layer) + head * self.head_bytes() + block + row + byte)
    }

    /// Port and offset of one channel of a value.
    #[must_use]
    pub fn value_at(&self, layer: usize, head: usize, position: usize, channel: usize) -> (usize, usize) {
        let (slab, port, byte) = self.split(channel);
        let row = slab * self.slab_bytes() + position * self.beat.port_bytes;
        (port, self.values(layer) + head * self.head_bytes() + row + byte)
    }

    /// Run, port and byte of a channel.
    fn split(&self, channel: usize) -> (usize, usize, usize) {
        let channels = self.beat.channels(FORMAT);
        let byte = channel % channels * FORMAT.bits() / 8;
        (channel / channels, byte / self.beat.port_bytes, byte % self.beat.port_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_byte_of_the_cache_belongs_to_one_channel() {
        for beat in [Beat { port_bytes: 16, ports: 4 }, Beat { port_bytes: 8, ports: 1 }] {
            let kv = KvLayout { beat, layers: 2, heads: 3, head_dim: 128, context: 32 };
            let mut seen = BTreeSet::new();
            for i in 0..kv.layers * kv.heads * kv.context * kv.head_dim {
                let (channel, rest) = (i % kv.head_dim, i / kv.head_dim);
                let (position, rest) = (rest % kv.context, rest / kv.context);
                let (head, layer) = (rest % kv.heads, rest / kv.heads);
                assert!(seen.insert(kv.key_at(layer, head, position, channel)));
                assert!(seen.insert(kv.value_at(layer, head, position, channel)));
            }
            assert_eq!(seen.len(), kv.bytes() * beat.ports);
            assert_eq!(seen.iter().map(|s| s.1).max(), Some(kv.bytes() - 1));
        }
    }

    #[test]
    fn a_block_of_keys_streams_as_a_weight_block_without_scales() {
        let beat = Beat { port_bytes: 16, ports: 4 };
        let kv = KvLayout { beat, layers: 1, heads: 1, head_dim: 128, context: 32 };
        // Beat 16 + 3 of block 1 is key 16 + 3, channels 64..128.
        let beat_bytes = (32 + 16 + 3) * beat.port_bytes;
        assert_eq!(kv.key_at(0, 0, 19, 64 + 17), (1, beat_bytes + 1));
    }
}
