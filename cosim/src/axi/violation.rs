//! What the memory model objects to.

use std::fmt;

/// The five AXI channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Read address.
    Ar,
    /// Read data.
    R,
    /// Write address.
    Aw,
    /// Write data.
    W,
    /// Write response.
    B,
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ar => "AR",
            Self::R => "R",
            Self::Aw => "AW",
            Self::W => "W",
            Self::B => "B",
        })
    }
}

/// A rule of AXI, or of the memory map, that the design broke.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("port m{port}, cycle {cycle}, address {address:#x}: {rule}")]
pub struct Violation {
    /// Number of the master port.
    pub port: usize,
    /// Clock cycle since loading.
    pub cycle: u64,
    /// The first address concerned.
    pub address: u64,
    /// Which rule.
    pub rule: Rule,
}

/// The rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// Only INCR bursts of full beats are allowed.
    #[error("{channel} burst type {burst}, size {size}; allowed: type 1 (INCR), size {allowed}")]
    Shape {
        /// AR or AW.
        channel: Channel,
        /// xBURST.
        burst: u8,
        /// xSIZE.
        size: u8,
        /// The size of a full beat.
        allowed: u8,
    },
    /// Bursts stay within 4 KiB.
    #[error("{channel} burst of {bytes} bytes crosses a 4 KiB boundary")]
    Crosses4K {
        /// AR or AW.
        channel: Channel,
        /// From the address to the end of the last beat.
        bytes: u64,
    },
    /// Bursts stay within one region.
    #[error("{channel} burst of {bytes} bytes is not inside one region; {nearest}")]
    OutsideRegions {
        /// AR or AW.
        channel: Channel,
        /// Length.
        bytes: u64,
        /// The region at or below the address.
        nearest: String,
    },
    /// The region forbids it.
    #[error("{channel} burst of {bytes} bytes in region `{region}`, which is not {needed}")]
    Access {
        /// AR or AW.
        channel: Channel,
        /// Length.
        bytes: u64,
        /// The region.
        region: String,
        /// "readable" or "writable".
        needed: &'static str,
    },
    /// A read of bytes that nobody ever wrote.
    #[error("AR burst of {bytes} bytes reads bytes of region `{region}` that were never written")]
    NeverWritten {
        /// Length of the burst.
        bytes: u64,
        /// The region.
        region: String,
    },
    /// The payload must not change while VALID waits for READY.
    #[error("{channel} payload changed while VALID was high and READY low")]
    Unstable {
        /// Which channel.
        channel: Channel,
    },
    /// VALID must stay high until READY.
    #[error("{channel} VALID fell before READY rose")]
    Withdrawn {
        /// Which channel.
        channel: Channel,
    },
    /// WLAST marks the last beat and no other.
    #[error("WLAST is {found} on beat {beat} of a burst of {beats}")]
    Last {
        /// Its value.
        found: u8,
        /// The beat, from 1.
        beat: u64,
        /// Length of the burst.
        beats: u64,
    },
    /// WSTRB below the start address.
    #[error("WSTRB {strobes:#x} selects bytes below the start address of the burst")]
    Strobe {
        /// Its value.
        strobes: u32,
    },
    /// Reads and writes of the same bytes in flight at once have no defined order.
    #[error(
        "{channel} burst of {bytes} bytes overlaps a burst of port m{other} at {other_address:#x} that has not ended"
    )]
    Race {
        /// AR or AW.
        channel: Channel,
        /// Length.
        bytes: u64,
        /// The other port.
        other: usize,
        /// Where the other burst starts.
        other_address: u64,
    },
}
