//! How a board's DDR answers, for those who simulate it and those who predict it.

/// Timing of a DDR behind the processing system's ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DdrTiming {
    /// From a read address to its first beat.
    pub read_latency_ns: u64,
    /// From the last beat of a write to its response.
    pub write_latency_ns: u64,
    /// Bursts that a port accepts before the first has ended.
    pub outstanding: usize,
    /// From one refresh to the next.
    pub refresh_period_ps: u64,
    /// How long a refresh stops all beats.
    pub refresh_stall_ps: u64,
    /// What all ports share.
    pub bytes_per_second: u64,
}

/// The DDR4 of a KV260. The refresh is calibrated: 794 MB/s of a 64-bit port at 100 MHz, 397 MB/s at 50 MHz. Its stall is
/// what remains of 350 ns after the controller's queues have hidden most of it. Latencies and outstanding bursts are
/// assumptions.
pub const KV260: DdrTiming = DdrTiming {
    read_latency_ns: 250,
    write_latency_ns: 150,
    outstanding: 16,
    refresh_period_ps: 7_800_000,
    refresh_stall_ps: 60_000,
    bytes_per_second: 19_200_000_000,
};
