//! Models as they are published: files and their formats, families, tokenizers, the registry, and the float reference.

pub mod model;
pub mod reference;
pub mod registry;
pub mod shape;
pub mod tokenizer;
pub mod weights;
