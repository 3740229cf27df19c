//! A typed hardware builder whose widths are known at run time, with a Verilog printer and an interpreter.
//!
//! A [`Design`] holds modules. [`Design::module`] runs a closure that builds one module through
//! [`Module`]; inside it, [`Signal`]s are cheap copies that name a value of exact width and sign.
//! Mistakes are values: the first one of each module is kept with its source line and reported by
//! [`Design::finish`]. The crate knows no domain.

mod bits;
mod builder;
mod condition;
mod design;
mod errors;
mod fold;
mod fsm;
mod instance;
mod limbs;
mod manifest;
mod memory;
mod module;
mod names;
mod node;
mod operators;
mod register;
mod signal;
pub mod sim;
mod types;
pub mod verilog;

pub use bits::Bits;
pub use condition::{Switch, When};
pub use design::{BlackBox, Design, Direction, ModuleId, Port};
pub use errors::{BuildError, Errors, Problem};
pub use fsm::{Fsm, StateSwitch};
pub use instance::Instance;
pub use manifest::{BlackBoxEntry, InstanceEntry, Manifest, ModuleEntry};
pub use memory::{Mem, RamStyle, Rom};
pub use module::{Module, Wire};
pub use register::Reg;
pub use signal::{Signal, cat, high, lit, low, pack};
pub use sim::{Sim, SimError};
pub use types::{Type, Value, bit, signed, unsigned};
