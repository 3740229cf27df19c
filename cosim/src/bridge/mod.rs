//! A Verilated design at run time: loaded from its shared object, clocked, its ports reached through raw pointers.
//!
//! Convention: everything in the design happens on the rising edge of `clk`. A cycle is [`Sim::settle`] (clock low, the
//! inputs driven since the last edge take effect, outputs may be sampled) and [`Sim::edge`] (rising edge). Inputs are
//! driven after the edge, as registers would: two evaluations per cycle.

mod ffi;
mod sim;

pub(crate) use ffi::storage_bytes;
pub use ffi::{Bus, Port, Word};
pub use sim::{BridgeError, Sim, TraceWindow};
