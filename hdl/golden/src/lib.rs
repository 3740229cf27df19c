//! The bit-exact golden model.
