//! How tensors lie in DDR: the order in which the stream delivers them, cut over the stream ports.
//!
//! A beat is one transfer of each port, port 0 lowest. Port `p` holds bytes `p * port_bytes..` of every beat, so a
//! run of beats is one contiguous run in each port's region.

mod block;
mod kv;

pub use block::{block_bytes, pack_block};
pub use kv::KvLayout;

use crate::StreamedConfig;
use sagen_streamed_isa::{GROUP, WORD_BYTES};

/// The cut of a beat over the ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Bytes of one transfer of one port.
    pub port_bytes: usize,
    /// Stream ports.
    pub ports: usize,
}

impl Beat {
    /// The cut of an overlay.
    #[must_use]
    pub fn of(overlay: &StreamedConfig) -> Self {
        Self { port_bytes: overlay.port_bytes(), ports: overlay.stream_ports() }
    }

    /// Bytes of a beat.
    #[must_use]
    pub fn bytes(self) -> usize {
        self.port_bytes * self.ports
    }

    /// Beats that hold the 16 scales of a block.
    #[must_use]
    pub fn scale_beats(self) -> usize {
        WORD_BYTES / self.bytes()
    }

    /// Beats of one row of a group.
    #[must_use]
    pub fn group_beats(self) -> usize {
        GROUP / self.bytes()
    }
}
