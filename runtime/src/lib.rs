//! From an ordinary checkpoint to generated tokens.
//!
//! [`registry`] finds a model's files, [`weights`] and [`model`] read them into canonical f32 tensors,
//! [`tokenize`] turns text into ids and back, and [`mod@reference`] runs the model in f32 on the host as the yardstick.
//! [`graph`] says what a model computes, [`compile`] turns it into a program for an overlay, [`generate`] drives a
//! device that holds one, and [`predict`] says how long it takes.

pub mod compile;
pub mod generate;
pub mod graph;
pub mod model;
pub mod reference;
pub mod registry;
pub mod shape;
pub mod tokenize;
pub mod weights;
