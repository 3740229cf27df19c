//! The embedded HDL.
