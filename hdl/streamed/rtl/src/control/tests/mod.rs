//! The control block against a rude host, the course of a program, descriptor fetch and scheduler by themselves.

mod fetch;
mod host;
mod rude;
mod scheduler;
mod state;
