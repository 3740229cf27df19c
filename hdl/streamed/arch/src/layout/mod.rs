//! How tensors lie in DDR: the order in which the stream delivers them, cut over the stream ports.
//!
//! A beat is one transfer of each port, port 0 lowest. Port `p` holds bytes `p * port_bytes..` of every beat, so a
//! run of beats is one contiguous run in each port's region.

mod block;
mod kv;

pub use block::{Block, WEIGHTS, WeightFormat};
pub use kv::KvLayout;

/// The cut of a beat over the ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Bytes of one transfer of one port.
    pub port_bytes: usize,
    /// Stream ports.
    pub ports: usize,
}

impl Beat {
    /// One port of that many bytes: what stands behind the FIFO sees a beat whole.
    #[must_use]
    pub const fn whole(bytes: usize) -> Self {
        Self { port_bytes: bytes, ports: 1 }
    }

    /// Bytes of a beat.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.port_bytes * self.ports
    }

    /// Channels of a beat of codes.
    #[must_use]
    pub const fn channels(self, format: WeightFormat) -> usize {
        8 * self.bytes() / format.bits()
    }
}
