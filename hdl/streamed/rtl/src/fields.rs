//! Descriptor fields as slices of the 512-bit bus, by the layout table.

use sagen_lang::Signal;
use sagen_streamed_isa::{LAYOUTS, Layout};

/// The layout of a descriptor type.
pub fn layout(name: &str) -> &'static Layout {
    LAYOUTS.iter().find(|l| l.name == name).unwrap_or_else(|| panic!("no descriptor is called {name}"))
}

/// Field `name` of a descriptor known to be a `descriptor`, with its sign.
#[track_caller]
pub fn field(desc: impl Into<Signal>, descriptor: &str, name: &str) -> Signal {
    let fields = layout(descriptor).fields;
    let field = fields.iter().find(|f| f.name == name);
    let field = field.unwrap_or_else(|| panic!("{descriptor} has no field {name}"));
    let bits = desc.into().slice(field.lo, field.width);
    if field.signed { bits.as_signed() } else { bits }
}

/// High while the descriptor is a `name`.
#[track_caller]
pub fn is(desc: impl Into<Signal>, name: &str) -> Signal {
    desc.into().slice(0, 8).eq_lit(u64::from(layout(name).opcode))
}
