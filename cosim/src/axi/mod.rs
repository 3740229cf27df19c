//! The memory behind the design's AXI ports: timing, protocol checks, statistics; and the AXI4-Lite master of the host.
//!
//! Everything the memory drives is registered: it samples the design before a rising edge and drives after it, so no
//! combinational path leads from the design's outputs back to its inputs and one settling evaluation is enough.
//!
//! Names at the top of a design: master `i` has `m{i}_axi_*` (addresses 40 bits, data 32, 64 or 128), without IDs, every
//! port in order; a port without the `aw`, `w`, `b` signals only reads. The register slave is `s_axi_*` (16-bit addresses).
//! Differences from a full AXI slave: write data is taken only after its address.
//!
//! The memory is not reset with the design, like the ports of a processing system: what was asked for before a reset is
//! answered after it.

mod ddr;
mod failure;
mod lite;
mod memory;
mod profile;
mod read;
mod stats;
mod violation;
mod write;

pub use ddr::{Ddr, DdrError};
pub use failure::{Access, Failure, Response};
pub use lite::{CsrError, CsrMaster};
pub use memory::{Memory, MemoryError, Region, Written};
pub use profile::{Conditions, Profile, ProfileError};
pub use stats::PortStats;
pub use violation::{Channel, Rule, Violation};
