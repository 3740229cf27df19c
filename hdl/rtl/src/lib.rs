//! The hardware, one module per file.
