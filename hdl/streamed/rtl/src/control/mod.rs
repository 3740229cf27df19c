//! Control: registers behind AXI4-Lite, descriptor fetch, scheduler.

mod counters;
pub mod csr;
pub mod fetch;
mod program;
pub mod scheduler;
pub mod step_registers;

#[cfg(test)]
mod tests;
