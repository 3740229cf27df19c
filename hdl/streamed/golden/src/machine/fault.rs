//! Why a descriptor cannot be executed: which field, what was found, what is allowed.

/// An illegal descriptor, or one that does not fit the state it meets.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// A field has a value outside its range.
    #[error("{field} = {found} is outside {min}..={max}")]
    Field {
        /// Field of the descriptor.
        field: &'static str,
        /// What was found.
        found: u64,
        /// Least value.
        min: u64,
        /// Greatest value.
        max: u64,
    },
    /// Rows reach beyond a memory.
    #[error("{field} reaches {space} {first}..{end}, only 0..{size} exist")]
    Space {
        /// Field of the descriptor.
        field: &'static str,
        /// Memory, in its units.
        space: &'static str,
        /// First entry.
        first: u64,
        /// Behind the last entry.
        end: u64,
        /// Entries that exist.
        size: u64,
    },
    /// An address is not a multiple of what the port needs.
    #[error("{field} makes address {found:#x}, not a multiple of {unit}")]
    Alignment {
        /// Field of the descriptor.
        field: &'static str,
        /// What was found.
        found: u64,
        /// What it must be a multiple of.
        unit: u64,
    },
    /// Rows of a result overlap.
    #[error("{field} = {stride} makes rows of {length} words overlap")]
    Stride {
        /// Field of the descriptor.
        field: &'static str,
        /// From one row to the next.
        stride: u64,
        /// Of a row.
        length: u64,
    },
    /// A result overwrites an operand that is still needed.
    #[error("results at {d} overwrite operand {field} at {found} before it is read")]
    Overlap {
        /// Field of the descriptor.
        field: &'static str,
        /// Where the result goes.
        d: u64,
        /// What was found.
        found: u64,
    },
    /// A number of words is not a multiple of the operation's unit.
    #[error("words = {words} is not a multiple of {unit}, the {what}")]
    Multiple {
        /// Words found.
        words: u64,
        /// What it must be a multiple of.
        unit: u64,
        /// What the unit is.
        what: &'static str,
    },
    /// DDR that belongs to no region.
    #[error("DDR {address:#x}..+{bytes} is outside every region")]
    Unmapped {
        /// First byte.
        address: u64,
        /// Length.
        bytes: u64,
    },
    /// DDR that the overlay may not write.
    #[error("DDR {address:#x}..+{bytes} lies in region {region}, which is read-only")]
    ReadOnly {
        /// First byte.
        address: u64,
        /// Length.
        bytes: u64,
        /// Its name.
        region: String,
    },
    /// More beats are taken than were streamed.
    #[error("takes {wanted} beats, but only {found} were streamed")]
    Underrun {
        /// Beats taken.
        wanted: u64,
        /// What was found.
        found: u64,
    },
    /// A key is attended to that has no score.
    #[error("key {found} of vector {vector} is attended to, only 0..{scored} were scored")]
    Unscored {
        /// Vector.
        vector: u64,
        /// What was found.
        found: u64,
        /// Keys scored, or the last of them.
        scored: u64,
    },
    /// A weighted sum sees more keys than the maximum of its scores.
    #[error("vector {vector} sees keys up to {found}, its scores only up to {scored}")]
    Limit {
        /// Vector.
        vector: u64,
        /// What was found.
        found: u64,
        /// Keys scored, or the last of them.
        scored: u64,
    },
    /// All softmax weights are zero.
    #[error("all softmax weights of vector {vector} are zero")]
    NoWeight {
        /// Vector.
        vector: u64,
    },
    /// An argmax has no row to choose from.
    #[error("no row id is below id_limit = {limit}")]
    NoCandidate {
        /// The limit.
        limit: u64,
    },
    /// A scale does not fit its memory.
    #[error("scale entry {entry} gets exponent {found}, outside -128..=127")]
    Exponent {
        /// Entry of the scale file.
        entry: u64,
        /// What was found.
        found: i16,
    },
}

pub(crate) fn within(field: &'static str, found: u64, min: u64, max: u64) -> Result<(), Fault> {
    if (min..=max).contains(&found) {
        return Ok(());
    }
    Err(Fault::Field { field, found, min, max })
}

pub(crate) fn aligned(field: &'static str, found: u64, unit: u64) -> Result<(), Fault> {
    if found.is_multiple_of(unit) {
        return Ok(());
    }
    Err(Fault::Alignment { field, found, unit })
}
