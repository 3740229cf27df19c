//! The block diagram of an overlay as SVG, from its module tree and config: units, memory ports, widths, memories.
//! An instance that the layout does not know is an error, so that the picture cannot lag behind the hardware.

mod facts;
mod layout;
mod svg;

use crate::emit::{File, Verilog};
use sagen_streamed_arch::StreamedConfig;

/// Why there is no diagram: a fault of ours.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiagramError {
    /// The module tree has an instance that the layout does not place.
    #[error("diagram: instance {instance} of {module} has no place in the layout (gen/src/diagram)")]
    Unplaced {
        /// Instance.
        instance: String,
        /// Module that holds it.
        module: String,
    },
    /// The layout wants something that the module tree does not have.
    #[error("diagram: {module} has no {wanted}")]
    Missing {
        /// Module.
        module: String,
        /// Instance, port or memory.
        wanted: String,
    },
}

/// `diagram.svg` of an emitted overlay.
pub fn diagram(overlay: &StreamedConfig, emitted: &Verilog) -> Result<File, DiagramError> {
    let facts = facts::Facts::of(overlay, emitted)?;
    Ok(File { path: "diagram.svg".to_string(), text: layout::draw(overlay, &facts) })
}
