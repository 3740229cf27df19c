//! A typed hardware builder whose widths are known at run time, with a Verilog printer and an interpreter.
//!
//! A [`Design`] holds modules. [`Design::module`] runs a closure that builds one module through
//! [`Module`]; inside it, [`Signal`]s are cheap copies that name a value of exact width and sign.
//! Mistakes are values: the first one of each module is kept with its source line and reported by
//! [`Design::finish`]. The crate knows no domain.
//!
//! Signals that travel together are a [`bundle!`]; ports that belong together are an [`interface!`], which a module offers
//! as [`Module::master`] or [`Module::slave`] and its parent joins by [`connect`]: names, widths and directions are checked,
//! most of them by rustc.

mod bits;
mod builder;
mod bundle;
mod condition;
mod design;
mod errors;
mod fold;
mod fsm;
mod instance;
mod interface;
mod limbs;
mod manifest;
mod memory;
mod module;
mod names;
mod node;
mod operators;
mod packed;
mod pipeline;
mod register;
mod signal;
pub mod sim;
mod types;
pub mod verilog;

pub use bits::Bits;
pub use bundle::{Bundle, Each, Layout, Outputs, Sinks};
pub use condition::{Switch, When};
pub use design::{BlackBox, Design, Direction, ModuleId, Port, Source};
pub use errors::{BuildError, Errors, Problem};
pub use fsm::{Fsm, StateSwitch};
pub use instance::Instance;
pub use interface::{Interface, InterfaceEntry, Master, Naming, Renamed, Role, Sink, Slave, connect};
pub use manifest::{BlackBoxEntry, InstanceEntry, Manifest, MemoryEntry, ModuleEntry, SourceEntry};
pub use memory::{Mem, RamStyle, Rom};
pub use module::{Module, Output, Wire};
pub use packed::{MemOf, Packed, PackedReg, Slot};
pub use pipeline::Pipeline;
pub use register::Reg;
pub use signal::{Signal, cat, high, lit, low, pack};
pub use sim::{Sim, SimError};
pub use types::{Type, Value, bit, signed, unsigned};
