//! The fields of an overlay config: meaning and allowed values, one table for checks, messages and new configs.

use crate::overlay::{StreamedError, StreamedFile};
use std::fmt::{self, Display, Formatter};

/// Values that a number may have, apart from what other fields and the board allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// One of a list.
    OneOf(&'static [u32]),
    /// Any in a range, both ends included.
    Range(u32, u32),
    /// A power of two in a range, both ends included.
    PowerOfTwo(u32, u32),
    /// A multiple of the first in the range of the others, both ends included.
    MultipleOf(u32, u32, u32),
}

impl Display for Allowed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneOf(values) => f.write_str(&list(values)),
            Self::Range(min, max) => write!(f, "{min} to {max}"),
            Self::PowerOfTwo(min, max) => write!(f, "a power of two, {min} to {max}"),
            Self::MultipleOf(of, min, max) => write!(f, "a multiple of {of}, {min} to {max}"),
        }
    }
}

fn list(values: &[u32]) -> String {
    values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// A number in an overlay config.
#[derive(Clone, Copy, Debug)]
pub struct NumberField {
    /// Path, with dots.
    pub path: &'static str,
    /// What it is, and what else it depends on.
    pub doc: &'static str,
    /// Values allowed.
    pub allowed: Allowed,
    /// Where it is.
    pub value: fn(&StreamedFile) -> u32,
}

/// Every number, in the order of the file.
pub const NUMBERS: [NumberField; 11] = [
    NumberField {
        path: "clock_mhz",
        doc: "Clock in MHz; the board must be able to make it. Up to 125 MHz the pipelines are short, above they are deep.",
        allowed: Allowed::Range(10, 300),
        value: |f| f.clock_mhz,
    },
    NumberField {
        path: "array.side",
        doc: "Rows and columns of one systolic array, which serves prefill.",
        allowed: Allowed::OneOf(&[8, 16, 32]),
        value: |f| f.array.side,
    },
    NumberField {
        path: "array.count",
        doc: "Arrays side by side; more than one takes side x count channels, at most the bytes of a beat.",
        allowed: Allowed::OneOf(&[1, 2, 4]),
        value: |f| f.array.count,
    },
    NumberField {
        path: "ports.width",
        doc: "Data bits of each memory port, at most those of the board's ports.",
        allowed: Allowed::OneOf(&[32, 64, 128]),
        value: |f| f.ports.width,
    },
    NumberField {
        path: "ports.total",
        doc: "Memory ports: those of the stream, then one for loads and stores and one for descriptors, where there are more.",
        allowed: Allowed::Range(1, 8),
        value: |f| f.ports.total,
    },
    NumberField {
        path: "ports.stream",
        doc: "Ports that feed weights, keys and values; stream x width is a beat of at most 64 bytes.",
        allowed: Allowed::OneOf(&[1, 2, 4]),
        value: |f| f.ports.stream,
    },
    NumberField {
        path: "vector_lanes",
        doc: "Lanes of the vector unit; a word of 16 elements takes 16 / lanes cycles.",
        allowed: Allowed::OneOf(&[4, 8, 16]),
        value: |f| f.vector_lanes,
    },
    NumberField {
        path: "prefetch_bytes",
        doc: "Bytes of the prefetch FIFOs, over all stream ports.",
        allowed: Allowed::PowerOfTwo(4096, 1 << 20),
        value: |f| f.prefetch_bytes,
    },
    NumberField {
        path: "scratchpad.vector_words",
        doc: "Words of 64 bytes for 32-bit elements.",
        allowed: Allowed::MultipleOf(512, 1024, 1 << 14),
        value: |f| f.scratchpad.vector_words,
    },
    NumberField {
        path: "scratchpad.code_words",
        doc: "Words of 64 int8 codes.",
        allowed: Allowed::PowerOfTwo(256, 1 << 12),
        value: |f| f.scratchpad.code_words,
    },
    NumberField {
        path: "scratchpad.score_rows",
        doc: "Keys that the score buffer holds: the longest context.",
        allowed: Allowed::PowerOfTwo(128, 1 << 15),
        value: |f| f.scratchpad.score_rows,
    },
];

/// Keys that have a single value, and why a config does not have them.
pub(crate) const SINGLE: [(&str, &str); 2] = [
    ("control_core", "the host drives the queue, and a resident core is not built yet; remove the line"),
    ("pcpi", "it needs a control core, which is not built yet; remove the line"),
];

/// Every field by itself.
pub(crate) fn check(f: &StreamedFile) -> Result<(), StreamedError> {
    NUMBERS.iter().try_for_each(|n| check_number(n.path, (n.value)(f), n.allowed))
}

fn check_number(field: &'static str, found: u32, allowed: Allowed) -> Result<(), StreamedError> {
    let rule = |rule: String| Err(StreamedError::Rule { field, found: found.to_string(), rule });
    match allowed {
        Allowed::OneOf(values) if !values.contains(&found) => {
            Err(StreamedError::NotAllowed { field, found: found.to_string(), allowed: list(values) })
        }
        Allowed::Range(min, max) | Allowed::PowerOfTwo(min, max) | Allowed::MultipleOf(_, min, max)
            if !(min..=max).contains(&found) =>
        {
            Err(StreamedError::OutOfRange { field, found, min, max })
        }
        Allowed::PowerOfTwo(..) if !found.is_power_of_two() => rule("must be a power of two".to_string()),
        Allowed::MultipleOf(of, ..) if !found.is_multiple_of(of) => rule(format!("must be a multiple of {of}")),
        Allowed::OneOf(_) | Allowed::Range(..) | Allowed::PowerOfTwo(..) | Allowed::MultipleOf(..) => Ok(()),
    }
}
