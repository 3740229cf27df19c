//! How a board's DDR answers, for those who simulate it and those who predict it.

use serde::{Deserialize, Serialize};

/// Timing of a DDR behind the processing system's ports.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct DdrTiming {
    /// Peak bandwidth, which all ports share, in MB/s.
    pub mb_per_s: u64,
    /// From a read address to its first beat.
    pub read_latency_ns: u64,
    /// From the last beat of a write to its response.
    pub write_latency_ns: u64,
    /// Bursts that a port accepts before the first has ended.
    pub outstanding: usize,
    /// From one refresh to the next.
    pub refresh_period_ns: u64,
    /// How long a refresh stops all beats.
    pub refresh_stall_ns: u64,
}
