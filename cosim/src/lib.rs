//! Co-simulation of the emitted Verilog.
