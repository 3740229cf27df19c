//! Control: CSR block, descriptor fetch, scheduler.

pub mod csr;
pub mod fetch;
pub mod scheduler;
pub mod step_registers;
