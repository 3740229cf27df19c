//! Co-simulation of overlays whose weights come from DDR: [`device`] runs programs on the emitted Verilog, [`timeline`]
//! says where the cycles of a run went.

pub mod device;
pub mod timeline;
