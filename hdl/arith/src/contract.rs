//! Fixed-point formats that are part of an operation's meaning: whoever makes its operands and whoever computes it have
//! to agree on them.

/// Fraction bits of the input and the output of a gate: its table is cut for them.
pub const GATE_FRACTION: u32 = 12;
/// Fraction bits of attention scores, in units of log2: the exponential's table is cut for them.
pub const SCORE_FRACTION: u32 = 12;
/// Fraction bits of the cosines and sines of a rotation.
pub const ROPE_FRACTION: u32 = 15;
/// Right shift after the first factor of a projection, the scale of the weights' row.
pub const ROW_SHIFT: u32 = 14;
/// Greatest shift of a group of codes. Accumulators count in steps of two to the minus this.
pub const GROUP_SHIFT: u32 = 3;
