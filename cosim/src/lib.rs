//! Co-simulation of the emitted Verilog: [`verilate`] turns a build folder into a shared object, [`simulator`] emits and
//! builds an overlay, [`bridge`] loads and clocks it, [`axi`] is the memory behind its ports, [`rig`] puts them together,
//! [`doctor`] checks the machine, [`streamed`] is a family of overlays on this bench.

pub mod axi;
pub mod bridge;
pub mod doctor;
pub mod rig;
pub mod simulator;
pub mod streamed;
pub mod verilate;
