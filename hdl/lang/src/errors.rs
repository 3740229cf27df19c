//! What can be wrong with a design: values with the module, the source line, what was found and what is allowed.

use crate::types::Type;
use std::fmt;
use std::panic::Location;

/// All errors of a design, at most one per module, in build order.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors(pub Vec<BuildError>);

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(BuildError::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Errors {}

/// The first error of a module.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("module {module} at {}:{}: {problem}", location.file(), location.line())]
pub struct BuildError {
    /// The module that was being built.
    pub module: String,
    /// The line of the generator that asked for it.
    pub location: &'static Location<'static>,
    /// What was found and what is allowed.
    pub problem: Problem,
}

/// What was found and what is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what its fields are.
pub enum Problem {
    #[error("{operator}: left is {left}, right is {right}; both must have the same width and sign")]
    Mismatch { operator: &'static str, left: Type, right: Type },
    #[error(
        "{operator}: left is {left}, right is {right}; both must have the same sign (an unsigned operand becomes signed by as_signed_ext)"
    )]
    SignMismatch { operator: &'static str, left: Type, right: Type },
    #[error("{what} is {found}; it must be unsigned(1)")]
    NotABit { what: String, found: Type },
    #[error("{what} is {found}; it must be unsigned")]
    NotUnsigned { what: &'static str, found: Type },
    #[error("{what} is {found}; it must be signed")]
    NotSigned { what: &'static str, found: Type },
    #[error("{what} is {found}; it must be {expected}")]
    WrongType { what: String, found: Type, expected: Type },
    #[error("{what} has width {width}; allowed are 1 to {max}")]
    Width { what: String, width: u64, max: u32 },
    #[error("bits {lo}..{} of {of}: there are only bits 0..{}", lo + width, of.width)]
    Range { lo: u64, width: u64, of: Type },
    #[error("extend to {to} bits of {from}: extend never narrows (trunc does)")]
    Extend { from: Type, to: u32 },
    #[error("trunc to {to} bits of {from}: trunc never widens (extend does)")]
    Trunc { from: Type, to: u32 },
    #[error("{value} does not fit in {ty}{}", range(*ty))]
    Literal { value: i128, ty: Type },
    #[error("{from} does not divide into lanes of {lane} bits")]
    Lanes { from: Type, lane: u32 },
    #[error("{what} needs at least one item")]
    Empty { what: &'static str },
    #[error("name `{name}` {reason}")]
    Name { name: String, reason: String },
    #[error("{kind} `{name}` is never {verb}")]
    Missing { kind: &'static str, name: String, verb: &'static str },
    #[error("{kind} `{name}` is already {verb}; once is allowed")]
    Twice { kind: &'static str, name: String, verb: &'static str },
    #[error("instance `{instance}` of {module} has no {direction} `{port}`; it has {known}")]
    UnknownPort { instance: String, module: String, direction: &'static str, port: String, known: String },
    #[error("instance `{instance}` of {module}: input `{port}` is not connected")]
    Unconnected { instance: String, module: String, port: String },
    #[error("instance `{instance}` of {module} has no {wanted}; it has {known}")]
    UnknownInterface { instance: String, module: String, wanted: String, known: String },
    #[error("field `{field}` is absent on one side; it must be on both or on neither")]
    OneSided { field: String },
    #[error("this signal belongs to another module (or to none); a module may use only its own signals")]
    Foreign,
    #[error("{what} inside when/switch would not be conditional; write it outside")]
    Conditional { what: &'static str },
    #[error("state machine `{fsm}` has no state `{state}`; it has {known}")]
    UnknownState { fsm: String, state: String, known: String },
    #[error("memory `{memory}`: {reason}")]
    Memory { memory: String, reason: String },
    #[error("file `{file}` {reason}")]
    Source { file: String, reason: String },
    #[error("switch: value {value} has two cases")]
    CaseTwice { value: String },
    #[error("a second build of this name has another body; one name stands for one (type, parameters)")]
    OtherBody,
    #[error("there is no module number {number} in this design")]
    UnknownModule { number: usize },
    #[error("combinational loop: {path}")]
    Loop { path: String },
}

fn range(ty: Type) -> String {
    ty.range().map_or(String::new(), |(low, high)| format!(" ({low}..={high})"))
}
