//! Counters of one port.

use std::ops::Sub;

/// What a port did, in clock cycles and beats.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PortStats {
    /// Read bursts accepted.
    pub read_bursts: u64,
    /// Read beats delivered.
    pub read_beats: u64,
    /// Cycles in which a read burst was outstanding.
    pub read_busy: u64,
    /// Cycles with ARVALID high and ARREADY low.
    pub ar_wait: u64,
    /// Cycles with RVALID high and RREADY low: the design was not ready.
    pub r_stall: u64,
    /// Write bursts accepted.
    pub write_bursts: u64,
    /// Write beats taken.
    pub write_beats: u64,
    /// Cycles in which a write burst was outstanding.
    pub write_busy: u64,
    /// Cycles with AWVALID high and AWREADY low.
    pub aw_wait: u64,
    /// Cycles with WVALID high and WREADY low.
    pub w_wait: u64,
}

impl PortStats {
    /// Cycles in which the memory owed read data and had none to offer: latency, refresh, bandwidth.
    pub fn r_starved(&self) -> u64 {
        self.read_busy.saturating_sub(self.read_beats + self.r_stall)
    }
}

/// The difference between two readings.
impl Sub for PortStats {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            read_bursts: self.read_bursts - earlier.read_bursts,
            read_beats: self.read_beats - earlier.read_beats,
            read_busy: self.read_busy - earlier.read_busy,
            ar_wait: self.ar_wait - earlier.ar_wait,
            r_stall: self.r_stall - earlier.r_stall,
            write_bursts: self.write_bursts - earlier.write_bursts,
            write_beats: self.write_beats - earlier.write_beats,
            write_busy: self.write_busy - earlier.write_busy,
            aw_wait: self.aw_wait - earlier.aw_wait,
            w_wait: self.w_wait - earlier.w_wait,
        }
    }
}
