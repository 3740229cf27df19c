//! The control block against a rude host, and the course of a program.

mod host;
mod rude;
mod state;
