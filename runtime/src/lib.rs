//! Checkpoints, compiler, token generation.
