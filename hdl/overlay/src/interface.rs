//! AXI interfaces of a top.

/// One AXI interface; its ports are `<name>_<signal>`, with AXI's names of signals in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Name.
    pub name: String,
    /// Bits of its data.
    pub bits: u32,
    /// What it is for.
    pub kind: InterfaceKind,
}

/// What an interface is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InterfaceKind {
    /// AXI4-Lite slave with the registers behind it.
    Registers,
    /// AXI4 master to memory.
    Memory(MemoryMaster),
}

/// A memory master: transfers as wide as its data, incrementing bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryMaster {
    /// Index among the board's ports.
    pub board_port: usize,
    /// It writes too.
    pub writes: bool,
    /// Bursts of reads that may be on their way, for which a port should have room.
    pub reads_outstanding: u32,
    /// Bursts of writes that may be on their way.
    pub writes_outstanding: u32,
    /// Beats of the longest burst.
    pub longest_burst: u32,
}

impl Interface {
    /// What an interconnect may rely on, in the terms of the vendor's IP: without it, one reckons with two bursts at a
    /// time and makes logic for narrow ones.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, u32)> {
        let InterfaceKind::Memory(master) = &self.kind else { return Vec::new() };
        let mut parameters = vec![("NUM_READ_OUTSTANDING", master.reads_outstanding)];
        parameters.extend(master.writes.then_some(("NUM_WRITE_OUTSTANDING", master.writes_outstanding)));
        parameters.extend([("MAX_BURST_LENGTH", master.longest_burst), ("SUPPORTS_NARROW_BURST", 0)]);
        parameters
    }
    /// AXI's name of the signal that a port of the top carries, where it belongs to this interface.
    #[must_use]
    pub fn signal<'a>(&self, port: &'a str) -> Option<&'a str> {
        port.strip_prefix(&self.name)?.strip_prefix('_')
    }
}
