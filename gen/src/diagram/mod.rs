//! The block diagram of an overlay as SVG: what the overlay says of it, with the facts of its module tree. An instance
//! without a place is an error, so that the picture cannot lag behind the hardware.

mod memories;
mod svg;

use crate::emit::{File, Verilog};
use crate::tree::{self, TreeError, missing};
use sagen_overlay::Overlay;
use sagen_overlay::diagram::{Diagram, Piece, Text};

/// Why there is no diagram: a fault of ours.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("diagram: {0}; its family describes the diagram")]
pub struct DiagramError(#[from] TreeError);

/// `diagram.svg` of an emitted overlay.
pub fn diagram(overlay: &Overlay, emitted: &Verilog) -> Result<File, DiagramError> {
    check(&overlay.diagram, emitted)?;
    let text = svg::draw(&overlay.diagram, &|text| spell(text, emitted))?;
    Ok(File { path: "diagram.svg".to_string(), text })
}

/// What the diagram shows is there, and what must be shown has a place.
fn check(diagram: &Diagram, emitted: &Verilog) -> Result<(), TreeError> {
    diagram.placed.iter().try_for_each(|path| tree::at(&emitted.manifest, path).map(|_| ()))?;
    let placed = |path: &str| diagram.placed.iter().any(|p| p == path);
    diagram.complete.iter().try_for_each(|path| tree::complete(&emitted.manifest, path, placed))
}

/// A text with its facts looked up.
fn spell(text: &Text, emitted: &Verilog) -> Result<String, TreeError> {
    text.0.iter().map(|piece| fact(piece, emitted)).collect()
}

fn fact(piece: &Piece, emitted: &Verilog) -> Result<String, TreeError> {
    let memory = |path: &str| memories::below(tree::at(&emitted.manifest, path)?, &emitted.manifest);
    Ok(match piece {
        Piece::Plain(text) => text.clone(),
        Piece::Width(path, port) => {
            let module = tree::at(&emitted.manifest, path)?;
            let found = module.ports.iter().find(|p| p.name == *port);
            found.ok_or_else(|| missing(&module.name, port))?.ty.width.to_string()
        }
        Piece::Memory(path) => memory(path)?.text(),
        Piece::MemoryKind(path) => memory(path)?.kind.to_string(),
        Piece::Copies(path, bits) => match memory(path)?.bits / bits {
            1 => "1 copy".to_string(),
            copies => format!("{copies} copies"),
        },
    })
}
