//! Why a descriptor cannot be executed: which field, what was found, what is allowed.

/// An illegal descriptor, or one that does not fit the state it meets.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("{field} = {found} is outside {min}..={max}")]
    Field { field: &'static str, found: u64, min: u64, max: u64 },
    #[error("{field} reaches {space} {first}..{end}, only 0..{size} exist")]
    Space { field: &'static str, space: &'static str, first: u64, end: u64, size: u64 },
    #[error("{field} makes address {found:#x}, not a multiple of {unit}")]
    Alignment { field: &'static str, found: u64, unit: u64 },
    #[error("{field} = {stride} makes rows of {length} words overlap")]
    Stride { field: &'static str, stride: u64, length: u64 },
    #[error("results at {d} overwrite operand {field} at {found} before it is read")]
    Overlap { field: &'static str, d: u64, found: u64 },
    #[error("words = {words} is not a multiple of {unit}, the {what}")]
    Multiple { words: u64, unit: u64, what: &'static str },
    #[error("DDR {address:#x}..+{bytes} is outside every region")]
    Unmapped { address: u64, bytes: u64 },
    #[error("DDR {address:#x}..+{bytes} lies in region {region}, which is read-only")]
    ReadOnly { address: u64, bytes: u64, region: String },
    #[error("takes {wanted} beats, but only {found} were streamed")]
    Underrun { wanted: u64, found: u64 },
    #[error("key {found} of vector {vector} is attended to, only 0..{scored} were scored")]
    Unscored { vector: u64, found: u64, scored: u64 },
    #[error("vector {vector} sees keys up to {found}, its scores only up to {scored}")]
    Limit { vector: u64, found: u64, scored: u64 },
    #[error("all softmax weights of vector {vector} are zero")]
    NoWeight { vector: u64 },
    #[error("no row id is below id_limit = {limit}")]
    NoCandidate { limit: u64 },
    #[error("scale entry {entry} gets exponent {found}, outside -128..=127")]
    Exponent { entry: u64, found: i16 },
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
