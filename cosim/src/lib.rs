//! Co-simulation of the emitted Verilog: [`verilate`] turns a build folder into a shared object, [`bridge`] loads and
//! clocks it, [`axi`] is the memory behind its ports, [`rig`] puts them together, [`doctor`] checks the machine,
//! [`timeline`] says where the cycles of a run went.

pub mod axi;
pub mod bridge;
pub mod device;
pub mod doctor;
pub mod rig;
pub mod timeline;
pub mod verilate;
