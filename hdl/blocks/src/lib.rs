//! Hardware that several families of overlays use, a module or a part of one in each file. The hardware of an operation
//! of `hdl/arith` lies at the path of its file there.

pub mod axi;
mod depth;
pub mod fifo;
pub mod multiply;
pub mod register_bus;
pub mod requant;
pub mod scale;
pub mod sfu;

pub use depth::Depth;
